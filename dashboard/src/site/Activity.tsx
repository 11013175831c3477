import { Timeline } from '../activity/Timeline.tsx'
import type { Site } from './nouns.ts'

export const SiteActivity = ({ site }: { site: Site }) => <Timeline siteId={site.id} />
