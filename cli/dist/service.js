import { Failure, misused } from './failure.js'
import { clean } from './text.js'

/** Which service, and as whom. */
                          
                                     
              
               
 

/** Reads SERVICE_URL and SERVICE_TOKEN; throws a Failure that says how to set them. */
export function serviceFrom(env                   )          {
  const address = env.SERVICE_URL?.trim()
  const token = env.SERVICE_TOKEN?.trim()
  if (!address) throw misused('SERVICE_URL is not set.', ['Set it to the address of the service: export SERVICE_URL=http://127.0.0.1:8080'])
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol))
    throw misused(`SERVICE_URL is not an http or https address: ${clean(address)}`)
  const url = new URL(address)
  if (url.username || url.password)
    throw misused('SERVICE_URL must not hold a user or password.', ['The token in SERVICE_TOKEN says who you are.'])
  if (!token)
    throw new Failure('SERVICE_TOKEN is not set.', 3, [
      'Ask the operator for one (npm run -s admin -- token create), then: export SERVICE_TOKEN=svc_…',
    ])
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new Failure('SERVICE_TOKEN holds characters no token has.', 3, ['Copy it again; it is shown once when it is made.'])
  return { base: `${url.origin}${url.pathname.replace(/\/+$/, '').replace(/\/api\/v1$/, '')}/api/v1`, token }
}

/** True where the token would cross a network unencrypted. */
export function isExposed({ base }         )          {
  const { protocol, hostname } = new URL(base)
  return protocol === 'http:' && !/^(localhost|127\.[\d.]+|\[::1\]|.*\.localhost)$/.test(hostname)
}

/** Ends the command with words when a token stands on the command line. */
export function refuseTokens(argv                   ) {
  if (
    argv.some(
      (word) => /(^|=|\s)svc_[0-9A-Za-z]{12,}/.test(word) || /^(--?(api[-_]?)?(token|key)|--bearer|--authorization)(=|$)/i.test(word),
    )
  )
    throw misused('A token does not belong on the command line.', [
      'Every program on this machine can read the arguments of the others, and the shell keeps them in its history.',
      'Set it in the environment instead: export SERVICE_TOKEN=…',
      'If this was a real token, revoke it and make a new one.',
    ])
}
