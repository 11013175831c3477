import { Button, Group, Text } from '@mantine/core'
import { useEffect } from 'react'
import { useLocation } from 'wouter'
import type { Input } from '../api.ts'
import { useDo } from '../queries.ts'
import { T, t } from '../text.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { Trouble, Waiting } from '../ui/parts.tsx'
import { hostOf } from '../words.ts'

/** An update of many sites: the plan first, then in waves. */
export function FleetUpdateDialog({ title, input, onClose }: { title: string; input: Input<'rollouts.start'>; onClose: () => void }) {
  const [, go] = useLocation()
  const planning = useDo('rollouts.start')
  const starting = useDo('rollouts.start', ({ rollout_id, job_id }) => {
    onClose()
    go(rollout_id ? `/rollouts/${rollout_id}` : `/jobs/${job_id}`)
  })
  const { mutate: plan } = planning
  const preview = () => plan({ ...input, dry_run: true })
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once, when the dialog opens
  useEffect(preview, [plan])
  const meant = planning.data
  const sites = meant?.sites ?? []
  const taken = sites.filter(({ wave }) => wave !== null)
  return (
    <Dialog onClose={onClose} title={title} size="lg">
      {planning.error && <Trouble error={planning.error} again={preview} />}
      {!meant && !planning.error && <Waiting rows={3} />}
      {meant && (
        <>
          <Text size="sm">
            <T
              message="{sites, plural, one {# site} other {# sites}} in {waves, plural, one {# wave} other {# waves}}; {sites2, plural, one {# site} other {# sites}} left out. Each is backed up as its schedule says, the new version is tried beside the site, and taken back where it breaks something."
              sites={taken.length}
              waves={meant.waves ?? 0}
              sites2={sites.length - taken.length}
            />
          </Text>
          {meant.would?.flatMap(({ type, slug, to_version, risks }) =>
            (risks ?? []).map((risk) => (
              <Text size="sm" key={`${type} ${slug} ${to_version} ${risk}`}>
                <b>{slug}</b> {to_version}: {risk}
              </Text>
            )),
          )}
          <ul className="entries tall">
            {sites.slice(0, 100).map((site) => (
              <li className="entry" key={site.site_id}>
                <p>
                  {site.name || hostOf(site.url)}{' '}
                  <span className="soft">
                    {site.items?.map(({ from_version, to_version }) => `${from_version} → ${to_version}`).join(', ')}
                  </span>
                </p>
                <span className="soft">{site.wave === null ? (site.reason ?? t('left out')) : t('wave {wave}', { wave: site.wave })}</span>
              </li>
            ))}
          </ul>
          {sites.length > 100 && (
            <p className="soft">
              <T message="and {sites} more" sites={sites.length - 100} />
            </p>
          )}
        </>
      )}
      {starting.error && <Trouble error={starting.error} />}
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={onClose} data-autofocus>
          {t('Cancel')}
        </Button>
        <Button disabled={taken.length === 0} loading={starting.isPending} onClick={() => starting.mutate(input)}>
          <T message="Update {sites, plural, one {# site} other {# sites}}" sites={taken.length} />
        </Button>
      </Group>
    </Dialog>
  )
}
