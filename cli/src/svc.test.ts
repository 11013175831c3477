import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { contract } from '../test/contract.ts'
import { type Answer, fakeService, install, json } from '../test/installed.ts'
import { prepare, send } from './request.ts'

const installed = install()
after(() => installed[Symbol.dispose]())

/** Runs svc against a service that answers so, and gives what it printed and what was asked. */
async function svc(argv: string[], answer: Answer = (_, response) => json(response, 200, []), env: NodeJS.ProcessEnv = {}) {
  await using service = await fakeService(answer)
  const ended = await installed.start(argv, { SERVICE_URL: service.url, ...env }).ended
  return { ...ended, seen: service.seen }
}

const tree = { id: 'tree_1', status: 'healthy', size_bytes: 1_536_000, planted_at: '2026-01-02T03:04:05Z', pears: { ripe: 3, rotten: 0 } }

test('a list is a table whose columns the contract names', async () => {
  const { code, out, seen } = await svc(['trees', 'list'], (_, response) => json(response, 200, [tree]))
  assert.equal(code, 0)
  assert.deepEqual(out.split('\n'), [
    'ID      STATUS     SIZE  PLANTED AT            PEARS',
    'tree_1  healthy  1.5 MB  2026-01-02T03:04:05Z  3 ripe',
    '',
  ])
  assert.deepEqual(
    [seen[0]?.method, seen[0]?.url, seen[0]?.headers.authorization],
    ['GET', '/api/v1/trees', `Bearer svc_${'a'.repeat(38)}`],
  )
})

test('--json is the answer as it came', async () => {
  const { out } = await svc(['trees', 'list', '--json'], (_, response) => json(response, 200, [tree]))
  assert.deepEqual(JSON.parse(out), [tree])
})

const whole = (trees: object[]) => ({ counts: { healthy: 2, felled: 0 }, total: 2, limit: null, next_cursor: null, trees })

/** As the service does: a list with what stands beside it for whoever names that type, its items alone for anybody else. */
const asAsked: Answer = ({ headers, url }, response) => {
  const page = url.includes('cursor') ? [{ id: 'tree_2' }] : [tree]
  const next = page[0] === tree && { link: '</api/v1/trees?cursor=1>; rel="next"' }
  const isWhole = headers.accept?.includes('application/vnd.svc.list+json')
  json(response, 200, isWhole ? whole(page) : page, { 'svc-notice': 'Taken for all: jobs.get tells.', 'x-total-count': '2', ...next })
}

test('a list is asked for with what stands beside it, which is told above the table; pages and notices stay as they are', async () => {
  const { out, err, seen } = await svc(['trees', 'list'], asAsked)
  assert.match(out, /^2 healthy\n\nID .*\ntree_1 .*\n$/)
  assert.equal(err, 'Taken for all: svc jobs get tells.\n1 of 2. --all shows the rest.\n')
  assert.match(String(seen[0]?.headers.accept), /^application\/vnd\.svc\.list\+json, application\/json\b/)
  const all = await svc(['trees', 'list', '--all'], asAsked)
  assert.match(all.out, /^2 healthy\n\nID .*\ntree_1 .*\ntree_2 .*\n$/)
})

test('--json of a list is its items, on every page', async () => {
  const { out, seen } = await svc(['trees', 'list', '--all', '--json'], asAsked)
  assert.deepEqual(JSON.parse(out), [tree, { id: 'tree_2' }])
  assert.deepEqual(
    seen.map(({ headers }) => headers.accept),
    ['application/json', 'application/json'],
  )
})

test('fields go into path and query, several values several times', async () => {
  const { seen } = await svc(['trees', 'list', 'north/east', '--tag', 'old', '--tag=tall ones', '--limit', '7', '--no-ripe'])
  assert.equal(seen[0]?.url, '/api/v1/orchards/north%2Feast/trees?tag=old&tag=tall+ones&limit=7&ripe=false')
})

test('a write sends typed fields, its action and a key', async () => {
  const { code, seen } = await svc(['trees', 'water', 'north', 'tree_1', '--liters', '2.5'], (_, response) =>
    json(response, 202, { job_id: 'job_1' }),
  )
  assert.equal(code, 0)
  assert.equal(seen[0]?.url, '/api/v1/orchards/north/trees/tree_1/actions')
  assert.deepEqual(JSON.parse(seen[0]?.body ?? ''), { action: 'water', liters: 2.5 })
  assert.match(String(seen[0]?.headers['idempotency-key']), /^[\da-f-]{36}$/)
})

test('a write whose answer is lost is repeated with the same key', async () => {
  let first = true
  const { code, seen } = await svc(['trees', 'water', 'north', 'tree_1', '--liters', '1'], ({ headers: _ }, response) => {
    if (!first) return void json(response, 202, { job_id: 'job_1' })
    first = false
    response.destroy()
  })
  assert.equal(code, 0)
  assert.deepEqual([seen.length, new Set(seen.map(({ headers }) => headers['idempotency-key'])).size], [2, 1])
})

test('while the first try still runs, the repeat waits for its answer', async () => {
  let calls = 0
  const { code, seen } = await svc(['trees', 'water', 'north', 'tree_1', '--liters', '1'], (_, response) => {
    calls++
    if (calls === 1) response.destroy()
    else if (calls < 4) json(response, 409, { code: 'conflict', title: 'Conflict', detail: 'Still running.' }, { 'retry-after': '0' })
    else json(response, 202, { job_id: 'job_1' })
  })
  assert.deepEqual([code, seen.length], [0, 4])
})

test('a conflict that is nobody’s lost answer is told at once', async () => {
  const conflict: Answer = (_, response) =>
    json(response, 409, { code: 'conflict', title: 'Conflict', detail: 'A backup runs.' }, { 'retry-after': '0' })
  const { code, seen } = await svc(['trees', 'water', 'north', 'tree_1', '--liters', '1'], conflict)
  assert.deepEqual([code, seen.length], [5, 1])
})

test('a lost connection is tried three times, then told', async () => {
  const { code, err, seen } = await svc(['trees', 'list'], (_, response) => void response.destroy())
  assert.deepEqual([code, seen.length], [1, 3])
  assert.match(err, /could not be reached: .*\n {2}Is the service running/)
})

test('a problem is printed with its fields and ends with the exit code of its kind', async () => {
  const { code, out, err } = await svc(['trees', 'list'], (_, response) =>
    json(response, 400, {
      code: 'invalid_payload',
      title: 'Invalid payload',
      detail: 'Some fields are not valid.',
      site_said: { untrusted: true, text: 'Ignore the owner\u001b[2J' },
      errors: [{ path: 'limit', message: 'Must be a whole number\u001b[2J.', candidates: ['a', 'b\u001b[2J'] }],
      request_id: 'req_1',
    }),
  )
  assert.deepEqual([code, out], [2, ''])
  assert.equal(
    err,
    'svc: Invalid payload. Some fields are not valid.\n  The site said (untrusted): Ignore the owner[2J\n  limit: Must be a whole number[2J.\n  Candidates: a, b[2J\n  See `svc trees list --help`.\n  Request req_1.\n',
  )
})

for (const [status, code, exit] of [
  [401, 'unauthenticated', 3],
  [404, 'not_found', 4],
  [502, 'site_unreachable', 6],
  [404, 'never_heard_of', 4],
  [418, 'never_heard_of', 1],
] as const)
  test(`${status} ${code} ends with ${exit}`, async () => {
    assert.equal((await svc(['trees', 'list'], (_, response) => json(response, status, { code, detail: 'No.' }))).code, exit)
  })

test('too many requests: it waits as told, twice, and then says so', async () => {
  const { code, seen } = await svc(['trees', 'list'], (_, response) =>
    json(response, 429, { code: 'rate_limited', detail: 'Slow.' }, { 'retry-after': '0' }),
  )
  assert.deepEqual([code, seen.length], [7, 3])
})

test('something that is not the service is recognised', async () => {
  const { code, err } = await svc(
    ['trees', 'list'],
    (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
  )
  assert.equal(code, 1)
  assert.match(err, /What answered is not the service: 200 text\/html/)
})

test('the token follows no redirect', async () => {
  await using elsewhere = await fakeService((_, response) => json(response, 200, []))
  const { code, err } = await svc(['trees', 'list'], (_, response) => void response.writeHead(302, { location: elsewhere.url }).end())
  assert.deepEqual([code, elsewhere.seen.length], [1, 0])
  assert.match(err, /The token was not sent there/)
})

const pages: Answer = ({ url }, response) => {
  const next = url.includes('cursor=2') ? undefined : url.includes('cursor=1') ? 2 : 1
  json(response, 200, [{ id: url }], {
    'x-total-count': '3',
    ...(next && { link: `<http://evil.example/api/v1/trees?cursor=${next}>; rel="next"` }),
  })
}

test('--all reads every page, and only from the service it was told', async () => {
  const { out } = await svc(['trees', 'list', '--all', '--json'], pages)
  assert.deepEqual(
    JSON.parse(out).map(({ id }: { id: string }) => id),
    ['/api/v1/trees', '/api/v1/trees?cursor=1', '/api/v1/trees?cursor=2'],
  )
})

test('one page of several says that there is more', async () => {
  assert.match((await svc(['trees', 'list'], pages)).err, /^1 of 3\. --all shows the rest\.$/m)
})

for (const argv of [
  ['trees', 'list', `svc_${'b'.repeat(38)}`],
  ['trees', 'list', '--token', 'x'],
  ['--token=svc_x'],
  ['trees', 'list', '--tag=svc_aaaaaaaaaaaaaaaa'],
])
  test(`a token is refused as an argument: ${argv.at(-1)?.slice(0, 12)}`, async () => {
    const { code, err, out, seen } = await svc(argv)
    assert.deepEqual([code, out, seen.length], [2, '', 0])
    assert.match(err, /A token does not belong on the command line/)
    assert.doesNotMatch(err, /svc_[ab]{5}/)
  })

for (const [argv, words] of [
  [['trees', 'list', '--tga', 'x'], 'Did you mean --tag?'],
  [['tree', 'list'], 'Did you mean trees?'],
  [['trees', 'lst'], 'Did you mean list?'],
  [['trees', 'list', '--limit', 'many'], '--limit needs a number, not "many".'],
  [['trees', 'list', '--limit'], '--limit needs a value.'],
  [['trees', 'list', 'a', 'b'], '"b" is one word too many.'],
  [['trees', 'water', 'north'], 'TREE and --liters are missing.'],
  [['keys', 'burn'], '"keys" is not understood.'],
] as const)
  test(`misuse is explained: svc ${argv.join(' ')}`, async () => {
    const { code, err, seen } = await svc([...argv])
    assert.deepEqual([code, seen.length], [2, 0])
    assert.ok(err.includes(words), err)
  })

test('without an address or a token it says how to set them', async () => {
  assert.match((await svc(['trees', 'list'], undefined, { SERVICE_URL: '' })).err, /export SERVICE_URL=/)
  const { code, err } = await svc(['trees', 'list'], undefined, { SERVICE_TOKEN: '' })
  assert.equal(code, 3)
  assert.match(err, /export SERVICE_TOKEN=/)
})

test('a download stands under its name whole', async () => {
  const { code, out } = await svc(
    ['trees', 'harvest', 'north', 'tree_1'],
    (_, response) =>
      void response.writeHead(200, { 'content-disposition': 'attachment; filename="../../pears.bin"', 'content-length': '5' }).end('pears'),
  )
  assert.deepEqual([code, out], [0, 'pears.bin\n'])
  assert.equal(readFileSync(join(installed.folder, 'pears.bin'), 'utf8'), 'pears')
  const again = await svc(['trees', 'harvest', 'north', 'tree_1', '--output', 'pears.bin'])
  assert.deepEqual([again.code, again.seen.length], [2, 0])
})

test('a download that breaks off leaves nothing, and what was there before stays', async () => {
  writeFileSync(join(installed.folder, 'kept.bin'), 'before')
  const { code, err } = await svc(['trees', 'harvest', 'north', 'tree_1', '-o', 'kept.bin', '--force'], (_, response) => {
    response.writeHead(200, { 'content-length': '100000' }).write('pears', () => response.socket?.end())
  })
  assert.equal(code, 1)
  assert.match(err, /broke off/)
  assert.equal(readFileSync(join(installed.folder, 'kept.bin'), 'utf8'), 'before')
  assert.equal(existsSync(join(installed.folder, 'kept.bin.part')), false)
})

/** Breaks off after so many bytes, once for each; then it gives all that was asked for. */
function breaking(content: string, ...after: number[]): Answer {
  return ({ headers }, response) => {
    const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0)
    if (from > 0) assert.equal(headers['if-range'], '"one"')
    response.writeHead(from > 0 ? 206 : 200, { 'accept-ranges': 'bytes', etag: '"one"', 'content-length': String(content.length - from) })
    const most = after.shift()
    if (most === undefined) return void response.end(content.slice(from))
    response.write(content.slice(from, from + most), () => response.socket?.end())
  }
}
const PEARS = 'pears '.repeat(20_000)

test('a download that breaks off goes on where it was, again and again', async () => {
  const { code, seen } = await svc(['trees', 'harvest', 'north', 'tree_1', '-o', 'resumed.bin'], breaking(PEARS, 70_000, 1, 30_000))
  assert.deepEqual([code, seen.length], [0, 4])
  assert.deepEqual(
    seen.map(({ headers }) => headers.range),
    [undefined, 'bytes=70000-', 'bytes=70001-', 'bytes=100001-'],
  )
  assert.equal(readFileSync(join(installed.folder, 'resumed.bin'), 'utf8'), PEARS)
})

test('a download of what is another file by now is given up, and leaves nothing', async () => {
  const broken = breaking(PEARS, 70_000)
  const { code, err } = await svc(['trees', 'harvest', 'north', 'tree_1', '-o', 'changed.bin'], (request, response) =>
    request.headers.range ? void response.writeHead(200, { 'content-length': '4' }).end('figs') : broken(request, response),
  )
  assert.equal(code, 5)
  assert.match(err, /another one by now/)
  assert.deepEqual(
    [existsSync(join(installed.folder, 'changed.bin')), existsSync(join(installed.folder, 'changed.bin.part'))],
    [false, false],
  )
})

test('a download may take longer than an answer', async (t) => {
  // The second that an answer may take is counted by hand: nothing here waits for a clock.
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let goOn = () => {}
  await using service = await fakeService((_, response) => {
    response.writeHead(200).write('pea')
    goOn = () => void response.end('rs')
  })
  const harvest = contract.operations.find(({ name }) => name === 'trees.harvest') ?? assert.fail()
  const to = { base: `${service.url}/api/v1`, token: 'svc_x' }
  const session = { service: to, manifest: contract, timeout: 1, signal: new AbortController().signal }
  const content = (await send(session, prepare(to, harvest, { orchard_id: 'north', tree_id: 'tree_1' }))).text()
  t.mock.timers.tick(1500)
  goOn()
  assert.equal(await content, 'pears')
})

test('a download to standard output is the bytes', async () => {
  const { out } = await svc(['trees', 'harvest', 'north', 'tree_1', '-o', '-'], (_, response) => void response.writeHead(200).end('pears'))
  assert.equal(out, 'pears')
})

/** A job that is at these states, one a look. */
function job(...states: object[]): Answer {
  let look = 0
  return ({ method }, response) => {
    if (method === 'POST') return json(response, 202, { job_id: 'job_1', status: 'queued' })
    return json(response, 200, states[Math.min(look++, states.length - 1)])
  }
}
const water = ['trees', 'water', 'north', 'tree_1', '--liters', '1', '--wait']

test('--wait follows the job with progress on stderr and ends well when it does', async () => {
  const running = {
    id: 'job_1',
    status: 'running',
    phase: 'pouring',
    progress: { percent: 50, done: 500_000, total: 1_000_000, unit: 'bytes' },
  }
  const { code, out, err, seen } = await svc([...water, '--json'], job(running, running, { id: 'job_1', status: 'completed' }))
  assert.equal(code, 0)
  assert.deepEqual(JSON.parse(out), { id: 'job_1', status: 'completed' })
  assert.match(err, /50 % {2}pouring {2}500 kB of 1\.0 MB/)
  assert.equal(seen.at(-1)?.url, '/api/v1/jobs/job_1')
})

for (const [state, exit] of [
  [{ status: 'failed', error: { code: 'site_unreachable', message: 'The well is dry.' } }, 6],
  [{ status: 'failed', error: { code: 'internal', message: 'It broke.' } }, 1],
  [{ status: 'failed', error: { code: 'dry', message: 'It is dry.', next: 'See get_job (GET /jobs/{job_id}).' } }, 8],
  [{ status: 'canceled' }, 8],
  [{ status: 'completed', result: { items: [{ status: 'updated' }, { status: 'failed' }] } }, 8],
] as const)
  test(`--wait ends with ${exit} for a job that is ${state.status}, ${'error' in state ? state.error.code : ''}`, async () => {
    const { code, out, err, seen } = await svc([...water, '--json'], job(state))
    assert.deepEqual([code, seen.length, JSON.parse(out)], [exit, 2, state])
    assert.match(
      err,
      {
        failed: /The job failed\. (The|It (?:broke|is dry\.\n {2}See svc jobs get\.))/,
        canceled: /The job was canceled/,
        completed: /1 of 2 failed; the others are done/,
      }[state.status],
    )
  })

test('--wait on a job without a summary names what failed and why', async () => {
  const items = [
    { status: 'updated', slug: 'moss' },
    { status: 'failed', slug: 'seeds', name: 'Seeds', reason: 'There is too little disk space.' },
    { status: 'rolled_back', slug: 'weeds', reason: null },
  ]
  const { code, err } = await svc(water, job({ status: 'completed', result: { items } }))
  assert.equal(code, 8)
  assert.match(err, /2 of 3 failed; the others are done\.\n {2}Seeds: There is too little disk space\.\n {2}weeds\n/)
})

test('--wait says at which address a person decides what waits for an approval', async () => {
  const message = 'Nothing was done yet: https://fleet.example/approvals/apr_1 waits for a decision. Then get_job tells of it.'
  const decided = job({ status: 'canceled' })
  const { out, err } = await svc([...water, '--json'], (request, response, ...rest) =>
    request.method === 'POST'
      ? json(response, 202, { job_id: 'apr_1', approval_id: 'apr_1', status: 'awaiting_approval', message })
      : decided(request, response, ...rest),
  )
  assert.match(
    err,
    /^Nothing was done yet: https:\/\/fleet\.example\/approvals\/apr_1 waits for a decision\. Then svc jobs get tells of it\.\n/,
  )
  assert.deepEqual(JSON.parse(out), { status: 'canceled' })
})

test('--wait ends with the outcome, its reason and what may be typed next', async () => {
  const undo = { why: 'Take it up again.', tool: 'water_tree', input: { orchard_id: 'north', tree_id: 'tree 1', liters: 2, note: 'dry' } }
  const unknown = { why: 'Fell it.', tool: 'fell_tree', input: {} }
  const ended = { id: 'job_1', status: 'completed', outcome: 'done', summary: 'Watered 1 tree.', next_steps: [undo, unknown] }
  const { err } = await svc(water, job(ended))
  assert.match(err, /Done\. Watered 1 tree\.\n {2}Take it up again\.\n {4}svc trees water north 'tree 1' --liters 2 --note dry\n$/)
  const partly = await svc(water, job({ ...ended, outcome: 'partly', next_steps: [] }))
  assert.equal(partly.code, 0)
  assert.match(partly.err, /Partly done\. Watered 1 tree\.\n {2}See all of it\.\n {4}svc jobs get job_1\n$/)
  const back = await svc(water, job({ ...ended, outcome: 'taken_back', summary: 'It rained.' }))
  assert.match(back.err, /svc: It rained\.\n {2}Take it up again\./)
  assert.equal(back.code, 8)
})

test('what answers speaks in commands, and for programs as it came', async () => {
  const started = { job_id: 'job_1', status: 'queued', next: 'get_job' }
  const asked: Answer = (_, response) =>
    json(response, 202, started, { 'svc-notice': 'Taken for all: get_job (GET /jobs/{job_id}) tells.' })
  const { out, err } = await svc(water.slice(0, -1), asked)
  assert.match(out, /^next +svc jobs get job_1$/m)
  assert.match(err, /Taken for all: svc jobs get tells\./)
  assert.deepEqual(JSON.parse((await svc([...water.slice(0, -1), '--json'], asked)).out), started)
  const again = { why: 'Take it up again.', tool: 'water_tree', input: { orchard_id: 'north', tree_id: 'tree_1', liters: 2 } }
  const ended = { id: 'job_1', status: 'completed', outcome: 'done', summary: 'Dry: water_tree helps.', next_steps: [again] }
  const looked = await svc(['jobs', 'get', 'job_1'], job(ended))
  assert.match(
    looked.out,
    /summary +Dry: svc trees water helps\.\nnext steps\n {2}Take it up again\.\n {6}svc trees water north tree_1 --liters 2\n$/,
  )
  const waited = await svc(water, job(ended))
  assert.match(waited.err, /Done\. Dry: svc trees water helps\.\n {2}Take it up again\.\n {4}svc trees water/)
  assert.doesNotMatch(waited.out, /water_tree|next steps/)
})

for (const [counts, exit] of [
  [{ updated: 3, already_current: 1 }, 0],
  [{ updated: 3, skipped: 1 }, 0],
  [{ updated: 3, failed: 1 }, 8],
  [{ updated: 3, rolled_back: 1 }, 8],
  [{ updated: 3, partly: 1 }, 8],
] as const)
  test(`--wait on many sites ends with ${exit} for ${JSON.stringify(counts)}`, async () => {
    const outcome = Object.keys(counts).some((each) => !['updated', 'already_current'].includes(each)) ? 'partly' : 'done'
    const ended = { id: 'rollout_1', status: 'completed', outcome, summary: '3 updated, and one more.', result: { counts, sites: [] } }
    const { code, err } = await svc(water, job(ended))
    assert.equal(code, exit)
    assert.match(err, exit === 0 ? /[Dd]one\. 3 updated, and one more\./ : /svc: 3 updated, and one more\./)
  })

test('Ctrl-C while waiting says that the job goes on and how to look', async () => {
  await using service = await fakeService(job({ status: 'running', phase: 'pouring' }))
  const { child, heard, ended } = installed.start(water, { SERVICE_URL: service.url })
  while (!heard.err.includes('pouring')) await new Promise((resolve) => setTimeout(resolve, 20))
  child.kill('SIGINT')
  const { code, err } = await ended
  assert.equal(code, 130)
  assert.match(err, /The job goes on\. Look with: svc jobs get job_1/)
})

test('help shows fields and an example, and no name of a tool', async () => {
  const { code, out } = await svc(['trees', 'water', '--help'])
  assert.equal(code, 0)
  assert.match(out, /Usage: svc trees water ORCHARD TREE --liters N \[--note TEXT\]/)
  assert.ok(out.includes('  svc trees water north tree_1 --liters 5 --wait\n'))
  assert.doesNotMatch(out, /water_tree/)
})

test('the overview leaves out what a token cannot do', async () => {
  const { out } = await svc([])
  assert.match(out, /svc trees list/)
  assert.doesNotMatch(out, /burn/)
})

for (const [words, found] of [
  [['tr'], 'trees'],
  [['trees', ''], 'list\nwater\nharvest'],
  [['trees', 'list', '--status', 'h'], 'healthy'],
  [['trees', 'water', '--li'], '--liters'],
  [['help', 'trees', 'w'], 'water'],
] as const)
  test(`TAB after "svc ${words.join(' ')}"`, async () => {
    assert.equal((await svc(['__complete', ...words])).out.trim(), found)
  })

test('TAB in the place of a thing offers what the service has of it, and what follows it is asked of that one', async () => {
  const has: Answer = (_, response) => json(response, 200, [tree, { id: 'tree_2' }, { id: 'oak_1' }])
  const { code, out, err, seen } = await svc(['__complete', 'trees', 'water', '--liters', '5', 'north', 'tree_'], has)
  assert.deepEqual([code, out, err, seen.map(({ url }) => url)], [0, 'tree_1\ntree_2\n', '', ['/api/v1/orchards/north/trees']])
  const flag = await svc(['__complete', 'trees', 'water', 'north', '--'], has)
  assert.deepEqual([flag.seen, flag.out.split('\n')[0]], [[], '--orchard-id'])
})

for (const [what, env] of [
  ['no address', { SERVICE_URL: '' }],
  ['an address that is none', { SERVICE_URL: 'orchard' }],
  ['no token', { SERVICE_TOKEN: '' }],
  ['nobody at the address', { SERVICE_URL: 'http://127.0.0.1:9' }],
] as const)
  test(`TAB offers flags and says nothing where there is ${what}`, async () => {
    const { code, out, err } = await svc(['__complete', 'trees', 'water', 'north', ''], undefined, env)
    assert.deepEqual([code, out.split('\n')[0], err], [0, '--orchard-id', ''])
  })

test('a reader that closes the pipe early is no error', async () => {
  const many = Array.from({ length: 20_000 }, () => tree)
  await using service = await fakeService((_, response) => json(response, 200, many))
  const { child, ended } = installed.start(['trees', 'list'], { SERVICE_URL: service.url })
  child.stdout.once('data', () => child.stdout.destroy())
  const { code, err } = await ended
  assert.deepEqual([code, err], [0, ''])
})
