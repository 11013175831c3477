import { once } from 'node:events'
import { createWriteStream } from 'node:fs'

// A feed with the proportions of the real one: how large, how many of what, how many for one plugin, one library that is in a thousand.

export const records = 42_000
/** On each site, beside WordPress. */
export const plugins = 25
const slugs = 15_000
const branches = Array.from({ length: 26 }, (_, i) => (i < 6 ? `4.${i + 4}` : i < 16 ? `5.${i - 6}` : `6.${i - 16}`))

/** The same numbers each time. */
function dice(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** A few have much of it: sixty records for the first, three for most. */
const popular = (roll: () => number, of: number) => Math.floor(of * roll() ** 1.5)
const versionFrom = (roll: () => number) => `${1 + Math.floor(roll() * 4)}.${Math.floor(roll() * 10)}.${Math.floor(roll() * 10)}`

/** Writes it as Wordfence does, all in one line. */
export async function writeFeed(file: string): Promise<void> {
  const out = createWriteStream(file, { highWaterMark: 1024 * 1024 })
  const roll = dice(11)
  for (let i = 0; i < records; i++) {
    const record = recordAt(i, roll)
    const text = `${i === 0 ? '{' : ','}${JSON.stringify(record.id)}:${JSON.stringify(record)}`
    if (!out.write(text)) await once(out, 'drain')
  }
  out.end('}')
  await once(out, 'finish')
}

function recordAt(i: number, roll: () => number) {
  const id = `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`
  const score = Math.round(20 + roll() * 79) / 10
  return {
    id,
    title: `Plugin ${i} <= 1.2.3 - Authenticated (Contributor+) Stored Cross-Site Scripting via Shortcode`,
    software: softwareAt(i, roll),
    informational: roll() < 0.01,
    description: `${'The plugin for WordPress is vulnerable to Stored Cross-Site Scripting via the shortcode attributes. '.repeat(5)}`,
    references: [`https://www.wordfence.com/threat-intel/vulnerabilities/id/${id}?source=api-prod`, ...links(i)],
    cwe: {
      id: 79,
      name: 'Improper Neutralization of Input During Web Page Generation',
      description: 'The product does not neutralize. '.repeat(8),
    },
    cvss: roll() < 0.02 ? null : { vector: 'CVSS:3.1/AV:N/AC:L/PR:L/UI:N/S:C/C:L/I:L/A:N', score, rating: 'Medium' },
    cve: roll() < 0.95 ? `CVE-20${10 + (i % 17)}-${10_000 + i}` : null,
    cve_link: `https://www.cve.org/CVERecord?id=CVE-2026-${10_000 + i}`,
    researchers: ['A. Researcher'],
    published: '2026-02-23 00:00:00',
    updated: '2026-02-24 08:38:15',
    copyrights: {
      message: 'This record contains material that is subject to copyright',
      defiant: {
        notice: 'Copyright 2012-2026 Example Inc.',
        license: 'You may copy it. '.repeat(34),
        license_url: 'https://www.example.org/terms/',
      },
      mitre: {
        notice: 'Copyright 1999-2026 Example',
        license: 'CVE Usage: you may use it. '.repeat(26),
        license_url: 'https://www.example.org/cve',
      },
    },
  }
}

const links = (i: number) =>
  Array.from({ length: 4 }, (_, n) => `https://plugins.trac.wordpress.org/browser/plugin-${i}/trunk/includes/class-${n}.php#L${n}`)

function softwareAt(i: number, roll: () => number) {
  if (i === 7) return Array.from({ length: 1200 }, (_, n) => software('plugin', `plugin-${n}`, ['*', versionFrom(roll)]))
  const kind = roll()
  if (kind < 0.009) {
    // Found in some year, and repaired in all branches of that time.
    const last = Math.floor(roll() * branches.length)
    const ranges = branches
      .slice(Math.max(0, last - 20), last + 1)
      .map((branch): [string, string] => [branch, `${branch}.${1 + Math.floor(roll() * 25)}`])
    return [software('core', 'wordpress', ...ranges)]
  }
  if (kind < 0.06) return [software('theme', `theme-${popular(roll, 900)}`, ['*', versionFrom(roll)])]
  return [software('plugin', `plugin-${popular(roll, slugs)}`, [roll() < 0.8 ? '*' : '1.0', versionFrom(roll)])]
}

function software(type: string, slug: string, ...ranges: [string, string][]) {
  return {
    type,
    name: slug,
    slug,
    affected_versions: Object.fromEntries(
      ranges.map(([from, to]) => [`${from} - ${to}`, { from_version: from, from_inclusive: true, to_version: to, to_inclusive: true }]),
    ),
    patched: true,
    patched_versions: ranges.map(([, to]) => `${to}.1`),
    remediation: 'Update to a newer patched version',
  }
}

/** What sites have: the popular plugins, not all of them new, and mostly the latest WordPress. */
export function inventories(sites: number) {
  const roll = dice(23)
  return Array.from({ length: sites }, () => {
    const slugs = new Set<string>()
    while (slugs.size < plugins) slugs.add(`plugin-${popular(roll, 2000)}`)
    const core = item('core', 'wordpress', `6.${roll() < 0.8 ? 9 : Math.floor(roll() * 10)}.${Math.floor(roll() * 6)}`)
    return [core, ...[...slugs].map((slug) => item('plugin', slug, `4.${versionFrom(roll).slice(2)}`))]
  })
}

const item = (type: string, slug: string, version: string) => ({
  type,
  slug,
  file: slug,
  name: slug,
  version,
  active: true,
  auto_update: false,
  update: null,
  author: '',
  uri: '',
})
