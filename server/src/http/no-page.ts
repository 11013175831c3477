import type { FastifyReply } from 'fastify'
import { html } from '../kernel/html.ts'

const page =
  html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>There is no such page</title><link rel="stylesheet" href="/setup.css"></head>
<body><main><h1>There is no such page</h1><p class="soft">The address may be mistyped, or what was here is gone.</p>
<p><a class="go" href="/">Open the dashboard</a></p><p><a href="/docs">What the service can do</a></p></main></body></html>`.text

/** What a person in a browser is shown where a program gets a problem. */
export const sendNoPage = (reply: FastifyReply): FastifyReply =>
  reply
    .code(404)
    .type('text/html; charset=utf-8')
    .headers({
      'content-security-policy': "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'",
      'cache-control': 'no-store',
    })
    .send(page)
