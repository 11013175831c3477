import { existsSync, readFileSync } from 'node:fs'

/** JSON Schema, as far as the command line looks into it. */
                         
                          
                 
                      
                   
                  
                 
                                     
                     
                
                  
 

/** One operation of the contract. */
                        
              
               
                
                 
               
                 
               
                
                                                
                  
                
               
                                                                        
               
                                                                        
                    
                
                  
               
                 
                                  
                                           
                 
                 
 

                           
                     
                                                                                                             
 

/** The contract this program was packed with; in a checkout, the one in the repository. What needs a signed-in person is left out. */
export function loadManifest()           {
  const places = ['./operations.json', '../../contract/operations.json'].map((place) => new URL(place, import.meta.url))
  const found = places.find((place) => existsSync(place))
  if (!found) throw new Error('operations.json is missing beside the program. Install the package again.')
  const { operations, problems } = JSON.parse(readFileSync(found, 'utf8'))            
  return { operations: operations.filter(({ scope, personal }) => scope !== 'manage' && !personal), problems }
}

/** `backups.create` → `backups create`. */
export const commandOf = ({ name }                     ) => name.replace('.', ' ').replaceAll('_', '-')

export const nounsOf = ({ operations }          ) => [...new Set(operations.map((entry) => commandOf(entry).split(' ')[0] ?? ''))]

/** The fields in a path, in order. */
export const pathFields = (http        ) => [...http.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '')

/** Fields that may be given without their name: those of the longest path, in order. */
export const positionals = ({ http }       ) =>
  http.map(pathFields).reduce((longest, fields) => (fields.length > longest.length ? fields : longest))

/** The list in which a field of the path is found, whose route stands before it: `GET /sites` for `/sites/{site_id}/backups`. */
export function listBefore({ operations }          , entry       , field        )                    {
  const [route = ''] = entry.http.flatMap((path) =>
    path.includes(`/{${field}}`) ? [path.split(`/{${field}}`)[0]?.replace(/^\w+/, 'GET') ?? ''] : [],
  )
  return operations.find(({ http, list }) => list && http.includes(route))
}

/** A call as it is typed: what stands in the path by place, the rest by name. */
export function typed(entry       , input                         )         {
  const places = positionals(entry).filter((field) => field in input)
  const flags = Object.entries(input).filter(([field]) => !places.includes(field))
  const values = flags.flatMap(([field, value]) =>
    typeof value === 'boolean'
      ? [value ? flagOf(field) : `--no-${flagOf(field).slice(2)}`]
      : [value].flat().flatMap((each) => [flagOf(field), word(each)]),
  )
  return ['svc', commandOf(entry), ...places.map((field) => word(input[field])), ...values].join(' ')
}

/** Nothing in it means anything to a shell. */
export const isPlain = (text        ) => /^[\w.:/@%+=,-]+$/.test(text)

function word(value         )         {
  const text = String(value)
  return isPlain(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** A field the caller must give, by name or by place. */
export const isRequired = ({ input }       , field        ) => input.required?.includes(field) ?? false

export const flagOf = (field        ) => `--${field.replaceAll('_', '-')}`

/** The read that looks up a job, if the contract has one: its path's only field is the job. */
export const jobReader = ({ operations }          ) =>
  operations.find(
    ({ http, effect }) => effect === 'read' && http.some((path) => path.startsWith('GET ') && pathFields(path).join() === 'job_id'),
  )
