// What the connector costs a page, as `mu-cost.php` tells it.

export interface PageCost {
  /** Of the processor, in milliseconds. */
  ms: number
  /** What the rest of WordPress took to get as far as the page, likewise. */
  beside: number
  bytes: number
  files: number
  autoloaded: number
}

/** A millisecond on a machine on which WordPress takes 20; a slower one is as slow with the rest of it. */
export const MOST_OF_A_PAGE = 1 / 20

/** The least of each: what a busy machine adds to a view, cold caches of its processors first, is nobody's. */
export async function pageCosts(url: string): Promise<{ share: number; told: string; views: PageCost[] }> {
  const views: PageCost[] = []
  for (let view = 0; view < 31; view++) views.push((await (await fetch(`${url}/?svc=cost`)).json()) as PageCost)
  const [ours, beside] = (['ms', 'beside'] as const).map((part) => Math.min(...views.map((view) => view[part]))) as [number, number]
  return { share: ours / beside, told: `${ours.toFixed(2)} ms beside ${beside.toFixed(2)} ms of WordPress`, views }
}
