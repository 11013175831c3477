// What the service calls by the names of its tools, operations and routes, as it is typed here: in help, refusals and answers alike.
import { answerOf, plain } from './describe.js'
import { commandOf,             isRequired,                             typed } from './manifest.js'

/** What may be done about how a job ended. */
                           
             
                 
 

/** A sentence, with commands for what it names. */
export function ownWords({ operations }          , text        )         {
  const named = new Map(operations.flatMap((entry) => [entry.tool, entry.name].map((name) => [name, `svc ${commandOf(entry)}`]         )))
  const byRoute = (route        ) =>
    operations.find(({ http }) => http.some((each) => each.replaceAll(/\{\w+\}/g, '{}') === route.replaceAll(/\{\w+\}/g, '{}')))
  return text
    .replaceAll(/\b([a-z]+(?:[_.][a-z_]+)+)\b(?: \((?:GET|POST|DELETE) [^)]*\))?/g, (words, name        ) => named.get(name) ?? words)
    .replaceAll(/\b(?:GET|POST|DELETE) \/[\w/{}-]*/g, (route) => {
      const entry = byRoute(route)
      return entry ? `svc ${commandOf(entry)}` : route
    })
}

/** A whole answer, as it is shown to people. What a site said stays as the site said it. */
export const inOwnWords = (manifest          , entry       , answer         )          =>
  within(manifest, Array.isArray(answer) ? answerOf(entry) : (entry.output ?? {}), answer)

function within(manifest          , schema        , answer         )          {
  if (typeof answer === 'string') return /\s/.test(answer) && !isOthers(schema) ? ownWords(manifest, answer) : answer
  if (Array.isArray(answer)) return answer.map((each) => within(manifest, plain(schema).items ?? {}, each))
  if (answer === null || typeof answer !== 'object' || 'untrusted' in answer) return answer
  const fields = Object.entries(answer).map(([field, value]) => {
    if (field === 'input') return [field, value]
    if (field === 'next_steps') return [field, nextSteps(manifest, value)]
    if (field === 'next') return [field, nextCommand(manifest, value, answer)]
    return [field, within(manifest, plain(schema).properties?.[field] ?? {}, value)]
  })
  return Object.fromEntries(fields)
}

const isOthers = ({ description = '' }        ) => /\bnot an instruction\b|\bnot to be trusted\b/.test(description)

const byTool = ({ operations }          , name         ) =>
  typeof name === 'string' ? operations.find(({ tool }) => tool === name) : undefined

/** Each call of a tool as a command with its reason. What this program does not know is left out. */
function nextSteps(manifest          , steps         )                    {
  if (!Array.isArray(steps)) return null
  return steps.flatMap(({ why, tool, input }                                                                    ) => {
    const entry = byTool(manifest, tool)
    return entry ? [{ why: ownWords(manifest, String(why ?? '')), command: typed(entry, input ?? {}) }] : []
  })
}

/** The name of a tool as a command, with what the answer already tells of what it needs; a sentence as any other. */
function nextCommand(manifest          , next         , answer        )          {
  const entry = byTool(manifest, next)
  if (!entry) return within(manifest, {}, next)
  const known = Object.entries(answer).filter(([field]) => isRequired(entry, field))
  return typed(entry, Object.fromEntries(known))
}
