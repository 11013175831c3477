import { Button, Group, Progress, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { call } from '../api.ts'
import { messageOf } from '../queries.ts'
import { t } from '../text.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { State } from '../ui/parts.tsx'
import { useSiteNames } from '../ui/siteNames.ts'

const scans = {
  security: { title: t('Check the security'), begin: (site_id: string) => call('security.check', { site_id }) },
  links: { title: t('Scan the links'), begin: (site_id: string) => call('links.scan', { site_id }) },
  performance: { title: t('Measure'), begin: (site_id: string) => call('performance.measure', { site_id }) },
} as const
export type Scan = keyof typeof scans

type Outcome = { job_id: string } | { failed: string }
/** At a time. */
const atOnce = 4

/** Begins a look at each of the sites; what one of them refuses keeps none of the others from it. */
export function ScanDialog({ scan, ids, onClose }: { scan: Scan; ids: string[]; onClose: () => void }) {
  const names = useSiteNames()
  const { title, begin } = scans[scan]
  const [running, setRunning] = useState(false)
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, Outcome>>(new Map())
  const gone = useRef(false)
  useEffect(() => {
    gone.current = false
    return () => {
      gone.current = true
    }
  }, [])
  const start = async () => {
    setRunning(true)
    const left = [...ids]
    const work = async () => {
      for (let id = left.shift(); id !== undefined && !gone.current; id = left.shift()) {
        const site = id
        const outcome = await begin(site).then(
          ({ job_id }) => ({ job_id }),
          (error: unknown) => ({ failed: messageOf(error) }),
        )
        setOutcomes((before) => new Map(before).set(site, outcome))
      }
    }
    await Promise.all(Array.from({ length: atOnce }, work))
    setRunning(false)
  }
  const begun = [...outcomes.values()].filter((each) => 'job_id' in each).length
  const ended = outcomes.size === ids.length
  return (
    <Dialog
      onClose={onClose}
      title={t('{title} of {sites, plural, one {# site} other {# sites}}?', { title, sites: ids.length })}
      size="lg"
    >
      <Text size="sm">{t('Each gets a job of its own and ends on its own. Closing this begins no further one.')}</Text>
      {(running || ended) && (
        <div role="status">
          <Progress
            value={(100 * outcomes.size) / ids.length}
            mt="sm"
            aria-label={t('{done} of {total} sites', { done: outcomes.size, total: ids.length })}
          />
          <Text size="sm" mt={4}>
            {ended
              ? t('{begun} begun{not, plural, =0 {} other {, # not}}.', { begun, not: outcomes.size - begun })
              : t('{begun} begun{not, plural, =0 {} other {, # not}} of {all} …', { begun, not: outcomes.size - begun, all: ids.length })}
          </Text>
        </div>
      )}
      <ul className="entries tall">
        {[...outcomes]
          .toSorted(([, a], [, b]) => Number('job_id' in a) - Number('job_id' in b))
          .slice(0, 200)
          .map(([id, outcome]) => (
            <li className="entry" key={id}>
              <p>{names(id)}</p>
              {'job_id' in outcome ? (
                <Link href={`/jobs/${outcome.job_id}`}>{t('Job')}</Link>
              ) : (
                <State tone="warn" why={outcome.failed}>
                  {t('Not begun')}
                </State>
              )}
            </li>
          ))}
      </ul>
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={onClose} data-autofocus>
          {ended ? t('Close') : t('Cancel')}
        </Button>
        {!ended && (
          <Button loading={running} onClick={() => void start()}>
            {t('Begin')}
          </Button>
        )}
      </Group>
    </Dialog>
  )
}
