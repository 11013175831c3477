import { Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { mustProve, Proving } from '../account/proving.tsx'
import type { Input, Output } from '../api.ts'
import { useCall, useDo } from '../queries.ts'
import { SettingsNav } from '../settings/SettingsNav.tsx'
import { t } from '../text.ts'
import { Asked, Page, State, type Tone, Trouble } from '../ui/parts.tsx'
import { SiteSelect } from '../ui/SiteSelect.tsx'
import { useSiteNames } from '../ui/siteNames.ts'
import { useSay } from '../ui/toasts.tsx'
import { Versions } from './Versions.tsx'
import { type Decision, words } from './words.ts'

type Policies = Output<'policies.get'>
type Kind = Policies['effects'][number]
type Setting = Input<'policies.set'>

const tones: Record<Decision, Tone> = { auto: 'good', ask: 'unknown', never: 'bad' }

const keyOf = ({ effect, jump }: Pick<Kind, 'effect' | 'jump'>) => `${effect} ${jump ?? ''}`
const choices = ({ always_asks }: Pick<Kind, 'always_asks'>) =>
  (['auto', 'ask', 'never'] as const).filter((each) => !always_asks || each !== 'auto').map((value) => ({ value, label: words[value] }))

/** What agents that need approvals have done at once, must ask for, or are refused. */
export function PoliciesPage() {
  const policies = useCall('policies.get', {}, { every: 15_000 })
  const say = useSay()
  const [proving, setProving] = useState<Setting>()
  const setting = useDo('policies.set', ({ version }) => say(t('Saved as version {version}. It holds from the next call on.', { version })))
  const set = (wanted: Setting) =>
    setting.mutate(wanted, {
      onError: (error) => {
        if (mustProve(error)) setProving(wanted)
      },
    })
  const failed = mustProve(setting.error) ? null : setting.error
  return (
    <Page
      title={t('Approval policies')}
      about={t(
        'What happens when an agent asks for something and its token writes after approval only. To have it ask less often takes your second factor; more often does not.',
      )}
    >
      <SettingsNav here="/settings/policies" />
      {failed && <Trouble error={failed} />}
      <Asked of={policies}>
        {(known) => (
          <div className="cards">
            <section className="card wide">
              <h2>{t('Everywhere')}</h2>
              <Everywhere policies={known} set={set} busy={setting.isPending} />
            </section>
            <section className="card wide">
              <h2>{t('On some sites')}</h2>
              <Narrowed policies={known} set={set} busy={setting.isPending} />
            </section>
            <section className="card wide">
              <h2>{t('Versions')}</h2>
              <Versions />
            </section>
          </div>
        )}
      </Asked>
      {proving && (
        <Proving
          second
          onClose={() => setProving(undefined)}
          onProven={() => {
            setProving(undefined)
            set(proving)
          }}
        />
      )}
    </Page>
  )
}

interface Part {
  policies: Policies
  set: (wanted: Setting) => void
  busy: boolean
}

const Everywhere = ({ policies, set, busy }: Part) => (
  <table className="rows stack">
    <thead>
      <tr>
        <th scope="col">{t('What an agent asks for')}</th>
        <th scope="col">{t('What becomes of it')}</th>
        <th scope="col">{t('Usual')}</th>
      </tr>
    </thead>
    <tbody>
      {policies.effects.map((kind) => (
        <tr key={keyOf(kind)}>
          <td>
            {kind.title}
            {kind.always_asks && <div className="soft">{t('Never done without asking.')}</div>}
          </td>
          <td>
            <NativeSelect
              aria-label={kind.title}
              size="xs"
              value={kind.decision}
              disabled={busy}
              data={choices(kind)}
              onChange={(event) => set({ ...cellOf(kind), decision: event.currentTarget.value as Decision })}
            />
          </td>
          <td data-label={t('Usual')}>{words[kind.usual]}</td>
        </tr>
      ))}
    </tbody>
  </table>
)

const cellOf = ({ effect, jump }: Pick<Kind, 'effect' | 'jump'>) => ({ effect, ...(jump && { jump }) })

function Narrowed({ policies, set, busy }: Part) {
  const names = useSiteNames()
  const all = policies.effects.flatMap((kind) => kind.narrowed.map((rule) => ({ kind, ...rule })))
  return (
    <>
      {all.length === 0 ? (
        <p className="soft">
          {t('Every site is treated alike. Of several tags the strictest word holds; a site’s own goes before its tags.')}
        </p>
      ) : (
        <table className="rows stack">
          <thead>
            <tr>
              <th scope="col">{t('Where')}</th>
              <th scope="col">{t('What')}</th>
              <th scope="col">{t('What becomes of it')}</th>
              <th scope="col">
                <span className="sr">{t('Actions')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {all.map(({ kind, site_id, tag, decision }) => (
              <tr key={`${keyOf(kind)} ${site_id ?? ''} ${tag ?? ''}`}>
                <td>{site_id ? names(site_id) : t('Tag {tag}', { tag })}</td>
                <td>{kind.title}</td>
                <td>
                  <State tone={tones[decision]}>{words[decision]}</State>
                </td>
                <td className="act">
                  <Button
                    size="xs"
                    variant="default"
                    disabled={busy}
                    aria-label={t('Forget: {title}, {site_id}', { title: kind.title, site_id: site_id ? names(site_id) : tag })}
                    onClick={() => set({ ...cellOf(kind), ...(site_id ? { site_id } : { tag: tag ?? '' }), decision: 'usual' })}
                  >
                    {t('Forget')}
                  </Button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <Add policies={policies} set={set} busy={busy} />
    </>
  )
}

function Add({ policies, set, busy }: Part) {
  const [place, setPlace] = useState('tag')
  const [site, setSite] = useState<string | null>(null)
  const [what, setWhat] = useState(keyOf(policies.effects[0] as Kind))
  const kind = policies.effects.find((each) => keyOf(each) === what)
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const given = new FormData(event.currentTarget)
    const where = place === 'tag' ? { tag: String(given.get('tag')) } : site !== null && { site_id: site }
    if (kind && where) set({ ...cellOf(kind), ...where, decision: String(given.get('decision')) as Decision })
  }
  return (
    <form onSubmit={send}>
      <Group align="end" mt="md">
        <NativeSelect
          label={t('Where')}
          value={place}
          onChange={(event) => setPlace(event.currentTarget.value)}
          data={[
            { value: 'tag', label: t('Sites with a tag') },
            { value: 'site', label: t('One site') },
          ]}
          className="medium"
        />
        {place === 'site' && <SiteSelect value={site} onChange={setSite} />}
        {place === 'tag' && <TextInput label={t('Tag')} name="tag" required maxLength={100} />}
        <NativeSelect
          label={t('What')}
          value={what}
          onChange={(event) => setWhat(event.currentTarget.value)}
          data={policies.effects.map((each) => ({ value: keyOf(each), label: each.title }))}
          className="medium"
        />
        <NativeSelect label={t('What becomes of it')} name="decision" key={what} data={kind ? choices(kind) : []} />
        <Button type="submit" variant="default" disabled={busy}>
          {t('Set')}
        </Button>
      </Group>
    </form>
  )
}
