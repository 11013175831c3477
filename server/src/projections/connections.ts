import type { Socket } from 'node:net'

/** Tells calls that their client hung up, by one signal for all calls of a connection: most of them never ask. */
export function openConnections() {
  const open = new Map<Socket, AbortController>()
  const begin = (socket: Socket): AbortSignal => {
    const controller = new AbortController()
    open.set(socket, controller)
    socket.once('close', () => {
      controller.abort()
      open.delete(socket)
    })
    return controller.signal
  }
  return {
    signalOf: (socket: Socket): AbortSignal => (socket.destroyed ? AbortSignal.abort() : (open.get(socket)?.signal ?? begin(socket))),
    /** Ends the calls of every connection. Those that come afterwards are not ended. */
    end() {
      for (const controller of open.values()) controller.abort()
      open.clear()
    },
  }
}
