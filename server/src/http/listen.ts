import type { FastifyInstance } from 'fastify'
import { Refusal } from '../platform/refusal.ts'

/** Throws a Refusal that names the setting where the address cannot be had. */
export async function listen(server: FastifyInstance, { host, port }: { host: string; port: number }): Promise<void> {
  try {
    await server.listen({ host, port })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE')
      throw new Refusal(`Another program listens on ${host}, port ${port}. Stop it, or set SERVICE_PORT to another port.`)
    if (code === 'EACCES') throw new Refusal(`Port ${port} may not be listened on by this user. Set SERVICE_PORT to one from 1024.`)
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new Refusal(`${host} is no address of this machine. Set SERVICE_HOST to one of its own, 127.0.0.1 or 0.0.0.0.`)
    throw error
  }
}
