import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { createLog } from './log.ts'
import { openDatabase } from './open-database.ts'

const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-elsewhere-'))
after(() => fs.rmSync(dataDir, { recursive: true, force: true }))
const log = createLog({ level: 'silent', to: 'stderr' })
const open = (url: string | undefined, role: 'service' | 'command') => openDatabase({ url, dataDir, role, log })

test('where a service has its database elsewhere, nobody makes a second, empty one; the sentence names the setting, and no password', async () => {
  await open('postgres://fleet:hunter2@db.example.org:5433/fleet?sslmode=require', 'service')
  for (const role of ['command', 'service'] as const)
    await assert.rejects(open(undefined, role), ({ name, message }: Error) => {
      assert.equal(name, 'Refusal')
      assert.match(message, /has its database at db\.example\.org:5433\/fleet: set DATABASE_URL as the service has it/)
      assert.ok(message.includes(path.join(dataDir, 'database-elsewhere')))
      return true
    })
  assert.deepEqual(fs.readdirSync(dataDir), ['database-elsewhere'], 'nothing else was made')
  assert.ok(!fs.readFileSync(path.join(dataDir, 'database-elsewhere'), 'utf8').includes('hunter2'))
})

test('a command beside another database leaves no word of it', async () => {
  const file = path.join(dataDir, 'database-elsewhere')
  fs.rmSync(file)
  await open('postgres://db.example.org/fleet', 'command')
  assert.equal(fs.existsSync(file), false)
})

test('a data directory that is made by the first start has the word of where the database is', async () => {
  const made = path.join(dataDir, 'made', 'data')
  await openDatabase({ url: 'postgres://db.example.org/fleet', dataDir: made, role: 'service', log })
  assert.equal(fs.readFileSync(path.join(made, 'database-elsewhere'), 'utf8'), 'db.example.org/fleet\n')
  assert.equal(fs.statSync(made).mode & 0o777, 0o700)
})

const bad = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-unusable-'))
after(() => fs.rmSync(bad, { recursive: true, force: true }))
fs.writeFileSync(path.join(bad, 'file'), '')
fs.mkdirSync(path.join(bad, 'taken', 'database-elsewhere'), { recursive: true })

for (const [what, unusable, urls] of [
  ['where the kernel makes no folders', '/proc/svc/data', [undefined, 'postgres://db.example.org/fleet']],
  ['below a file', path.join(bad, 'file', 'data'), [undefined, 'postgres://db.example.org/fleet']],
  ['in which the word of the database cannot be written', path.join(bad, 'taken'), ['postgres://db.example.org/fleet']],
] as const)
  for (const url of urls)
    test(`a data directory ${what} is refused at once, with the setting, ${url ? 'beside another database' : 'for one of its own'}`, async () => {
      const opening = openDatabase({ url, dataDir: unusable, role: 'service', log })
      await assert.rejects(opening, ({ name, message }: Error) => {
        assert.equal(name, 'Refusal')
        assert.ok(message.startsWith(`SERVICE_DATA_DIR: the data directory ${unusable} cannot be used: E`), message)
        return true
      })
    })
