// What the service has of what somebody is typing: asked for at the press of a key, so for a moment only, and in silence.
import { answerOf, plain } from './describe.js'
import {             isPlain,               } from './manifest.js'
import { prepare, send } from './request.js'
import { isExposed, serviceFrom } from './service.js'

/** The items of a list that begin so, by the word that is typed for each. */
                                                                                                   

/** Seconds. */
const usualPatience = 1
/** Of an answer; whoever sends more is not the service. */
const mostBytes = 8_000_000

/** Offers nothing where there is no service to ask, it does not answer in time, or the token would travel unencrypted. */
export const asking =
  (manifest          , env                   )      =>
  async (list, input, typed) => {
    const patience = Number(env.SVC_TAB_SECONDS) || usualPatience
    const stop = new AbortController()
    const clock = setTimeout(() => stop.abort(), patience * 1000)
    try {
      const service = serviceFrom(env)
      if (isExposed(service)) return []
      const session = { service, manifest, timeout: patience, signal: stop.signal }
      const answer = await send(session, prepare(service, list, narrowed(list, input, typed)))
      return wordsOf(JSON.parse(await textOf(answer)))
    } catch {
      return []
    } finally {
      clearTimeout(clock)
    }
  }

/** What is found by a part of its address is asked for by what is typed of it: a page has no room for every fleet. */
function narrowed(list       , input                         , typed        )                          {
  const { q } = list.input.properties ?? {}
  return q && typed !== '' && plain(answerOf(list).items ?? {}).properties?.url ? { ...input, q: typed } : input
}

async function textOf({ body }          )                  {
  const parts               = []
  let bytes = 0
  for await (const part of body ?? []) {
    bytes += part.length
    if (bytes > mostBytes) throw new Error('too long')
    parts.push(part)
  }
  return Buffer.concat(parts).toString()
}

/** A site by its domain, anything else by its id. bash expands what it is offered, so what means something to a shell is left out. */
function wordsOf(items         )           {
  if (!Array.isArray(items)) return []
  const words = items.map((item) => {
    const { id, url } = (item ?? {})                                   
    return typeof url === 'string' ? url.replace(/^https?:\/\//, '').replace(/\/$/, '') : id
  })
  return [...new Set(words)].filter((word)                 => typeof word === 'string' && isPlain(word) && !word.startsWith('-'))
}
