import { writePackages } from './packages.ts'

writePackages()
