import { Button } from '@mantine/core'
import { useDo } from '../queries.ts'
import { t } from '../text.ts'
import { Trouble } from '../ui/parts.tsx'
import { useSay } from '../ui/toasts.tsx'
import type { Site } from './nouns.ts'

/** Asks the connector for a sign of life; the service writes down what stands in the way. */
export function useAsking() {
  const say = useSay()
  return useDo('sites.ping', ({ latency_ms }) => say(t('The site answers, in {latency_ms} ms.', { latency_ms })))
}

/** For whoever has mended something there and does not want to wait until the site is asked by itself. */
export function AskNow({ site }: { site: Site }) {
  const asking = useAsking()
  return (
    <>
      {asking.error && <Trouble error={asking.error} />}
      <Button size="xs" variant="default" mt="xs" loading={asking.isPending} onClick={() => asking.mutate({ site_id: site.id })}>
        {t('Ask the site now')}
      </Button>
    </>
  )
}
