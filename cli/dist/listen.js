// What changes, as the service says it: server-sent events, a line each.
import { setTimeout as pause } from 'node:timers/promises'
import { Failure } from './failure.js'
import { Lost,                              send } from './request.js'
                                             
import { clean } from './text.js'

                 
            
               
              
 

const againMs = 2_000
/** Characters of one event; whoever sends more is not the service. */
const longest = 100_000

/** Until it is stopped. A stream that breaks off is asked for again, from the last event on, also while the service starts anew. */
export async function listen(session         , here          , prepared          , json         )                 {
  let last                    
  let heardOnce = false
  for (;;) {
    const headers = { ...prepared.headers, accept: 'text/event-stream', ...(last !== undefined && { 'last-event-id': last }) }
    const answer = await send(session, { ...prepared, isFile: true, headers }).catch((error         ) => {
      if (heardOnce && error instanceof Lost) return undefined
      throw error
    })
    heardOnce = true
    if (answer === undefined) {
      await pause(againMs, undefined, { signal: session.signal })
      continue
    }
    if (!/^text\/event-stream\b/.test(answer.headers.get('content-type') ?? ''))
      throw new Failure('What answered is no stream of events.', 1)
    try {
      for await (const heard of eventsOf(answer)) {
        last = heard.id || last
        here.out(json ? heard.data : lineOf(heard, here.now()))
      }
    } catch (error) {
      if (session.signal.aborted || error instanceof Failure) throw error
    }
    await pause(againMs, undefined, { signal: session.signal })
  }
}

async function* eventsOf({ body }          )                        {
  let text = ''
  for await (const part of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += part
    const whole = text.split('\n\n')
    text = whole.pop() ?? ''
    if (text.length > longest) throw new Failure('What answered is no stream of events.', 1)
    for (const each of whole) {
      const heard = { id: '', event: '', data: '' }
      for (const [, name, value] of each.matchAll(/^(id|event|data): (.*)$/gm)) heard[name               ] = value ?? ''
      if (heard.data !== '') yield heard
    }
  }
}

function lineOf({ data }       , now      )         {
  const { kind, id, site_id } = JSON.parse(data)                                 
  const words = [now.toISOString().slice(11, 19), kind, id ?? '-', ...(site_id !== null && site_id !== id ? [site_id] : [])]
  return clean(words.join(' '))
}
