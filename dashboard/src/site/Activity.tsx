import { Timeline } from '../activity/Timeline.tsx'
import type { Site } from './SitePage.tsx'

export const SiteActivity = ({ site }: { site: Site }) => <Timeline siteId={site.id} />
