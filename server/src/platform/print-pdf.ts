// Prints a page of ours by the operator's browser.
// That no script runs the page says itself (its policy): the browser's own printing is one, so it cannot be told to run none.
import fs from 'node:fs/promises'
import path from 'node:path'
import { type Chromium, inTurn, type Trouble, usualMemory, withChromium, withFolder } from './chromium.ts'

export type Printer = Pick<Chromium, 'program' | 'sandbox'> & Partial<Chromium> & { mostBytes?: number }

/** Why there is no PDF, in a sentence of ours. */
export class NotPrinted extends Error {}

const usual = { timeoutMs: 60_000, mostBytes: 20 * 1024 * 1024, mostMemory: usualMemory }
/** One after another; those that wait, and how many may. */
let waiting = 0
const mostWaiting = 8
const longMs = 2 ** 31 - 1

/** The page as a PDF, with tags, an outline and its fonts. Throws NotPrinted. */
export async function printPdf(printer: Printer, page: Buffer): Promise<Buffer> {
  if (waiting >= mostWaiting) throw new NotPrinted('The browser has too much to print just now.')
  waiting++
  try {
    return (await inTurn(longMs, () => printNow({ ...usual, ...printer }, page))) as Buffer
  } finally {
    waiting--
  }
}

const why: Record<Trouble, string> = {
  'not started': 'The browser could not be started (SERVICE_CHROMIUM).',
  'ended badly': 'The browser could not print the page (SERVICE_CHROMIUM, SERVICE_CHROMIUM_SANDBOX).',
  'too long': 'The browser took too long to print the page.',
  'too much memory': 'The browser took too much memory to print the page.',
}

const printNow = (printer: Required<Printer>, page: Buffer) =>
  withFolder({ 'page.html': page }, async (folder) => {
    const printed = path.join(folder, 'page.pdf')
    const how = ['--no-pdf-header-footer', '--generate-pdf-document-outline', `--print-to-pdf=${printed}`]
    const words = [...how, `file://${path.join(folder, 'page.html')}`]
    const trouble = await withChromium(printer, { folder, words }, (running) => running.trouble)
    if (trouble !== undefined) throw new NotPrinted(why[trouble])
    return readPrinted(printed, printer.mostBytes)
  })

async function readPrinted(file: string, mostBytes: number): Promise<Buffer> {
  const size = (await fs.stat(file).catch(() => undefined))?.size
  if (size === undefined) throw new NotPrinted('The browser printed nothing (SERVICE_CHROMIUM, SERVICE_CHROMIUM_SANDBOX).')
  if (size > mostBytes) throw new NotPrinted('The PDF is too large.')
  const bytes = await fs.readFile(file)
  if (!bytes.subarray(0, 5).equals(Buffer.from('%PDF-'))) throw new NotPrinted('What the browser made is no PDF.')
  return bytes
}
