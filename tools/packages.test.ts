import assert from 'node:assert/strict'
import { test } from 'node:test'
import { committedFiles, packedFiles } from './packages.ts'

test('the packed cli and mcp are what their sources say (else run tools/pack.ts)', () => {
  const [committed, packed] = [committedFiles(), packedFiles()]
  assert.deepEqual([...committed.keys()].sort(), [...packed.keys()].sort())
  for (const [file, { bytes, mode }] of packed) {
    assert.ok(committed.get(file)?.bytes.equals(bytes), `${file} is stale`)
    assert.equal(committed.get(file)?.mode, mode, `the mode of ${file}`)
  }
})

test('what is packed imports no TypeScript and says how to run it', () => {
  for (const [file, { bytes, mode }] of packedFiles()) {
    assert.doesNotMatch(bytes.toString(), /(from|import)\s*\(?\s*['"]\.[^'"]*\.ts['"]/, file)
    if (file.endsWith('/main.js')) assert.deepEqual([bytes.toString().startsWith('#!/usr/bin/env node\n'), mode], [true, 0o755], file)
  }
})
