// Serialized objects wherever a stranger, the service or a backup can leave one. A canary sings when one is made.
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Attacked, everywhere, sha256 } from '../attacked.ts'
import { send, traces } from '../knock.ts'
import { all, asleep, done, form, LOGIN, redeem, still } from './common.ts'

const CANARY = 'O:10:"Svc_Canary":0:{}'

const objects = [CANARY, Buffer.from(`a:1:{i:0;${CANARY}}`).toString('base64')]

export async function canary(here: Attacked): Promise<void> {
  await send(`${here.bare.url}/?wake=${encodeURIComponent(Buffer.from(CANARY).toString('base64'))}`)
  assert.deepEqual(traces(here.bare), ['object-made'])
  await rm(join(here.bare.dir, '../tmp/object-made'))
}

export async function objectsInBodies(here: Attacked): Promise<void> {
  for (const site of [here.paired, here.bare]) {
    await still(here, site, () =>
      everywhere(
        site,
        objects.map((body) => ({ body })),
      ),
    )
    asleep(site)
  }
}

export async function objectsInFields(here: Attacked): Promise<void> {
  const { paired, bare } = here
  const fields = (value: string) => ({ svc_connector_ticket: value, 'svc-connector-login': value, data: value, params: value, svc: value })
  const attempts = objects.flatMap((value) => {
    const text = encodeURIComponent(value)
    const headers = { cookie: `svc=${text}; svc_connector=${text}`, 'svc-site': value, 'svc-request-id': value, 'signature-input': value }
    return [{ headers, body: LOGIN }, form(fields(value))]
  })
  const more = new URLSearchParams(fields(CANARY)).toString()
  for (const site of [paired, bare]) {
    await still(here, site, () => everywhere(site, attempts, more))
    await still(here, site, () => all(objects, (value) => redeem(site, value)))
    asleep(site)
  }
}

export async function signedObjects(here: Attacked): Promise<void> {
  const { paired, asked } = here
  const params = (value: unknown) => ({
    job: value,
    user: value,
    requester: value,
    table: value,
    root: value,
    items: [value],
    path: value,
    id: value,
  })
  const verbs = [
    'login.issue',
    'db.rows',
    'files.read',
    'files.digest',
    'updates.guard',
    'tweaks.apply',
    'security.integrity',
    'restore.prepare',
  ]
  const answers = await still(
    here,
    paired,
    () =>
      all(
        verbs.flatMap((verb) => objects.map((value) => [verb, value] as const)),
        ([verb, value]) => asked(verb, params(value)),
      ),
    true,
  )
  for (const { text } of answers) assert.match(text, /^error:bad_request/)
  asleep(paired)
}

export async function objectsInTheDatabase(here: Attacked): Promise<void> {
  const { paired, sql, asked } = here
  await sql(`INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (1, 'canary', '${CANARY}')`)
  await sql(`INSERT INTO wp_options (option_name, option_value, autoload) VALUES ('canary', '${CANARY}', 'no')`)
  const position = { table: 'wp_postmeta', after: null, offset: 0, max_items: 100, max_bytes: 1e6, budget_ms: 4000 }
  const told = await asked('db.tables', {})
  assert.match((await asked('db.rows', position)).text, /"done":true/)
  const options = (JSON.parse(told.text) as { tables: { name: string; create: string; columns: { name: string }[] }[] }).tables.find(
    ({ name }) => name === 'wp_options',
  )
  assert.ok(options)
  const [table, columns, job, fence] = ['wp_options', options.columns.map(({ name }) => name), 'job_canary', 1]
  const values = ['active_plugins', 'canary'].map((name, n) => `(${n + 1},'${name}','${CANARY.replaceAll('"', '\\"')}','no')`)
  const rows = Buffer.from(`INSERT INTO \`wp_options\` (${columns.map((name) => `\`${name}\``).join(',')}) VALUES ${values.join(',')};\n`)
  done(await asked('restore.begin', { job, fence, files: false, tables: [table], extra: [], bytes: rows.length }))
  done(await asked('restore.put', { job, fence, items: [{ q: 0, s: rows.length, o: 0, n: rows.length }] }, rows))
  done(await asked('restore.load', { job, fence, n: 0, table, create: options.create, columns, size: rows.length, budget_ms: 4000 }))
  done(await asked('restore.arm', { job, fence, probe: sha256('probe') }))
  done(await asked('restore.rollback', { job, fence }))
  done(await asked('restore.purge', { job, fence, budget_ms: 4000 }))
  asleep(paired)
}
