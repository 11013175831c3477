// A report as a PDF: the page, printed by the operator's browser. Of a published one it is made once, and then as frozen as the page.
import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { FileAnswer } from '../kernel/operation.ts'
import { Problem } from '../kernel/problem.ts'
import { NotPrinted, printPdf } from '../platform/print-pdf.ts'
import type { Context } from '../world.ts'
import { keepPdf, readPdf } from './file-store.ts'
import { fileNameOf } from './plain.ts'
import { getReport } from './service.ts'
import { periodOf } from './store.ts'
import { pageBytes } from './telling.ts'

export async function pdfOf(context: Context, id: string): Promise<FileAnswer> {
  const report = await getReport(context, id)
  const bytes = (await readPdf(context, id)) ?? (await print(context, report))
  const known = { length: bytes.length, etag: `"${hash('sha256', bytes, 'hex')}"` }
  const open: FileAnswer['open'] = (part) => Readable.from([part ? bytes.subarray(part.from, part.to) : bytes])
  return { filename: fileNameOf({ ...report, ...periodOf(report) }, 'pdf'), contentType: 'application/pdf', known, open }
}

async function print(context: Context, report: Awaited<ReturnType<typeof getReport>>): Promise<Buffer> {
  const { chromium, chromiumSandbox } = context.config
  if (chromium === undefined)
    throw new Problem(
      'conflict',
      'The operator has set no browser that prints (SERVICE_CHROMIUM). Open the report as a page and print it from your browser: that is the same.',
      {
        retryable: false,
      },
    )
  try {
    const bytes = await printPdf({ program: chromium, sandbox: chromiumSandbox }, await pageBytes(context, report))
    return report.status === 'published' ? keepPdf(context, report.id, bytes) : bytes
  } catch (error) {
    if (!(error instanceof NotPrinted)) throw error
    throw new Problem('unavailable', `${error.message} The report as a page can be printed from any browser.`, { cause: error })
  }
}
