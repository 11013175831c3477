import { Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { mustProve, Proving } from '../account/proving.tsx'
import type { Input, Item, Output } from '../api.ts'
import { useCall, useDo, usePages } from '../queries.ts'
import { SettingsNav } from '../settings/SettingsNav.tsx'
import { Asked, Empty, Page, State, type Tone, Trouble, When } from '../ui/parts.tsx'
import { useSiteNames } from '../ui/siteNames.ts'
import { useSay } from '../ui/toasts.tsx'

type Policies = Output<'policies.get'>
type Kind = Policies['effects'][number]
type Setting = Input<'policies.set'>
type Decision = Kind['decision']

const words: Record<Decision, string> = { auto: 'Done at once', ask: 'A person decides', never: 'Refused' }
const tones: Record<Decision, Tone> = { auto: 'good', ask: 'unknown', never: 'bad' }

const keyOf = ({ effect, jump }: Pick<Kind, 'effect' | 'jump'>) => `${effect} ${jump ?? ''}`
const choices = ({ always_asks }: Pick<Kind, 'always_asks'>) =>
  (['auto', 'ask', 'never'] as const).filter((each) => !always_asks || each !== 'auto').map((value) => ({ value, label: words[value] }))

/** What agents that need approvals have done at once, must ask for, or are refused. */
export function PoliciesPage() {
  const policies = useCall('policies.get', {})
  const say = useSay()
  const [proving, setProving] = useState<Setting>()
  const setting = useDo('policies.set', ({ version }) => say(`Saved as version ${version}. It holds from the next call on.`))
  const set = (wanted: Setting) =>
    setting.mutate(wanted, {
      onError: (error) => {
        if (mustProve(error)) setProving(wanted)
      },
    })
  const failed = mustProve(setting.error) ? null : setting.error
  return (
    <Page
      title="Approval policies"
      about="What happens when an agent asks for something and its token writes after approval only. To have it ask less often takes your second factor; more often does not."
    >
      <SettingsNav here="/settings/policies" />
      {failed && <Trouble error={failed} />}
      <Asked of={policies}>
        {(known) => (
          <div className="cards">
            <section className="card wide">
              <h2>Everywhere</h2>
              <Everywhere policies={known} set={set} busy={setting.isPending} />
            </section>
            <section className="card wide">
              <h2>On some sites</h2>
              <Narrowed policies={known} set={set} busy={setting.isPending} />
            </section>
            <section className="card wide">
              <h2>Versions</h2>
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
        <th scope="col">What an agent asks for</th>
        <th scope="col">What becomes of it</th>
        <th scope="col">Usual</th>
      </tr>
    </thead>
    <tbody>
      {policies.effects.map((kind) => (
        <tr key={keyOf(kind)}>
          <td>
            {kind.title}
            {kind.always_asks && <div className="soft">Never done without asking.</div>}
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
          <td data-label="Usual">{words[kind.usual]}</td>
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
        <p className="soft">Every site is treated alike. Of several tags the strictest word holds; a site’s own goes before its tags.</p>
      ) : (
        <table className="rows stack">
          <thead>
            <tr>
              <th scope="col">Where</th>
              <th scope="col">What</th>
              <th scope="col">What becomes of it</th>
              <th scope="col">
                <span className="sr">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {all.map(({ kind, site_id, tag, decision }) => (
              <tr key={`${keyOf(kind)} ${site_id ?? ''} ${tag ?? ''}`}>
                <td>{site_id ? names(site_id) : `Tag ${tag}`}</td>
                <td>{kind.title}</td>
                <td>
                  <State tone={tones[decision]}>{words[decision]}</State>
                </td>
                <td className="act">
                  <Button
                    size="xs"
                    variant="default"
                    disabled={busy}
                    aria-label={`Forget: ${kind.title}, ${site_id ? names(site_id) : tag}`}
                    onClick={() => set({ ...cellOf(kind), ...(site_id ? { site_id } : { tag: tag ?? '' }), decision: 'usual' })}
                  >
                    Forget
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
  const sites = useCall('sites.list', {})
  const [place, setPlace] = useState('tag')
  const [what, setWhat] = useState(keyOf(policies.effects[0] as Kind))
  const kind = policies.effects.find((each) => keyOf(each) === what)
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const given = new FormData(event.currentTarget)
    const where = place === 'tag' ? { tag: String(given.get('tag')) } : { site_id: place }
    if (kind) set({ ...cellOf(kind), ...where, decision: String(given.get('decision')) as Decision })
  }
  return (
    <form onSubmit={send}>
      <Group align="end" mt="md">
        <NativeSelect
          label="Where"
          value={place}
          onChange={(event) => setPlace(event.currentTarget.value)}
          data={[
            { value: 'tag', label: 'Sites with a tag' },
            ...(sites.data ?? []).map(({ id, name, url }) => ({ value: id, label: name || url })),
          ]}
          className="medium"
        />
        {place === 'tag' && <TextInput label="Tag" name="tag" required maxLength={100} />}
        <NativeSelect
          label="What"
          value={what}
          onChange={(event) => setWhat(event.currentTarget.value)}
          data={policies.effects.map((each) => ({ value: keyOf(each), label: each.title }))}
          className="medium"
        />
        <NativeSelect label="What becomes of it" name="decision" key={what} data={kind ? choices(kind) : []} />
        <Button type="submit" variant="default" disabled={busy}>
          Set
        </Button>
      </Group>
    </form>
  )
}

function Versions() {
  const versions = usePages('policies.history', { limit: 20 })
  const names = useSiteNames()
  if (versions.items.length === 0) return <Empty title="As usual">Nobody has set anything yet.</Empty>
  return (
    <>
      <table className="rows stack">
        <thead>
          <tr>
            <th scope="col">Version</th>
            <th scope="col">What</th>
            <th scope="col">Change</th>
            <th scope="col">By</th>
            <th scope="col">When</th>
          </tr>
        </thead>
        <tbody>
          {versions.items.map(({ version, title, change, set_by, set_at }: Item<'policies.history'>) => (
            <tr key={version}>
              <td>{version}</td>
              <td>
                {title}
                {(change.site_id || change.tag) && (
                  <div className="soft">{change.site_id ? names(change.site_id) : `Tag ${change.tag}`}</div>
                )}
              </td>
              <td data-label="Change">
                {change.before ? words[change.before] : 'As usual'} → {change.after ? words[change.after] : 'as usual'}
                {change.looser && <State tone="warn">asks less</State>}
              </td>
              <td data-label="By">{set_by.name}</td>
              <td data-label="When">
                <When at={set_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {versions.hasNextPage && (
        <Button variant="default" mt="md" onClick={() => void versions.fetchNextPage()} loading={versions.isFetchingNextPage}>
          Show more
        </Button>
      )}
    </>
  )
}
