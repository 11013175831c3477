// Knocking at the connector of a native site as a stranger does, and seeing whether anything came of it.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../../demo/npm.ts'
import { DOORS, type Door, doorUrl, MODES, type Mode } from '../../server/src/connector/doors.ts'
import { frameRequest, unframeResponse } from '../../server/src/connector/envelope.ts'
import { type Answer, visit } from '../visitor.ts'
import type { Fleet, NativeSite } from './fleet.ts'
import { query } from './mariadb.ts'
import { differing } from './site-state.ts'

export interface Message {
  headers?: Record<string, string>
  body?: Buffer | string
  /** Added to the query of the door. */
  more?: string
}

/** One request; nothing is followed. */
export async function send(
  url: string,
  { headers = {}, body }: Message = {},
  method = body === undefined ? 'GET' : 'POST',
): Promise<Answer> {
  const payload = body === undefined ? {} : { body: new Uint8Array(Buffer.from(body)) }
  return visit(url, { method, headers, ...payload })
}

export async function knock({ url }: NativeSite, door: Door, mode: Mode, { headers = {}, body = '', more = '' }: Message): Promise<Answer> {
  const address = doorUrl({ url, home: url }, door)
  const at = `${address}${more && `${address.includes('?') ? '&' : '?'}${more}`}`
  if (mode === 'headers') return send(at, { headers, body })
  const answer = await send(at, {
    headers: { 'content-type': 'application/json' },
    body: frameRequest({ headers, body: Buffer.from(body) }),
  })
  return { ...answer, text: unframeResponse(Buffer.from(answer.text), 1e6)?.body.toString() ?? answer.text }
}

/** At every door in both modes. */
export const knockEverywhere = (site: NativeSite, message: Message): Promise<Answer[]> =>
  Promise.all(DOORS.flatMap((door) => MODES.map((mode) => knock(site, door, mode, message))))

/**
 * Does what an attacker does; then no file, no row and no option is another, nobody is let in, and no code of a stranger has run.
 * `signed`: some of it had the signature of the service, so the connector's own table may remember it.
 */
export async function unharmed(fleet: Fleet, site: NativeSite, attack: () => Promise<Answer[]>, signed = false): Promise<Answer[]> {
  // What a restore left to the next visitor is no effect of an attack.
  if (existsSync(join(site.dir, 'wp-content/svc-connector-work/page-caches'))) await send(`${site.url}/`)
  const was = await sightOf(fleet, site, signed)
  const answers = await attack()
  assert.ok(answers.length > 0)
  for (const { headers, text } of answers) {
    assert.doesNotMatch(headers['set-cookie'] ?? '', /wordpress_(logged_in|sec)_[0-9a-f]+=[^;]{20}/, 'nobody is let in')
    assert.doesNotMatch(text, /DB_PASSWORD|root:x:0/, 'no file is shown')
  }
  assert.deepEqual(differing(was, await sightOf(fleet, site, signed)), [])
  return answers
}

/** Traces that a canary left. */
export const traces = ({ dir }: NativeSite): string[] => ['object-made', 'file-run'].filter((name) => existsSync(join(dir, '../tmp', name)))

/** Every name with size, mode and time; every table and option. What WordPress writes at any visit is left out. */
async function sightOf(fleet: Fleet, site: NativeSite, signed: boolean): Promise<Record<string, string>> {
  const found: Record<string, string> = { traces: traces(site).join(' ') }
  const files = await run(
    'find',
    ['.', '..', '-maxdepth', '9', '-path', '../log', '-prune', '-o', '-path', '../tmp', '-prune', '-o', '-printf', '%p\t%y %m %s %T@\n'],
    {
      cwd: site.dir,
    },
  )
  const options = `SELECT concat('option ', option_name), md5(concat(option_value, autoload)) FROM wp_options
    WHERE option_name NOT LIKE '%transient%' AND option_name NOT IN ('cron','rewrite_rules','recovery_keys','recovery_mode_email_last_sent','svc_connector_seen','finished_updating_comment_type')`
  const database = site.database ?? ''
  const left = ['wp_options', ...(signed ? ['wp_svc_connector'] : [])]
  const tables = (await query(fleet.dir, database, 'SHOW TABLES'))
    .trim()
    .split('\n')
    .filter((name) => !left.includes(name))
  const rows = await query(fleet.dir, database, `${options}; CHECKSUM TABLE ${tables.join(', ')}`)
  for (const line of [...files.split('\n'), ...rows.split('\n')]) {
    const [name = '', ...what] = line.split('\t')
    if (name !== '' && name !== '..') found[name] = what.join(' ')
  }
  return found
}
