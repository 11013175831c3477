import fs from 'node:fs'
import path from 'node:path'
import { connectorZip } from '../server/src/platform/connector-zip.ts'

const file = path.join(import.meta.dirname, '../connector/dist/svc-connector.zip')
fs.mkdirSync(path.dirname(file), { recursive: true })
fs.writeFileSync(file, connectorZip())
process.stdout.write(`${path.relative(process.cwd(), file)}\n`)
