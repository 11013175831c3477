import { subscribe } from 'node:diagnostics_channel'

// The conformance suite cannot send a token, so every request this process makes is given one.
const authorization = `Bearer ${process.env.SERVICE_TOKEN}`

subscribe('undici:request:create', ({ request }) => request.addHeader('authorization', authorization))
subscribe('http.client.request.created', ({ request }) => request.setHeader('authorization', authorization))
