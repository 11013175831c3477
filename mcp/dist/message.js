                                

/** As much of a JSON-RPC message as the bridge looks at. A batch has no method, so it is only carried. */
                          
                                            
                    
                                                                   
                        
                            
                                 
 

/** Undefined: not JSON. */
export function readLine(line        )                      {
  try {
    return messageOf(JSON.parse(line))
  } catch {
    return undefined
  }
}

function messageOf(value         )          {
  if (!isRecord(value)) return { id: undefined, expectsAnswer: true, method: undefined, params: {} }
  const { id, method, params } = value
  return {
    id: typeof id === 'string' || typeof id === 'number' ? id : undefined,
    expectsAnswer: 'id' in value && 'method' in value,
    method: typeof method === 'string' ? method : undefined,
    params: isRecord(params) ? params : {},
  }
}

/** The headers that repeat the body: the current protocol wants three, the older ones the negotiated version. */
export function mirroredHeaders({ method, params }         , negotiated                    )                         {
  const { _meta: meta, name, uri } = params
  const claimed = isRecord(meta) ? meta['io.modelcontextprotocol/protocolVersion'] : undefined
  if (typeof claimed !== 'string' || method === undefined)
    return negotiated && method !== 'initialize' ? { 'mcp-protocol-version': negotiated } : {}
  const subject = method === 'tools/call' || method === 'prompts/get' ? name : method === 'resources/read' ? uri : undefined
  return {
    'mcp-protocol-version': encoded(claimed),
    'mcp-method': encoded(method),
    ...(typeof subject === 'string' && { 'mcp-name': encoded(subject) }),
  }
}

/** A header holds visible ASCII without spaces at its ends; anything else travels as base64 and says so. */
function encoded(value        )         {
  const plain = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !value.startsWith('=?base64?')
  return plain ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`
}

export function rpcError(id           , code        , message        )         {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })
}

export const isRecord = (value         )                                   =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
