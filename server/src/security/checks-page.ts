// Writes docs/security-checks.md from the table of checks: `node server/src/security/checks-page.ts`.
import { writeFileSync } from 'node:fs'
import type { Check } from './check-entry.ts'
import { checks } from './checks.ts'
import { Source } from './schema.ts'

export const checksPageFile = new URL('../../../docs/security-checks.md', import.meta.url)

const sources: Record<string, string> = {
  facts: 'What the site tells',
  integrity: 'Files',
  outside: 'From outside',
  inventory: 'Inventory',
  feed: 'Known vulnerabilities',
}

const intro = `# Security checks

<!-- Written by \`node server/src/security/checks-page.ts\` from the table in server/src/security/checks.ts. Do not edit. -->

Every site is looked at a few minutes after it was paired, the more sites there are the more widely spread (with a thousand over a day), and then once a day; \`svc security check SITE\` (\`POST /sites/{site_id}/security/check\`) does it now. \`get_security\`, \`svc security list\` and \`GET /security\` tell what was found, worst first, with what was seen and what fixes it. Each source tells when it last looked: *never* is not *nothing found*, and a source that could not look leaves its findings as they are.

**From outside** the service visits as \`ServiceSecurityCheck/1.0\`: at most 90 requests a day and site, without following redirects, 64 KiB of each answer (512 of the front page), one failed login of a user who cannot exist, and a stop when three requests in a row get no answer. Files are recognised by their content, which is not kept; what a site gives to every name has not been exposed. To learn whether PHP runs in the uploads the plugin puts one file of fixed content there, which removes itself when it runs and is otherwise removed a moment later.

**Checksums and the directory** are asked of WordPress.org by the service, once for all sites, and remembered; \`SERVICE_WORDPRESS_ORG\` names a stand-in or switches it off. What WordPress.org does not know (premium plugins, plugins of your own) is not judged.

**Ignoring** (\`svc security ignore\`) takes a reason and, if wanted, an end; an ignored finding does not count, stays visible, and is open again when its time is over or when it comes back after it was fixed. \`svc security get\` shows a finding's history.

**The score** of a site is 100 less 40 for each critical finding, 15 high, 5 medium or of unknown severity, 1 low, 0 for information; never below 0. The fleet's is the mean of the sites that have one: what they can be asked was asked. \`svc security score\` lists every deduction.
`

/** The page as it should be committed. */
export function checksPage(): string {
  const parts = Source.options.map((source) => {
    const rows = checks.filter((each) => each.source === source).map(row)
    return `## ${sources[source]}\n\n| check | kind | severity | finding | fixed by | how it is found |\n|---|---|---|---|---|---|\n${rows.join('\n')}\n`
  })
  return [intro, ...parts].join('\n')
}

function row({ id, kind, severity, title, description, fix, how }: Check): string {
  const fixed = fix === null ? '–' : fix === 'update' ? 'an update' : `\`${fix.tweak_id}\``
  return `| \`${id}\` | ${kind} | ${severity} | **${title}.** ${description} | ${fixed} | ${how} |`
}

if (import.meta.main) writeFileSync(checksPageFile, checksPage())
