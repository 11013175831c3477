// PHP errors of a real WordPress, met by visitors, read through the service and by an agent.
import assert from 'node:assert/strict'
import { chown, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { CONNECTOR } from '../guest.ts'
import { type House, openHouse } from '../house.ts'
import { visit } from '../visitor.ts'
import { dropIns } from './errors/drop-ins.ts'
import { type Fleet, type NativeSite, startFleet } from './fleet.ts'
import { connectAll, type Managed } from './managed.ts'

interface PhpError {
  id: string
  level: string
  message: string
  file: string
  count: number
  component: { type: string; slug: string; version: string | null }
  status: string
  regressed_at: string | null
}

const FAULTS = join(import.meta.dirname, 'errors/harbour-faults.php')

/** Soon at its end. */
const little = { memory_limit: '64M' }
let house: House
let fleet: Fleet
let all: Managed[]
let one: Managed

before(async () => {
  house = await openHouse({ SERVICE_LIVE_LOOK_SECONDS: '0' })
  fleet = await startFleet(
    [
      { wp: '7.1.1', db: 'mariadb', php: little },
      { wp: '6.1.9', db: 'mariadb' },
      { wp: '7.1.1', db: 'sqlite' },
      { wp: '7.1.1', db: 'mariadb', constants: { SVC_CONNECTOR_ERRORS: false } },
    ],
    { plugins: [CONNECTOR] },
  )
  for (const { content, wpCli } of fleet.sites) {
    await put(join(content, 'plugins/harbour-faults.php'), await readFile(FAULTS, 'utf8'), content)
    await wpCli(['plugin', 'activate', 'harbour-faults'])
  }
  all = await connectAll(house, fleet)
  const [first] = all
  assert.ok(first)
  one = first
  for (const { site } of all) await house.ask('GET', `/sites/${site.id}/inventory`)
})
after(async () => {
  await fleet?.stop()
  await house?.close()
})

/** As the site's own PHP would have written it. */
async function put(path: string, text: string, like: string): Promise<void> {
  await writeFile(path, text)
  const { uid, gid } = await stat(like)
  await chown(path, uid, gid)
}

const meet = (native: NativeSite, fault: string, form?: Record<string, string>) =>
  visit(`${native.url}/?fault=${fault}`, form && { method: 'POST', body: new URLSearchParams(form) })

/** Asks the site, and answers what is open. */
async function errorsOf({ site }: Managed): Promise<PhpError[]> {
  await house.ask('POST', `/sites/${site.id}/errors/collect`)
  return house.ask<PhpError[]>('GET', `/sites/${site.id}/errors`)
}
const of = (errors: PhpError[], words: string) => errors.find(({ message }) => message.includes(words))

test('what a visitor meets is told with the plugin named, on every kind of site', async () => {
  for (const each of all.slice(0, 3)) {
    for (let visits = 0; visits < 3; visits++) assert.equal((await meet(each.native, 'warning')).status, 200)
    assert.equal((await meet(each.native, 'call')).status, 500)
    assert.equal((await meet(each.native, 'core')).status, 500)
    const errors = await errorsOf(each)
    assert.partialDeepStrictEqual(of(errors, 'Undefined variable $harbour_undefined'), {
      level: 'warning',
      count: 3,
      file: 'wp-content/plugins/harbour-faults.php',
      component: { type: 'plugin', slug: 'harbour-faults', version: '2.4.0' },
    })
    assert.partialDeepStrictEqual(of(errors, 'harbour_no_such_function'), {
      level: 'fatal',
      count: 1,
      component: { slug: 'harbour-faults' },
    })
    assert.deepEqual(errors[0]?.level, 'fatal', 'the worst stands first')
  }
})

test('an agent reads it, and the summary of the site counts it', async () => {
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'get_errors', arguments: { site_id: one.site.id, level: 'fatal' } },
  }
  const answer = await fetch(`${house.url}/api/mcp`, {
    method: 'POST',
    headers: { authorization: `Bearer ${house.reader}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify(call),
  })
  const { result } = (await answer.json()) as { result: { structuredContent: { errors: PhpError[]; counts: { fatal: number } } } }
  assert.ok(of(result.structuredContent.errors, 'harbour_no_such_function'))
  const { php_errors } = await house.ask<{ php_errors: { open: number; fatal: number } }>('GET', `/sites/${one.site.id}`)
  assert.equal(php_errors.fatal, result.structuredContent.counts.fatal)
})

test('what the visitor sent is neither told nor kept on the site', async () => {
  const word = 'correct-horse-battery'
  await meet(one.native, 'secret', { user: 'annabelle', word })
  const work = join(one.native.content, 'svc-connector-work')
  const files = (await readdir(work, { recursive: true })).filter((name) => name.endsWith('.php'))
  const kept = (await Promise.all(files.map((name) => readFile(join(work, name), 'utf8')))).join('\n')
  assert.match(kept, /Harbour does not know/)
  const told = of(await errorsOf(one), 'Harbour does not know')
  assert.equal(told?.message, 'Uncaught RuntimeException: Harbour does not know [input] with [input], write to [email]')
  const whole = await house.ask<object>('GET', `/sites/${one.site.id}/errors/${told?.id}`)
  for (const text of [kept, JSON.stringify(whole)])
    for (const secret of [word, 'annabelle', 'captain@']) assert.ok(!text.includes(secret), secret)
})

test('memory that runs out, and a page that a drop-in prints before it ends everything', async () => {
  for (const [name, text] of Object.entries(dropIns)) {
    await put(join(one.native.content, name), text, one.native.content)
    for (const fault of ['memory', 'call']) {
      const answer = await meet(one.native, fault)
      assert.deepEqual([answer.status, answer.text], [500, 'the drop-in'], `${name}: ${fault}`)
    }
    await rm(join(one.native.content, name))
  }
  const errors = await errorsOf(one)
  assert.partialDeepStrictEqual(of(errors, 'Allowed memory size'), { level: 'fatal', count: 2, component: { slug: 'harbour-faults' } })
  assert.partialDeepStrictEqual(of(errors, 'harbour_no_such_function'), { count: 3 })
})

test('an error that was resolved comes back as a regression', async () => {
  const error = of(await errorsOf(one), 'harbour_no_such_function')
  await house.ask('POST', `/sites/${one.site.id}/errors/${error?.id}/resolve`, {})
  const after = await errorsOf(one)
  assert.equal(of(after, 'harbour_no_such_function'), undefined, JSON.stringify([error, after]))
  // Times of a site are in seconds.
  await new Promise((later) => setTimeout(later, 1_100))
  await meet(one.native, 'call')
  const again = of(await errorsOf(one), 'harbour_no_such_function')
  assert.deepEqual([again?.id, again?.status, again?.count], [error?.id, 'open', (error?.count ?? 0) + 1])
  assert.notEqual(again?.regressed_at, null)
})

test('a plugin that breaks every page while it loads is named', async () => {
  const file = join(one.native.content, 'plugins/harbour-faults.php')
  const was = await readFile(file, 'utf8')
  await put(file, was.replace('add_action(', 'harbour_gone_at_load();\nadd_action('), one.native.content)
  assert.equal((await visit(one.native.url)).status, 500)
  assert.partialDeepStrictEqual(of(await errorsOf(one), 'harbour_gone_at_load'), { level: 'fatal', component: { slug: 'harbour-faults' } })
  await put(file, was, one.native.content)
  assert.equal((await visit(one.native.url)).status, 200)
})

test('a must-use plugin that shuts WordPress is found in the log, beside WordPress', async () => {
  const config = join(one.native.dir, 'wp-config.php')
  const was = await readFile(config, 'utf8')
  const broken = join(one.native.content, 'mu-plugins/harbour-broken.php')
  await put(
    config,
    was.replace(/^<\?php/, "<?php\ndefine( 'WP_DEBUG', true );\ndefine( 'WP_DEBUG_LOG', true );\ndefine( 'WP_DEBUG_DISPLAY', false );"),
    one.native.dir,
  )
  await put(broken, '<?php harbour_no_mu_function();', one.native.content)
  assert.ok((await visit(one.native.url)).status >= 500)
  const errors = await errorsOf(one)
  await rm(broken)
  await put(config, was, one.native.dir)
  assert.partialDeepStrictEqual(of(errors, 'harbour_no_mu_function'), {
    level: 'fatal',
    file: 'wp-content/mu-plugins/harbour-broken.php',
    component: { type: 'mu_plugin', slug: 'harbour-broken' },
  })
})

test('a must-use plugin that fails while it loads is seen where there is no log, by a file that goes with the connection', async () => {
  const each = all[2]
  assert.ok(each)
  const folder = join(each.native.content, 'mu-plugins')
  assert.ok((await readdir(folder)).includes('000-svc-connector-watch.php'))
  const broken = join(folder, 'harbour-broken.php')
  await put(broken, '<?php harbour_no_mu_function();', each.native.content)
  assert.ok((await visit(each.native.url)).status >= 500)
  await put(broken, '<?php echo $harbour_in_mu;', each.native.content)
  assert.equal((await visit(each.native.url)).status, 200)
  await rm(broken)
  // As of a host that shows it to nobody.
  await rm(join(each.native.dir, '../log/php.log'), { force: true })
  const errors = await errorsOf(each)
  const component = { type: 'mu_plugin', slug: 'harbour-broken' }
  assert.partialDeepStrictEqual(of(errors, 'harbour_no_mu_function'), { level: 'fatal', count: 1, component })
  assert.partialDeepStrictEqual(of(errors, 'Undefined variable $harbour_in_mu'), { level: 'warning', count: 1, component })
  const { items } = await house.ask<{ items: { slug: string }[] }>('GET', `/sites/${each.site.id}/inventory`)
  assert.ok(!items.some(({ slug }) => slug.startsWith('000-svc-connector')))
  await each.native.wpCli(['plugin', 'deactivate', 'svc-connector'])
  assert.ok(!(await readdir(folder)).includes('000-svc-connector-watch.php'))
})

test('where errors may not be seen as they happen the log is read, and a flood of them is counted as one', async () => {
  const off = all[3]
  assert.ok(off)
  await meet(off.native, 'call')
  assert.ok(of(await errorsOf(off), 'harbour_no_such_function'), 'it stands in the log of the site')
  assert.equal((await meet(one.native, 'flood')).status, 200)
  assert.ok(of(await errorsOf(one), 'Undefined variable $harbour_flood'))
})

test('a page that dies of memory, or that a drop-in ends, is seen each time', async () => {
  const { content } = one.native
  const countOf = async (words: string) => of(await errorsOf(one), words)?.count ?? 0
  const before = { memory: await countOf('Allowed memory size'), call: await countOf('harbour_no_such_function') }
  for (let visits = 0; visits < 3; visits++) assert.equal((await meet(one.native, 'memory')).status, 500)
  for (const [name, text] of Object.entries(dropIns)) {
    await put(join(content, name), text, content)
    for (let visits = 0; visits < 3; visits++) assert.equal((await meet(one.native, 'call')).status, 500)
    await rm(join(content, name))
  }
  assert.equal((await countOf('Allowed memory size')) - before.memory, 3)
  assert.equal((await countOf('harbour_no_such_function')) - before.call, 6)
})

test('what is kept cannot be fetched by its address, and goes with the connection', async () => {
  await meet(one.native, 'warning')
  const work = join(one.native.content, 'svc-connector-work')
  const files = (await readdir(work, { recursive: true })).filter((name) => /^\.errors-.*\/[0-9a-f]{32}\.php$/.test(name))
  assert.ok(files.length > 0)
  for (const file of files)
    assert.doesNotMatch(await (await fetch(`${one.native.url}/wp-content/svc-connector-work/${file}`)).text(), /harbour/)
  await one.native.wpCli(['svc-connector', 'disconnect'])
  assert.deepEqual(
    (await readdir(work)).filter((name) => name.startsWith('.errors-')),
    [],
  )
})
