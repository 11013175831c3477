import { buildDashboard } from './dashboard.ts'
import { writePackages } from './packages.ts'
import { writeCatalogue } from './texts.ts'

writePackages()
writeCatalogue()
await buildDashboard()
