// A lock of which there is one on a machine, whoever asks from whatever folder: a name of a socket without a file, which the kernel lets go with its process.
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Takes it without waiting; undefined when somebody else has it. Containers with a network of their own count as machines. */
export async function tryMachineLock(name: string): Promise<{ release(): Promise<void> } | undefined> {
  const server = createServer((socket) => socket.destroy())
  server.listen({ path: `\0${name}`, exclusive: true })
  try {
    await once(server, 'listening')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return undefined
    throw error
  }
  server.unref()
  return { release: () => new Promise((released) => server.close(() => released())) }
}
