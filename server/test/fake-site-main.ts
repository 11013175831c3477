// A fake site in a process of its own, for tests that measure the memory of the service's side. Speaks over the parent's IPC channel.
import { startFakeSite } from './fake-site.ts'
import type { Trouble } from './fake-trouble.ts'

const site = await startFakeSite()
const { servicePrivateKey, siteKeys, ...connection } = site.pair()
const serviceKey = servicePrivateKey.export({ format: 'jwk' })
process.on('message', (trouble: Trouble) => {
  site.misbehave(trouble)
  process.send?.('ready')
})
process.on('disconnect', () => process.exit())
process.send?.({ connection, serviceKey, siteKeys: siteKeys.map(({ keyid, key }) => ({ keyid, key: key.export({ format: 'jwk' }) })) })
