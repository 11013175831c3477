// What the connector costs a page, as `mu-cost.php` tells it.

export interface PageCost {
  /** Of the processor, in milliseconds. */
  ms: number
  bytes: number
  files: number
  autoloaded: number
}

/** `least`: what a busy machine adds to a view, cold caches of its processors first, is not the plugin's. */
export async function pageCosts(url: string): Promise<{ least: number; views: PageCost[] }> {
  const views: PageCost[] = []
  for (let view = 0; view < 31; view++) views.push((await (await fetch(`${url}/?svc=cost`)).json()) as PageCost)
  return { least: Math.min(...views.map(({ ms }) => ms)), views }
}
