import { Button, Checkbox, Group, NativeSelect, TextInput } from '@mantine/core'
import type { FormEvent } from 'react'
import { useSearchParams } from 'wouter'
import { addressOf, type Input } from '../api.ts'
import { usePages } from '../queries.ts'
import { SettingsNav } from '../settings/SettingsNav.tsx'
import { Empty, Page, State, type Tone, Trouble, Waiting, When } from '../ui/parts.tsx'
import { hostOf, plainly } from '../words.ts'

const toneOf = (outcome: string): Tone => (outcome === 'ok' ? 'good' : outcome === 'awaiting_approval' ? 'unknown' : 'warn')

const fields = ['by', 'operation', 'outcome', 'since', 'until'] as const

/** Every call that was let in, narrowed by what the address says. */
export function AuditPage() {
  const [asked, ask] = useSearchParams()
  const filter: Input<'audit.list'> = {
    ...Object.fromEntries(fields.flatMap((field) => (asked.get(field) ? [[field, asked.get(field)]] : []))),
    ...(asked.get('reads') !== 'yes' && { changes: true }),
  }
  const rows = usePages('audit.list', { limit: 100, ...filter })
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const given = [...new FormData(event.currentTarget)].flatMap(([name, value]) => (value === '' ? [] : [[name, String(value)]]))
    ask(Object.fromEntries(given))
  }
  const has = (name: string) => asked.get(name) ?? ''
  return (
    <Page
      title="Audit log"
      about="Who called what, on which site, and how it ended. It cannot be changed, and only owners and admins read it."
      actions={
        <Group gap="xs">
          <Button variant="default" component="a" href={addressOf('audit.export', { ...filter, format: 'csv' })} download>
            Export CSV
          </Button>
          <Button variant="default" component="a" href={addressOf('audit.export', { ...filter, format: 'jsonl' })} download>
            Export JSON lines
          </Button>
        </Group>
      }
    >
      <SettingsNav here="/settings/audit" />
      <form onSubmit={send} key={asked.toString()}>
        <Group align="end" mb="md" gap="sm" className="fields">
          <TextInput label="Who" name="by" placeholder="Token or e-mail address" defaultValue={has('by')} maxLength={300} />
          <TextInput label="Operation" name="operation" placeholder="backups.create" defaultValue={has('operation')} maxLength={100} />
          <NativeSelect
            label="How it ended"
            name="outcome"
            defaultValue={has('outcome')}
            data={[
              { value: '', label: 'Any' },
              { value: 'ok', label: 'Done' },
              { value: 'awaiting_approval', label: 'Asked for approval' },
              { value: 'refused', label: 'Refused or failed' },
            ]}
          />
          <TextInput label="From" name="since" type="date" defaultValue={has('since')} />
          <TextInput label="To" name="until" type="date" defaultValue={has('until')} />
          <Checkbox label="Reads too" name="reads" value="yes" defaultChecked={has('reads') === 'yes'} mb={8} />
          <Button type="submit" variant="default">
            Show
          </Button>
        </Group>
      </form>
      {rows.error && <Trouble error={rows.error} again={() => void rows.refetch()} />}
      {rows.isPending ? (
        <Waiting />
      ) : rows.items.length === 0 ? (
        <Empty title="No such call">Nothing that was let in fits these filters.</Empty>
      ) : (
        <table className="rows stack">
          <thead>
            <tr>
              <th scope="col">Operation</th>
              <th scope="col">How it ended</th>
              <th scope="col">Who</th>
              <th scope="col">Site</th>
              <th scope="col">Through</th>
              <th scope="col">When</th>
            </tr>
          </thead>
          <tbody>
            {rows.items.map(({ id, operation, outcome, by, site_id, site_name, via, at }) => (
              <tr key={id}>
                <td className="kind">
                  <code>{operation}</code>
                </td>
                <td>
                  <State tone={toneOf(outcome)}>{outcome === 'ok' ? 'Done' : plainly(outcome)}</State>
                </td>
                <td data-label="Who">{by.name ?? by.id}</td>
                <td data-label="Site">{site_name || (site_id && hostOf(site_id))}</td>
                <td data-label="Through" className="kind">
                  {via}
                </td>
                <td data-label="When">
                  <When at={at} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {rows.hasNextPage && (
        <Button variant="default" mt="md" onClick={() => void rows.fetchNextPage()} loading={rows.isFetchingNextPage}>
          Show more
        </Button>
      )}
    </Page>
  )
}
