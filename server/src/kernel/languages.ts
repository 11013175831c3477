// What reports say, in each language: server/languages has a file of texts for each, and a new language is a new file.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

const folder = join(import.meta.dirname, '../../languages')

/** A text with {gaps}; where a number decides how it goes, one for each of its plural categories. */
const Text = z.union([z.string().min(1), z.object({ other: z.string().min(1) }).catchall(z.string().min(1))])
const Catalogue = z.record(z.string(), Text)
export type Catalogue = z.infer<typeof Catalogue>

const catalogues: ReadonlyMap<string, Catalogue> = new Map(
  readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => [file.slice(0, -'.json'.length), Catalogue.parse(JSON.parse(readFileSync(join(folder, file), 'utf8')))]),
)

/** English first: it is the usual one. */
export const languages = [...catalogues.keys()].sort((a, b) => Number(b === 'en') - Number(a === 'en')) as [string, ...string[]]

/** The texts of a language; the English one of what it does not say, and of all where it was taken away meanwhile. */
export const catalogueOf = (language: string): Catalogue => ({ ...catalogues.get('en'), ...catalogues.get(language) })
