import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A record as Wordfence Intelligence has it; what is given replaces what is usual. */
export function wordfenceRecord(id: string, over: Record<string, unknown> = {}, software: Record<string, unknown> = {}) {
  return {
    id,
    title: 'Garden <= 1.0.5 - Unauthenticated Stored Cross-Site Scripting',
    software: [{ ...garden, ...software }],
    informational: false,
    description:
      'The Garden plugin for WordPress is vulnerable to Stored Cross-Site Scripting in all versions up to, and including, 1.0.5.',
    references: [`https://www.wordfence.com/threat-intel/vulnerabilities/id/${id}?source=api-prod`, 'https://example.org/advisory'],
    cwe: { id: 79, name: 'Cross-site Scripting', description: 'The product does not neutralize user-controllable input.' },
    cvss: { vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:L/I:L/A:N', score: 7.2, rating: 'High' },
    cve: 'CVE-2026-10001',
    cve_link: 'https://www.cve.org/CVERecord?id=CVE-2026-10001',
    researchers: ['A. Researcher'],
    published: '2026-02-23 00:00:00',
    updated: '2026-02-24 08:38:15',
    copyrights,
    ...over,
  }
}

const garden = {
  type: 'plugin',
  name: 'Garden',
  slug: 'garden',
  affected_versions: { '* - 1.0.5': { from_version: '*', from_inclusive: true, to_version: '1.0.5', to_inclusive: true } },
  patched: true,
  patched_versions: ['1.0.6'],
  remediation: 'Update to version 1.0.6, or a newer patched version',
}

export const copyrights = {
  message: 'This record contains material that is subject to copyright',
  defiant: {
    notice: 'Copyright 2012-2026 Example Inc.',
    license: 'You may copy it where you name us and link to the record.',
    license_url: 'https://www.example.org/terms/',
  },
  mitre: {
    notice: 'Copyright 1999-2026 Example Corporation',
    license: 'CVE Usage: you may use it where you repeat this notice.',
    license_url: 'https://www.example.org/cve/terms',
  },
}

/** A document of these records, keyed as Wordfence does. */
export const wordfenceFeed = (...records: { id: string }[]) => JSON.stringify(Object.fromEntries(records.map((each) => [each.id, each])))

export interface FeedHost {
  url: string
  asked: { headers: IncomingHttpHeaders; path: string }[]
  /** What it answers from now on. */
  answers(handler: (request: IncomingMessage, response: ServerResponse) => void): void
  close(): void
}

/** Somebody who offers a feed over http. */
export async function startFeedHost(): Promise<FeedHost> {
  const asked: FeedHost['asked'] = []
  let handler = (_request: IncomingMessage, response: ServerResponse): void => void response.writeHead(404).end()
  const server = createServer((request, response) => {
    asked.push({ headers: request.headers, path: request.url ?? '' })
    handler(request, response)
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    asked,
    answers(next) {
      handler = next
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
