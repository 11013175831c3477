import { createInterface } from 'node:readline'
                                                     
                                            
import {                        mirroredHeaders, readLine, rpcError } from './message.js'
import { post } from './post.js'

                 
                                      
                           
                                                               
                                
                                                                              
                                
                                                                        
                                     
 

/** Carries each line of `input` to the service and its answer to `output`. Ends after the last answer, once `input` has ended. */
export async function bridge(input          , output          , target                              )                {
  const state        = {
    target,
    write: (line) => void output.write(`${line}\n`),
    open: new Map(),
    negotiated: undefined,
    greeting: undefined,
  }
  const underWay = new Set               ()
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() === '') continue
    const carried = carry(state, line).finally(() => underWay.delete(carried))
    underWay.add(carried)
  }
  await Promise.all(underWay)
}

async function carry(state       , line        )                {
  const message = readLine(line)
  if (message === undefined) return state.write(rpcError(null, -32700, 'This line is not JSON. Send a JSON-RPC message on one line.'))
  if (message.method === 'notifications/cancelled') return cancel(state, message)
  if (message.method !== 'initialize') {
    await state.greeting
    return exchange(state, message, line)
  }
  state.negotiated = undefined
  state.greeting = exchange(state, message, line)
  return state.greeting
}

/** Hanging up is how the service learns of it; the request then has no answer, as the protocol wants. */
function cancel({ open }       , { params }         )       {
  const id = params.requestId
  if (typeof id === 'string' || typeof id === 'number') open.get(id)?.abort()
}

async function exchange(state       , message         , line        )                {
  const { id } = message
  const controller = new AbortController()
  if (id !== undefined) state.open.set(id, controller)
  try {
    const reply = await post(state.target, { body: line, mirrored: mirroredHeaders(message, state.negotiated), message }, controller.signal)
    if (controller.signal.aborted || reply === undefined) return
    if (message.method === 'initialize') state.negotiated = negotiatedIn(reply)
    state.write(reply)
  } finally {
    if (id !== undefined && state.open.get(id) === controller) state.open.delete(id)
  }
}

function negotiatedIn(reply        )                     {
  const { result } = JSON.parse(reply)                                              
  return typeof result?.protocolVersion === 'string' ? result.protocolVersion : undefined
}
