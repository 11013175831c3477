/** What a browser calls itself, in two words. */
export function browserOf(agent: string): string {
  const name = [/Edg/, /OPR/, /Firefox/, /Chrom/, /Safari/, /curl/].find((each) => each.test(agent))?.source
  const system = /Android|iPhone|iPad|Windows|Mac OS X|Linux/.exec(agent)?.[0]
  const names: Record<string, string> = { Edg: 'Edge', OPR: 'Opera', Chrom: 'Chrome' }
  return name ? `${names[name] ?? name}${system ? ` on ${system}` : ''}` : agent || 'not told'
}
