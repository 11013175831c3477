                                            
import { isRecord,               rpcError } from './message.js'

/** Longer than anything the service makes a caller wait. */
const patienceMs = 120_000

/** Our own failures, in JSON-RPC's range for servers. */
const failed = -32000

                
              
                                  
                  
 

/** Sends one line; the answer's line, or undefined where none is owed. Never throws: a failure becomes an answer that says the remedy. */
export async function post(
  { url, token, version }                              ,
  { body, mirrored, message }      ,
  signal             ,
)                              {
  const fail = (words        ) => (message.expectsAnswer ? rpcError(message.id ?? null, failed, words) : undefined)
  try {
    const headers = {
      ...mirrored,
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json',
      'user-agent': `service-mcp/${version}`,
    }
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]),
    })
    const text = await response.text()
    if (!message.expectsAnswer || (response.status === 202 && message.id === undefined)) return undefined
    return (
      remedy(response, url, fail) ??
      asLine(text, message) ??
      fail(`${url.origin} answered ${response.status} with something that is not JSON-RPC. Set SERVICE_URL to the service’s base address.`)
    )
  } catch (error) {
    return fail(unreachable(url, error))
  }
}

/** Failures a person has to mend; the rest the service explains itself. */
function remedy(response          , url     , fail                                       )                     {
  if (response.status === 401)
    return fail(
      'The service refused the token in SERVICE_TOKEN: it is wrong, expired or revoked. Ask the operator for a new one (npm run -s admin -- token create), set SERVICE_TOKEN and start this server again.',
    )
  if (response.status >= 300 && response.status < 400)
    return fail(
      `${url.origin} redirects to ${response.headers.get('location') ?? 'another address'}. Set SERVICE_URL to the address the service really has.`,
    )
  if (response.status === 429) return fail(`Too many requests. Wait ${response.headers.get('retry-after') ?? 'some'} s, then try again.`)
  return undefined
}

/** One answer is one line. The service's own answers are; a proxy may have broken them up. */
function asLine(text        , { id }         )                     {
  try {
    const answer          = JSON.parse(text)
    if (Array.isArray(answer)) return text.includes('\n') ? JSON.stringify(answer) : text
    if (!isRecord(answer) || answer.jsonrpc !== '2.0') return undefined
    const known = answer.id !== null || id === undefined
    return known && !/[\r\n]/.test(text) ? text : JSON.stringify(known ? answer : { ...answer, id })
  } catch {
    return undefined
  }
}

function unreachable(url     , error         )         {
  if (error instanceof Error && error.name === 'TimeoutError')
    return `${url.origin} did not answer within ${patienceMs / 1000} s. Try again.`
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const reason = isRecord(cause) && typeof cause.code === 'string' ? ` (${cause.code})` : ''
  return `The service at ${url.origin} cannot be reached${reason}. Check that it runs, that SERVICE_URL is right and that this machine may connect to it.`
}
