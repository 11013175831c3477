// Backups of a 1 GB site through a real WordPress, beside restic, borg and tar+zstd on the same folder, in one run.
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { run } from '../../demo/npm.ts'
import { ensurePackages } from '../../e2e/native/debian.ts'
import { HOSTS, type Host } from '../../server/test/hosts.ts'
import { changeSilently, digestTree, makeTree, mutateTree } from '../../server/test/tree.ts'
import { type Estate, openEstate } from './estate.ts'
import { type Measured, type OurRun, report } from './outcome.ts'
import { RIVAL_PACKAGES, type Rival, rivals } from './rivals.ts'

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '3' },
    mb: { type: 'string', default: '1003' },
    host: { type: 'string', default: 'ordinary' },
    only: { type: 'string' },
  },
})
// PHP takes its memory in pieces of 2 MiB: on a virtual machine a page fault can be dear, and a request of PHP begins with no memory of its own.
process.env['USE_ZEND_ALLOC_HUGE_PAGES'] ??= '1'
// What the service's process is started with is not for the others.
for (const name of Object.keys(process.env)) if (name.startsWith('MALLOC_')) delete process.env[name]
const megabytes = Number(values.mb)
const host: Host = values.host in HOSTS ? (values.host as Host) : 'ordinary'
const quiet = values.only === 'ours'
const say = (words: string) => process.stderr.write(`${words}\n`)

await ensurePackages()
await ensurePackages(RIVAL_PACKAGES)
const folder = await mkdtemp(join(tmpdir(), 'svc-bench-backups-'))
const pristine = join(folder, 'pristine')
try {
  say(`Making a tree of ${megabytes} MB …`)
  await mkdir(pristine)
  await makeTree(pristine, megabytes)
  const runs: OurRun[] = []
  for (let n = 1; n <= Number(values.runs); n++) runs.push(await oneRun(n))
  const missed = report(runs, { megabytes, host, tree: await digestTree(pristine) })
  process.exitCode = missed.length > 0 ? 1 : 0
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function oneRun(n: number): Promise<OurRun> {
  say(`Run ${n}: a service, a WordPress, the tree …`)
  const estate = await openEstate(join(folder, `estate-${n}`), host)
  const rivalFolder = join(folder, `rivals-${n}`)
  try {
    const tree = join(estate.root, 'wp-content/yardstick')
    await cp(pristine, tree, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
    await run('chown', ['-R', '-h', 'www-data:', tree])
    await warm(estate.root)
    const others = quiet ? [] : rivals(rivalFolder, estate.root)
    for (const rival of others) await rival.prepare()
    return await measure(estate, tree, others, rivalFolder)
  } finally {
    await estate.close()
    await rm(rivalFolder, { recursive: true, force: true })
  }
}

async function measure(estate: Estate, tree: string, others: Rival[], spare: string): Promise<OurRun> {
  const full = await step('full', estate, others)
  const none = [
    await step(
      'no change',
      estate,
      others.filter(({ incremental }) => incremental),
    ),
  ]
  const { silent } = await mutateTree(tree, megabytes, 1)
  // What did not change keeps its ctime too.
  await run('find', [tree, '!', '-user', 'www-data', '-exec', 'chown', '-h', 'www-data:', '{}', '+'])
  await warm(estate.root)
  const day = await step('day 1', estate, others)
  // The seventh run after a full one reads all files again.
  for (let i = 0; i < 4; i++) none.push(await step('no change', estate, []))
  await changeSilently(join(tree, silent))
  const again = await step('read again', estate, [])
  const before = await digestTree(tree)
  await rm(tree, { recursive: true })
  say('  restore')
  const ours = await estate.restore(again.ours.result.backup_id)
  const same = (await digestTree(tree)).digest === before.digest
  const restored: Measured = { ours, others: [] }
  for (const rival of others) {
    const into = join(spare, 'restored')
    await mkdir(into, { recursive: true })
    restored.others.push({ name: rival.name, ...(await rival.restore(into)) })
    await rm(into, { recursive: true })
  }
  return { full, none, day, again, restored, same }
}

async function step(name: string, estate: Estate, others: Rival[]): Promise<Measured> {
  say(`  ${name}`)
  const ours = await estate.backUp()
  const measured: Measured = { ours, others: [] }
  for (const rival of others) measured.others.push({ name: rival.name, ...(await rival.backUp()) })
  return measured
}

/** Everybody reads from memory. */
async function warm(root: string): Promise<void> {
  await run('bash', ['-c', 'tar -cf - "$1" | cat >/dev/null; sync', 'bench', root])
}
