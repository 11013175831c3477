// The samples that operators copy are what their programs take, where those are at hand.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { selfSigned } from '../server/test/self-signed.ts'

const samples = join(import.meta.dirname, '../docs/samples')
const dir = mkdtempSync(join(tmpdir(), 'svc-samples-'))
after(() => rmSync(dir, { recursive: true, force: true }))
const at = (...places: string[]) => places.find((place) => existsSync(place))

const nginx = at('/usr/sbin/nginx', '/usr/bin/nginx')
test('nginx takes the sample', { skip: nginx === undefined && 'no nginx here' }, () => {
  const { cert, key } = selfSigned('fleet.example.org')
  writeFileSync(join(dir, 'fullchain.pem'), cert)
  writeFileSync(join(dir, 'privkey.pem'), key)
  const sample = readFileSync(join(samples, 'nginx.conf'), 'utf8').replaceAll('/etc/ssl/fleet', dir)
  mkdirSync(join(dir, 'logs'), { recursive: true })
  writeFileSync(
    join(dir, 'nginx.conf'),
    `pid ${dir}/pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${dir}/${name};`).join('\n')}\n${sample}\n}\n`,
  )
  const { status, stderr } = spawnSync(nginx ?? '', ['-t', '-q', '-p', dir, '-c', join(dir, 'nginx.conf')], { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  assert.doesNotMatch(stderr, /\[(?:warn|error|emerg)\] (?!.*the "user" directive)/)
})

const systemd = at('/usr/bin/systemd-analyze')
test('systemd takes the unit, and would keep the service from everything but its own data', {
  skip: systemd === undefined && 'no systemd here',
}, () => {
  // The user and the folder are made by whoever follows the lines above the unit.
  const unit = readFileSync(join(samples, 'fleet.service'), 'utf8').replace('User=fleet', 'User=nobody').replaceAll('/opt/fleet', '/tmp')
  writeFileSync(join(dir, 'fleet.service'), unit)
  const { status, stderr } = spawnSync(systemd ?? '', ['verify', '--man=no', join(dir, 'fleet.service')], { encoding: 'utf8' })
  assert.doesNotMatch(stderr, /fleet\.service/, stderr)
  assert.equal(status, 0, stderr)
})

test('what the samples name is what the service has', () => {
  const config = readFileSync(join(import.meta.dirname, '../server/src/config.ts'), 'utf8')
  for (const sample of ['fleet.service', 'nginx.conf'])
    for (const [setting] of readFileSync(join(samples, sample), 'utf8').matchAll(/\bSERVICE_\w+/g))
      assert.ok(config.includes(setting), setting)
  assert.ok(existsSync(join(import.meta.dirname, 'bootstrap.mjs')))
})
