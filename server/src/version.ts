import { readFileSync } from 'node:fs'

/** The service's version, as in its package. */
export const version: string = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version
