import { Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { Link } from 'wouter'
import type { Input } from '../api.ts'
import { messageOf, useCall, useDo } from '../queries.ts'
import { useMay } from '../session.tsx'
import { Asked, Page, Trouble, When } from '../ui/parts.tsx'
import { useSiteNames } from '../ui/siteNames.ts'
import { useSay } from '../ui/toasts.tsx'

const allows = [
  { value: 'patch', label: 'Patches only' },
  { value: 'minor', label: 'No major versions' },
  { value: 'major', label: 'All versions' },
  { value: 'never', label: 'Never' },
]
const types = [
  { value: 'plugin', label: 'Plugins' },
  { value: 'theme', label: 'Themes' },
  { value: 'core', label: 'WordPress' },
  { value: 'any', label: 'Everything' },
]
const days = ['Sundays', 'Mondays', 'Tuesdays', 'Wednesdays', 'Thursdays', 'Fridays', 'Saturdays']

/** Which updates are let through, and when they begin by themselves. */
export const RulesPage = () => (
  <Page
    title="Update rules"
    above={<Link href="/updates">Updates</Link>}
    about="A rule for one plugin goes before one for all of them; one for a site before one for its tags, and these before the rest. A plan names the rule that left something out."
  >
    <div className="cards">
      <section className="card wide">
        <h2>What is let through</h2>
        <Rules />
      </section>
      <section className="card wide">
        <h2>Updates that begin by themselves</h2>
        <Windows />
      </section>
    </div>
  </Page>
)

const given = (event: FormEvent<HTMLFormElement>) => {
  event.preventDefault()
  return Object.fromEntries([...new FormData(event.currentTarget)].filter(([, value]) => value !== '')) as Record<string, string>
}

function Rules() {
  const works = useMay('write')
  const rules = useCall('updates.rules', {})
  const names = useSiteNames()
  const say = useSay()
  const removing = useDo('updates.remove_rule', () => say('The rule is removed.'))
  return (
    <Asked of={rules}>
      {(known) => (
        <>
          {known.length === 0 ? (
            <p className="soft">There is no rule: whatever is offered is updated when somebody updates.</p>
          ) : (
            <table className="rows stack">
              <thead>
                <tr>
                  <th scope="col">Rule</th>
                  <th scope="col">Where</th>
                  <th scope="col">Set by</th>
                  <th scope="col">When</th>
                  <th scope="col">
                    <span className="sr">Actions</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {known.map((rule) => (
                  <tr key={rule.id}>
                    <td>
                      <b>{rule.name}</b>
                    </td>
                    <td data-label="Where">{rule.site_id ? names(rule.site_id) : rule.tag ? `Tag ${rule.tag}` : 'All sites'}</td>
                    <td data-label="Set by">{rule.set_by.name}</td>
                    <td data-label="When">
                      <When at={rule.set_at} />
                    </td>
                    <td className="act">
                      {works && (
                        <Button
                          size="xs"
                          variant="default"
                          aria-label={`Remove ${rule.name}`}
                          onClick={() => removing.mutate({ update_rule_id: rule.id }, { onError: (error) => say(messageOf(error)) })}
                        >
                          Remove
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
  const sites = useCall('sites.list', {})
  const [type, setType] = useState('plugin')
  const [place, setPlace] = useState('')
  const setting = useDo('updates.set_rule', ({ name }) => say(`Set: ${name}.`))
  const send = (event: FormEvent<HTMLFormElement>) => {
    const { delay_days, ...rule } = given(event)
    const where = place === '' || place === 'tag' ? {} : { site_id: place }
    setting.mutate({ ...rule, ...where, delay_days: Number(delay_days ?? 0) } as Input<'updates.set_rule'>)
  }
  return (
    <form onSubmit={send}>
      <Group align="end" mt="md" gap="sm" className="fields">
        <NativeSelect label="What" name="type" data={types} value={type} onChange={(event) => setType(event.currentTarget.value)} />
        {(type === 'plugin' || type === 'theme') && <TextInput label="Slug" name="slug" placeholder="All of them" maxLength={255} />}
        <NativeSelect
          label="Where"
          value={place}
          onChange={(event) => setPlace(event.currentTarget.value)}
          data={[
            { value: '', label: 'All sites' },
            { value: 'tag', label: 'Sites with a tag' },
            ...(sites.data ?? []).map(({ id, name, url }) => ({ value: id, label: name || url })),
          ]}
        />
        {place === 'tag' && <TextInput label="Tag" name="tag" required maxLength={100} />}
        <NativeSelect label="Let through" name="allow" data={allows} />
        <TextInput label="Days to wait" name="delay_days" type="number" defaultValue={0} min={0} max={90} w={120} />
        <Button type="submit" variant="default" loading={setting.isPending}>
          Set the rule
        </Button>
      </Group>
      {setting.error && <Trouble error={setting.error} />}
    </form>
  )
}

function Windows() {
  const works = useMay('write')
  const windows = useCall('updates.windows', {}, { every: 30_000 })
  const say = useSay()
  const removing = useDo('updates.remove_window', () => say('Nothing begins at that hour any more.'))
  return (
    <Asked of={windows}>
      {(known) => (
        <>
          {known.length === 0 ? (
            <p className="soft">
              Nothing is updated by itself. At the hour of a window everything that waits and that the rules let through is.
            </p>
          ) : (
            <table className="rows stack">
              <thead>
                <tr>
                  <th scope="col">When</th>
                  <th scope="col">Sites</th>
                  <th scope="col">Next</th>
                  <th scope="col">Last</th>
                  <th scope="col">
                    <span className="sr">Actions</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {known.map((window) => (
                  <tr key={window.id}>
                    <td>
                      <b>
                        {window.weekday === null ? 'Daily' : days[window.weekday]} at {window.at} UTC
                      </b>
                    </td>
                    <td data-label="Sites">{window.tag ? `Tag ${window.tag}` : 'All'}</td>
                    <td data-label="Next">
                      <When at={window.next_at} />
                    </td>
                    <td data-label="Last">
                      <When at={window.last_at} never="not yet" />{' '}
                      {window.last_reason ??
                        (window.last_rollout_id && <Link href={`/rollouts/${window.last_rollout_id}`}>What became of it</Link>)}
                    </td>
                    <td className="act">
                      {works && (
                        <Button
                          size="xs"
                          variant="default"
                          aria-label={`Remove the window at ${window.at}`}
                          onClick={() => removing.mutate({ window_id: window.id }, { onError: (error) => say(messageOf(error)) })}
                        >
                          Remove
                        </Button>
                      )}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
          {works && <NewWindow />}
        </>
      )}
    </Asked>
  )
}

function NewWindow() {
  const say = useSay()
  const adding = useDo('updates.add_window', () => say('The window is added.'))
  const send = (event: FormEvent<HTMLFormElement>) => {
    const { weekday, ...window } = given(event)
    adding.mutate({ ...window, ...(weekday && { weekday: Number(weekday) }) } as Input<'updates.add_window'>)
  }
  return (
    <form onSubmit={send}>
      <Group align="end" mt="md" gap="sm" className="fields">
        <NativeSelect
          label="On"
          name="weekday"
          data={[{ value: '', label: 'Every day' }, ...days.map((label, value) => ({ value: String(value), label }))]}
        />
        <TextInput label="At (UTC)" name="at" type="time" defaultValue="02:00" required />
        <TextInput label="Only sites with the tag" name="tag" placeholder="All sites" maxLength={100} />
        <Button type="submit" variant="default" loading={adding.isPending}>
          Add the window
        </Button>
      </Group>
      {adding.error && <Trouble error={adding.error} />}
    </form>
  )
}
