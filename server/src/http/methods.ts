import type { FastifyInstance } from 'fastify'

/** Tells which methods a path takes, from the routes registered after this call; one that takes all of them answers for itself. */
export function methodsTaken(app: FastifyInstance): (path: string) => string[] {
  const taken = new Map<string, { pattern: RegExp; methods: Set<string> }>()
  app.addHook('onRoute', ({ url, method }) => {
    if (Array.isArray(method)) return
    const route = taken.get(url) ?? { pattern: patternOf(url), methods: new Set() }
    taken.set(url, route)
    route.methods.add(method)
  })
  return (path) =>
    [...new Set([...taken.values()].filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => [...methods]))].sort()
}

const patternOf = (url: string) => new RegExp(`^${url.replaceAll('.', String.raw`\.`).replaceAll(/:\w+/g, '[^/]+')}$`)
