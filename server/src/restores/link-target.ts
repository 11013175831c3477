/** By the text of the link alone, as the site will judge it again. Absolute targets are the site's own to judge. */
export function leadsOutside(path: Buffer, target: Buffer): boolean {
  const text = target.toString('latin1')
  if (text === '' || text.startsWith('/')) return true
  let depth = path.toString('latin1').split('/').length - 1
  for (const part of text.split('/')) {
    if (part === '..') depth -= 1
    else if (part !== '' && part !== '.') depth += 1
    if (depth < 0) return true
  }
  return false
}
