import { t } from '../text.ts'
import { Page } from '../ui/parts.tsx'
import { Timeline } from './Timeline.tsx'

export const ActivityPage = () => (
  <Page
    title={t('Activity')}
    about={t(
      'What people, agents and the service did. What is shown in reports, clients read; what agents wrote after approval only is internal until you show it.',
    )}
  >
    <Timeline />
  </Page>
)
