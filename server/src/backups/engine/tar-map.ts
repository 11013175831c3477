// Where in the tar of a backup its parts begin, so that a part of it is made without the lists of what comes before.
import { setImmediate as breathe } from 'node:timers/promises'
import { z } from 'zod'
import { type Chunk, type Content, databaseSize, databaseSpans, filesFrom, lastSpans, type Span } from './archive.ts'

/** A tar of this layout is `length` bytes. Files: where some chunks of their list begin, with the folder that is open there. */
export const TarMap = z.strictObject({
  layout: z.string(),
  length: z.int(),
  files: z.array(z.tuple([z.int(), z.int(), z.string()])),
  database: z.strictObject({ at: z.int(), size: z.int() }),
  last: z.int(),
})
export type TarMap = z.infer<typeof TarMap>

/** Another one when the bytes of a download of the same backup would be others. */
export const TAR_LAYOUT = 'tar 2'

/** So many stretches at least lie between two places: the map of the longest list has thousands of places. */
const APART = 2_000
// After so many of them the event loop gets a turn.
const BREATH = 500

/** Reads all lists, but no content. */
export async function mapTar(content: Content): Promise<TarMap> {
  const files: TarMap['files'] = []
  let at = 0
  let passed = APART
  for await (const { chunk, folder, spans } of filesFrom(content, { chunk: 0, folder: '' })) {
    if (passed >= APART) {
      files.push([at, chunk, folder])
      passed = 0
    }
    for (const { length } of spans) {
      at += length
      if (++passed % BREATH === 0) await breathe()
    }
  }
  const database = { at, size: await databaseSize(content) }
  const last = at + (await lengthOf(databaseSpans(content, database.size)))
  return { layout: TAR_LAYOUT, length: last + (await lengthOf(lastSpans(content))), files, database, last }
}

async function lengthOf(spans: AsyncIterable<Span>): Promise<number> {
  let sum = 0
  for await (const { length } of spans) sum += length
  return sum
}

/** The stretches that hold the byte `from` and all after it: the first of them begins `at` a place that the map knows. */
export function spansFrom(content: Content, from: number, map?: TarMap): { at: number; spans: AsyncIterable<Span> } {
  if (map && from >= map.last) return { at: map.last, spans: lastSpans(content) }
  if (map && from >= map.database.at) return { at: map.database.at, spans: afterFiles(content, map) }
  const [at, chunk, folder] = map?.files.findLast(([place]) => place <= from) ?? [0, 0, '']
  return { at, spans: spansFromFiles(content, { chunk, folder }, map) }
}

async function* spansFromFiles(content: Content, first: Chunk, map?: TarMap): AsyncGenerator<Span, void, undefined> {
  for await (const { spans } of filesFrom(content, first)) yield* spans
  yield* afterFiles(content, map)
}

async function* afterFiles(content: Content, map?: TarMap): AsyncGenerator<Span, void, undefined> {
  yield* databaseSpans(content, map?.database.size ?? (await databaseSize(content)))
  yield* lastSpans(content)
}
