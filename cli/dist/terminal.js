/** Where words go. Results to `out`, everything about them to `err`, so that a pipe carries results only. */
                           
                         
                         
                                                             
               
                            
                  
                 
                                                                 
               
                                                    
                  
             
 

export function terminal(env                   )           {
  const { stdout, stderr } = process
  // `svc … | head` closes the pipe early; that is no error.
  for (const stream of [stdout, stderr]) stream.on('error', (error                       ) => process.exit(error.code === 'EPIPE' ? 0 : 1))
  return {
    out: (text) => void stdout.write(`${text}\n`),
    err: (text) => void stderr.write(text),
    width: stdout.isTTY ? stdout.columns || 80 : Number.POSITIVE_INFINITY,
    errWidth: stderr.isTTY ? stderr.columns || 80 : Number.POSITIVE_INFINITY,
    colour: stdout.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb',
    live: stderr.isTTY === true && env.TERM !== 'dumb',
    watched: stdout.isTTY === true,
    now: () => new Date(),
  }
}
