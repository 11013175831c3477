// Adds new migrations to those that have landed: node server/test/write-landed.ts
import { writeLanded } from './landed.ts'

process.stdout.write(`${writeLanded().join('\n') || 'All of them have landed.'}\n`)
