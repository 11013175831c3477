import { Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { Link } from 'wouter'
import type { Input } from '../api.ts'
import { messageOf, useCall, useDo } from '../queries.ts'
import { useMay } from '../session.tsx'
import { t } from '../text.ts'
import { Asked, Page, Trouble, When } from '../ui/parts.tsx'
import { SiteSelect } from '../ui/SiteSelect.tsx'
import { useSiteNames } from '../ui/siteNames.ts'
import { useSay } from '../ui/toasts.tsx'
import { given } from './given.ts'
import { UpdateWindows } from './UpdateWindows.tsx'

const allows = [
  { value: 'patch', label: t('Patches only') },
  { value: 'minor', label: t('No major versions') },
  { value: 'major', label: t('All versions') },
  { value: 'never', label: t('Never') },
]
const types = [
  { value: 'plugin', label: t('Plugins') },
  { value: 'theme', label: t('Themes') },
  { value: 'core', label: 'WordPress' },
  { value: 'any', label: t('Everything') },
]

/** Which updates are let through, and when they begin by themselves. */
export const RulesPage = () => (
  <Page
    title={t('Update rules')}
    above={<Link href="/updates">{t('Updates')}</Link>}
    about={t(
      'A rule for one plugin goes before one for all of them; one for a site before one for its tags, and these before the rest. A plan names the rule that left something out.',
    )}
  >
    <div className="cards">
      <section className="card wide">
        <h2>{t('What is let through')}</h2>
        <Rules />
      </section>
      <section className="card wide">
        <h2>{t('Updates that begin by themselves')}</h2>
        <UpdateWindows />
      </section>
    </div>
  </Page>
)

function Rules() {
  const works = useMay('write')
  const rules = useCall('updates.rules', {}, { every: 15_000 })
  const names = useSiteNames()
  const say = useSay()
  const removing = useDo('updates.remove_rule', () => say(t('The rule is removed.')))
  return (
    <Asked of={rules}>
      {(known) => (
        <>
          {known.length === 0 ? (
            <p className="soft">{t('There is no rule: whatever is offered is updated when somebody updates.')}</p>
          ) : (
            <table className="rows stack">
              <thead>
                <tr>
                  <th scope="col">{t('Rule')}</th>
                  <th scope="col">{t('Where')}</th>
                  <th scope="col">{t('Set by')}</th>
                  <th scope="col">{t('When')}</th>
                  <th scope="col">
                    <span className="sr">{t('Actions')}</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {known.map((rule) => (
                  <tr key={rule.id}>
                    <td>
                      <b>{rule.name}</b>
                    </td>
                    <td data-label={t('Where')}>
                      {rule.site_id ? names(rule.site_id) : rule.tag ? t('Tag {tag}', { tag: rule.tag }) : t('All sites')}
                    </td>
                    <td data-label={t('Set by')}>{rule.set_by.name}</td>
                    <td data-label={t('When')}>
                      <When at={rule.set_at} />
                    </td>
                    <td className="act">
                      {works && (
                        <Button
                          size="xs"
                          variant="default"
                          aria-label={t('Remove {name}', { name: rule.name })}
                          onClick={() => removing.mutate({ update_rule_id: rule.id }, { onError: (error) => say(messageOf(error)) })}
                        >
                          {t('Remove')}
                        </Button>
                      )}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
          {works && <NewRule />}
        </>
      )}
    </Asked>
  )
}

function NewRule() {
  const say = useSay()
  const [type, setType] = useState('plugin')
  const [place, setPlace] = useState('')
  const [site, setSite] = useState<string | null>(null)
  const setting = useDo('updates.set_rule', ({ name }) => say(t('Set: {name}.', { name })))
  const send = (event: FormEvent<HTMLFormElement>) => {
    const { delay_days, ...rule } = given(event)
    if (place === 'site' && site === null) return
    const where = place === 'site' && site !== null ? { site_id: site } : {}
    setting.mutate({ ...rule, ...where, delay_days: Number(delay_days ?? 0) } as Input<'updates.set_rule'>)
  }
  return (
    <form onSubmit={send}>
      <Group align="end" mt="md" gap="sm" className="fields">
        <NativeSelect label={t('What')} name="type" data={types} value={type} onChange={(event) => setType(event.currentTarget.value)} />
        {(type === 'plugin' || type === 'theme') && (
          <TextInput label={t('Slug')} name="slug" placeholder={t('All of them')} maxLength={255} />
        )}
        <NativeSelect
          label={t('Where')}
          value={place}
          onChange={(event) => setPlace(event.currentTarget.value)}
          data={[
            { value: '', label: t('All sites') },
            { value: 'tag', label: t('Sites with a tag') },
            { value: 'site', label: t('One site') },
          ]}
        />
        {place === 'site' && <SiteSelect value={site} onChange={setSite} />}
        {place === 'tag' && <TextInput label={t('Tag')} name="tag" required maxLength={100} />}
        <NativeSelect label={t('Let through')} name="allow" data={allows} />
        <TextInput label={t('Days to wait')} name="delay_days" type="number" defaultValue={0} min={0} max={90} w={120} />
        <Button type="submit" variant="default" loading={setting.isPending}>
          {t('Set the rule')}
        </Button>
      </Group>
      {setting.error && <Trouble error={setting.error} />}
    </form>
  )
}
