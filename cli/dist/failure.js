                                             
import { ownWords } from './own-words.js'
import { clean } from './text.js'

/** The end of a command that did not do what was asked: *what. why. what next*, and the exit code. */
export class Failure extends Error {
           exit        
           details          
  constructor(message        , exit        , details           = []) {
    super(message)
    this.exit = exit
    this.details = details
  }
}

/** 2: the command was not understood; nothing was sent. */
export const misused = (message        , details           = []) => new Failure(message, 2, details)

/** A site's own words, which nobody should take for ours. */
                           
               
 

export const siteSaid = (said                             ) => (said?.text ? [`The site said (untrusted): ${clean(said.text)}`] : [])

                       
                
                 
               
               
                                                                     
                      
                     
 

/** What the service refused, in words, with the exit code of its kind. */
export function refused(manifest          , status        , body             , command        )          {
  const { problems } = manifest
  const kind = problems[body.code ?? ''] ?? Object.values(problems).find((problem) => problem.status === status)
  const ours = (text        ) => clean(ownWords(manifest, text))
  const title = clean(body.title ?? kind?.title ?? `The service answered ${status}`)
  const fields = (body.errors ?? []).flatMap(({ path, message, candidates = [] }) => [
    ours(`${path || 'request'}: ${message}`),
    ...(candidates.length > 0 ? [`Candidates: ${clean(candidates.join(', '))}`] : []),
  ])
  const details = [
    ...siteSaid(body.site_said),
    ...fields,
    ours(next(body.code, command) ?? body.next ?? kind?.next ?? ''),
    body.request_id && `Request ${clean(body.request_id)}.`,
  ].filter((line) => line !== undefined && line !== '')
  return new Failure(`${title}. ${ours(body.detail ?? '')}`.trim(), kind?.exit ?? 1, details            )
}

function next(code                    , command        )                     {
  if (code === 'invalid_payload') return `See \`svc ${command} --help\`.`
  if (code === 'rate_limited') return 'Wait a little, then type it again.'
  if (code === 'unauthenticated') return 'Set SERVICE_TOKEN to a token that was not revoked and has not expired.'
  return undefined
}
