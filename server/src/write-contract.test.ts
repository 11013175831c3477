import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { contractFiles, contractFolder } from './write-contract.ts'

test('every file of the contract is fresh', async (t) => {
  for (const [name, text] of Object.entries(await contractFiles()))
    await t.test(`contract/${name} is fresh`, async () => {
      const committed = await readFile(new URL(name, contractFolder), 'utf8').catch(() => '')
      assert.ok(committed === text, `contract/${name} is not what the operations say: run \`npm run contract\` and commit it.`)
    })
})
