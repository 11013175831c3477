// What the service answers is printed with commands where it names tools, operations and routes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failureOfJob, type Job, nextCommands } from './follow.ts'
import { loadManifest } from './manifest.ts'
import { inOwnWords, ownWords } from './own-words.ts'
import { show } from './show.ts'
import { fold, widthOf } from './text.ts'

const manifest = loadManifest()
const called = (name: string) => manifest.operations.find((each) => each.name === name) ?? assert.fail(name)
const toolName = new RegExp(`\\b(?:${manifest.operations.flatMap(({ tool }) => tool ?? []).join('|')})\\b`)
const route = /\b(?:GET|POST|DELETE) \//

/** What `svc` prints of this answer to this command, on 80 columns. */
function printed(name: string, answer: unknown): string {
  const lines: string[] = []
  const here = { width: 80, errWidth: 80, colour: false, live: false, watched: true, now: () => new Date('2026-05-01T12:00:00Z') }
  const entry = called(name)
  show({ ...here, out: (line) => void lines.push(line), err() {} }, entry, inOwnWords(manifest, entry, answer))
  return lines.join('\n')
}

const id = 'job_01k0000000000000000000000a'
const backup_id = 'backup_01k0000000000000000000000b'
const started = { job_id: id, status: 'queued', poll_after_s: 2, next: 'get_job' }
const nextSteps = [
  {
    why: 'Put the database back as well: list_backups (GET /sites/{site_id}/backups) shows it.',
    tool: 'restore_backup',
    input: { site_id: 'a-rather-long-name.example.com', backup_id, type: 'db', dry_run: true },
  },
  { why: 'Look for its PHP errors.', tool: 'get_errors', input: { site_id: 'example.com', since: '2026-05-01T11:00:00Z' } },
]
const ended = {
  id,
  job_id: id,
  type: 'update',
  site_id: 'site_01k0000000000000000000000c',
  status: 'failed',
  outcome: 'failed',
  summary: 'Nothing of the database was put back by itself: restore_backup does.',
  input: { site_id: 'example.com' },
  error: {
    code: 'site_failed',
    message: 'The site failed. get_site (GET /sites/{site_id}) tells what stood in the way last.',
    retryable: false,
    site_said: { untrusted: true, text: 'Call to undefined function get_site() in wp-content' },
  },
  next_steps: nextSteps,
}
const awaiting = {
  status: 'awaiting_approval',
  approval_id: 'apr_01k0000000000000000000000d',
  job_id: 'apr_01k0000000000000000000000d',
  expires_at: '2026-05-02T12:00:00Z',
  poll_after_s: 60,
  next: 'get_job',
  message: 'Once it is approved it is done by itself, exactly as asked; get_job with this job_id tells of it.',
}
const item = { slug: 'tide', status: 'failed', reason: 'GET /rollouts shows it, updates.rules (GET /updates/rules) says why.' }

const answers: [string, unknown][] = [
  ['backups.create', { ...started, backup_id, type: 'full', total: null, skipped: null }],
  ['backups.create', awaiting],
  ['restores.create', { ...started, dry_run: false, plan: null }],
  ['rollouts.start', { ...started, items: [item] }],
  ['jobs.get', ended],
  ['jobs.list', [{ ...ended, next_steps: null }]],
  ['jobs.cancel', ended],
  [
    'sites.get',
    { id: 'site_1', connection: { last_error: { reason: 'slow', message: 'Slow.', next: 'Ask get_job (GET /jobs/{job_id}).' } } },
  ],
]

for (const [name, answer] of answers)
  test(`what ${name} answers is printed with neither a tool's name nor a route: ${JSON.stringify(answer).slice(0, 60)}`, () => {
    const text = printed(name, answer).replace(/site said|Call to undefined function get_site\(\)/g, '')
    assert.doesNotMatch(text, toolName)
    assert.doesNotMatch(text, route)
    // A table says below it what it has no room for; a line that cannot be broken is a word.
    for (const line of text.split('\n')) assert.ok(widthOf(line) <= 80, line)
  })

test('what comes next is a command that can be typed as it stands', () => {
  assert.match(printed('backups.create', started), new RegExp(`^next +svc jobs get ${id}$`, 'm'))
  assert.match(printed('backups.create', awaiting), /^next +svc jobs get apr_01k0000000000000000000000d$/m)
  const lines = printed('jobs.get', ended)
  const said = `next steps
  Put the database back as well: svc backups list shows it.
      svc restores create a-rather-long-name.example.com \\
        ${backup_id} --type db --dry-run
  Look for its PHP errors.
      svc errors list example.com --since 2026-05-01T11:00:00Z`
  assert.ok(lines.endsWith(said), lines)
})

test('the end of what was waited for speaks as its record does', () => {
  const told = inOwnWords(manifest, called('jobs.get'), ended) as Job
  const failure = failureOfJob(manifest, told) ?? assert.fail()
  const text = fold([failure.message, ...failure.details.slice(1), ...nextCommands(manifest, id, told)].join('\n'), 80)
  assert.match(text, /svc sites get tells what stood in the way last/)
  assert.match(text, /svc restores create a-rather-long-name\.example\.com/)
  assert.doesNotMatch(text, toolName)
  assert.doesNotMatch(text, route)
})

test('what a site said, and what was sent to it, stays as it is', () => {
  assert.match(printed('jobs.get', ended), /Call to undefined function get_site\(\)/)
  assert.match(printed('errors.list', [{ message: 'Call to undefined function get_site()', level: 'fatal' }]), /get_site\(\)/)
  assert.match(printed('jobs.get', { ...ended, input: { note: 'as get_job said' } }), /as get_job said/)
})

test('a name stands once, with its route or without', () => {
  assert.equal(ownWords(manifest, 'list_sites (GET /sites) shows them.'), 'svc sites list shows them.')
  assert.equal(ownWords(manifest, 'notifications.channels (GET /notifications/channels) has it.'), 'svc notifications channels has it.')
  assert.equal(
    ownWords(manifest, 'GET /rollouts/{rollout_id} tells; www.example.com does not.'),
    'svc rollouts get tells; www.example.com does not.',
  )
})
