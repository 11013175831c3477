#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { bridge } from './bridge.js'
import { configure } from './configure.js'

const { SERVICE_URL, SERVICE_TOKEN } = process.env
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))                       

const plan = configure(process.argv.slice(2), { url: SERVICE_URL, token: SERVICE_TOKEN }, version)

if ('say' in plan) {
  // Not process.exit: what was written to a pipe would be lost.
  process[plan.code === 0 ? 'stdout' : 'stderr'].write(`${plan.say}\n`)
  process.exitCode = plan.code
} else {
  // A host that closed its end wants nothing more.
  process.stdout.on('error', () => process.exit(0))
  await bridge(process.stdin, process.stdout, { ...plan, version })
}
