import assert from 'node:assert/strict'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { ensureAssets, ensureRuntime } from '../../demo/assets.ts'
import { type Php, startPhp } from '../../demo/php.ts'

const ROOT = join(import.meta.dirname, '../..')
const RUN = "<?php $argv = array( 'vectors.php', '/wordpress' ); require '/wordpress/connector/test/vectors.php';"

let root: string
let php: Php
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'svc-vectors-'))
  const { wordpress } = await ensureAssets()
  const compat = 'wp-includes/sodium_compat'
  await cp(join(wordpress, compat), join(root, compat), { recursive: true })
  for (const path of ['connector/test', 'connector/svc-connector/src', 'contract/wire-vectors.json'])
    await cp(join(ROOT, path), join(root, path), { recursive: true })
  php = await startPhp({ runtime: await ensureRuntime('8.3'), version: '8.3', root, url: 'http://127.0.0.1', instances: 1 })
})
after(() => rm(root, { recursive: true, force: true }))

test('PHP with the sodium of WordPress agrees with every recorded message', async () => {
  assert.match(await php.run(RUN), /^PHP 8\.3\.\d+, sodium_compat: request:\d{2,},.* checked, 0 wrong\n$/)
})
