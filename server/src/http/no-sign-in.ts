import type { FastifyInstance } from 'fastify'

/** Where clients of the tool server look for a sign-in service. There is none, and only JSON tells them so. */
const paths = [
  '/.well-known/oauth-*',
  '/.well-known/openid-configuration',
  '/.well-known/openid-configuration/*',
  '/api/mcp/.well-known/*',
  '/register',
]

/** Answers before a body is read, whatever its type. */
export function registerNoSignIn(app: FastifyInstance): void {
  for (const path of paths)
    app.all(path, {
      onRequest: async (_request, reply) =>
        reply
          .code(404)
          .header('content-type', 'application/json')
          .send('{"error":"not_found","error_description":"There is no sign-in service here. Send a token: Authorization: Bearer svc_…"}'),
      handler: async () => undefined,
    })
}
