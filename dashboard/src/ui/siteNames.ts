import { useCall } from '../queries.ts'
import { hostOf } from '../words.ts'

/** What a site is called, by its id. */
export function useSiteNames(): (id: string) => string {
  const sites = useCall('sites.list', {})
  return (id) => {
    const site = sites.data?.find((each) => each.id === id)
    return site ? site.name || hostOf(site.url) : 'a site that is gone'
  }
}
