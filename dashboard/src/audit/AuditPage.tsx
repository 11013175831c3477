import { Button, Checkbox, Group, NativeSelect, TextInput } from '@mantine/core'
import type { FormEvent } from 'react'
import { useSearchParams } from 'wouter'
import { addressOf, type Input } from '../api.ts'
import { between } from '../days.ts'
import { usePages } from '../queries.ts'
import { SettingsNav } from '../settings/SettingsNav.tsx'
import { t } from '../text.ts'
import { Empty, More, Page, State, type Tone, Trouble, Waiting, When } from '../ui/parts.tsx'
import { amid, hostOf, plainly } from '../words.ts'

const toneOf = (outcome: string): Tone => (outcome === 'ok' ? 'good' : outcome === 'awaiting_approval' ? 'unknown' : 'warn')

const fields = ['by', 'operation', 'outcome', 'site_id', 'since', 'until'] as const

/** Every call that was let in, narrowed by what the address says. */
export function AuditPage() {
  const [asked, ask] = useSearchParams()
  const filter: Input<'audit.list'> = {
    ...Object.fromEntries(fields.flatMap((field) => (asked.get(field) ? [[field, asked.get(field)]] : []))),
    ...between({ since: asked.get('since'), until: asked.get('until') }),
    ...(asked.get('reads') !== 'yes' && { changes: true }),
  }
  const rows = usePages('audit.list', { limit: 100, ...filter }, { every: 15_000 })
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const given = [...new FormData(event.currentTarget)].flatMap(([name, value]) => (value === '' ? [] : [[name, String(value)]]))
    ask(Object.fromEntries(given))
  }
  const has = (name: string) => asked.get(name) ?? ''
  return (
    <Page
      title={t('Audit log')}
      about={t('Who called what, on which site, and how it ended. It cannot be changed, and only owners and admins read it.')}
      actions={
        <Group gap="xs">
          <Button variant="default" component="a" href={addressOf('audit.export', { ...filter, format: 'csv' })} download>
            {t('Export CSV')}
          </Button>
          <Button variant="default" component="a" href={addressOf('audit.export', { ...filter, format: 'jsonl' })} download>
            {t('Export JSON lines')}
          </Button>
        </Group>
      }
    >
      <SettingsNav here="/settings/audit" />
      <form onSubmit={send} key={asked.toString()}>
        <Group align="end" mb="md" gap="sm" className="fields">
          <TextInput label={t('Who')} name="by" placeholder={t('Name or e-mail')} defaultValue={has('by')} maxLength={300} />
          <TextInput label={t('Operation')} name="operation" placeholder="backups.create" defaultValue={has('operation')} maxLength={100} />
          <NativeSelect
            label={t('How it ended')}
            name="outcome"
            defaultValue={has('outcome')}
            data={[
              { value: '', label: t('Any') },
              { value: 'ok', label: t('Done') },
              { value: 'awaiting_approval', label: t('Asked for approval') },
              { value: 'refused', label: t('Refused or failed') },
            ]}
          />
          <TextInput label={t('Site')} name="site_id" placeholder={t('Its domain')} defaultValue={has('site_id')} maxLength={300} />
          <TextInput label={t('From')} name="since" type="date" defaultValue={has('since')} />
          <TextInput label={t('Until')} name="until" type="date" defaultValue={has('until')} />
          <Checkbox label={t('Reads too')} name="reads" value="yes" defaultChecked={has('reads') === 'yes'} mb={8} />
          <Button type="submit" variant="default">
            {t('Show')}
          </Button>
        </Group>
      </form>
      {rows.error && <Trouble error={rows.error} again={() => void rows.refetch()} />}
      {rows.isPending ? (
        <Waiting />
      ) : rows.items.length === 0 ? (
        <Empty title={t('No such call')}>{t('Nothing that was let in fits these filters.')}</Empty>
      ) : (
        <table className="rows stack">
          <thead>
            <tr>
              <th scope="col">{t('Operation')}</th>
              <th scope="col">{t('How it ended')}</th>
              <th scope="col">{t('Who')}</th>
              <th scope="col">{t('Site')}</th>
              <th scope="col">{t('Through')}</th>
              <th scope="col">{t('When')}</th>
            </tr>
          </thead>
          <tbody>
            {rows.items.map(({ id, operation, outcome, by, site_id, site_name, via, at }) => (
              <tr key={id}>
                <td className="kind">
                  <code>{operation}</code>
                </td>
                <td>
                  <State tone={toneOf(outcome)}>{outcome === 'ok' ? t('Done') : plainly(outcome)}</State>
                </td>
                <td data-label={t('Who')}>{by.name ?? by.id}</td>
                <td data-label={t('Site')}>{site_name || (site_id && hostOf(site_id))}</td>
                <td data-label={t('Through')} className="kind">
                  {amid(plainly(via))}
                </td>
                <td data-label={t('When')}>
                  <When at={at} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <More of={rows} />
    </Page>
  )
}
