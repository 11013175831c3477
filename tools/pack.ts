import { buildDashboard } from './dashboard.ts'
import { writePackages } from './packages.ts'

writePackages()
await buildDashboard()
