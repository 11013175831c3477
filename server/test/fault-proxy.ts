// A TCP relay on loopback that breaks a connection on purpose, between the service and a fake site or anything else.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Of one direction: `up` is client to server, `down` server to client. */
export type LineFault = {
  delayMs?: number
  /** Pieces of at most so many bytes. */
  pieces?: number
  /** The byte at this offset is inverted. */
  flip?: number
  /** After so many bytes the connection is reset, closed, or silent. */
  cut?: { after: number; how: 'reset' | 'close' | 'silence' }
}
export type Faults = {
  up?: LineFault
  down?: LineFault
  /** Every connection is reset at once. */
  refuse?: boolean
  /** The request arrives whole; of the answer nothing comes back. */
  loseReply?: boolean
  /** What the client sends first is sent again on a connection of its own. */
  duplicate?: boolean
}
export type FaultProxy = {
  url: string
  /** Counts connections, and how often each fault struck. */
  seen: { connections: number; struck: number }
  set: (faults: Faults) => void
  stop: () => Promise<void>
}

/** Relays to `port` on 127.0.0.1. A connection keeps the faults that were set when it began. */
export async function startFaultProxy(port: number, host = '127.0.0.1'): Promise<FaultProxy> {
  let faults: Faults = {}
  const seen = { connections: 0, struck: 0 }
  const open = new Set<Socket>()
  const keep = (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket)).on('error', () => socket.destroy())
    return socket
  }
  const server = createServer({ allowHalfOpen: true }, (client) => {
    keep(client)
    seen.connections++
    relay(client, () => keep(connect({ port, host, allowHalfOpen: true })), faults, seen)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stop = async () => {
    for (const socket of open) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const set = (next: Faults) => {
    faults = next
  }
  return { url, seen, set, stop }
}

function relay(client: Socket, dial: () => Socket, faults: Faults, seen: FaultProxy['seen']): void {
  if (faults.refuse) {
    seen.struck++
    client.resetAndDestroy()
    return
  }
  const server = dial()
  client.once('close', () => server.destroy())
  server.once('close', () => client.destroySoon())
  if (faults.duplicate) client.once('data', (first) => repeat(dial(), first, seen))
  void pump(client, server, faults.up ?? {}, seen)
  if (faults.loseReply) server.once('data', () => strike(seen, () => client.resetAndDestroy()))
  else void pump(server, client, faults.down ?? {}, seen)
}

function repeat(again: Socket, first: Buffer, seen: FaultProxy['seen']): void {
  seen.struck++
  again.end(first)
  again.resume()
}

async function pump(from: Socket, to: Socket, fault: LineFault, seen: FaultProxy['seen']): Promise<void> {
  let offset = 0
  try {
    for await (const chunk of from) {
      for (const piece of split(chunk, fault.pieces ?? chunk.length)) {
        if (fault.delayMs) await sleep(fault.delayMs)
        const flipped = flip(piece, offset, fault.flip, seen)
        const room = fault.cut ? fault.cut.after - offset : Number.POSITIVE_INFINITY
        if (to.destroyed) return
        to.write(flipped.subarray(0, room))
        offset += piece.length
        if (fault.cut && offset >= fault.cut.after) return strike(seen, () => cut(from, to, fault.cut?.how))
      }
    }
    to.end()
  } catch {
    // A connection that breaks is what this file is for.
    to.destroy()
  }
}

function cut(from: Socket, to: Socket, how: 'reset' | 'close' | 'silence' | undefined): void {
  if (how === 'silence') return
  if (how === 'close') to.end()
  else to.resetAndDestroy()
  from.destroy()
}

function flip(piece: Buffer, offset: number, at: number | undefined, seen: FaultProxy['seen']): Buffer {
  if (at === undefined || at < offset || at >= offset + piece.length) return piece
  seen.struck++
  return piece.map((byte, i) => (i === at - offset ? byte ^ 0xff : byte)) as Buffer
}

function split(chunk: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(chunk.length / size) }, (_, i) => chunk.subarray(i * size, (i + 1) * size))
}

function strike(seen: FaultProxy['seen'], action: () => void): void {
  seen.struck++
  action()
}
