import { Alert, Text } from '@mantine/core'
import type { Output } from '../api.ts'
import { T, t } from '../text.ts'
import { Names } from '../ui/Names.tsx'
import { SiteSaid } from '../ui/parts.tsx'
import { ago, amid, inFull, lasting, plainly, size } from '../words.ts'

type Plan = NonNullable<Output<'restores.create'>['plan']>
type Later = 'backup' | 'events_removed' | 'changes'
/** One that an approval of long ago was given for lacks what was added since. */
type Shown = Omit<Plan, Later> & Partial<Pick<Plan, Later>>

/** What would come, go and stay, as the service found it just now. */
export function RestorePlan({ plan }: { plan: Shown | null }) {
  if (!plan) return null
  const { backup, files, tables, events_removed: events = [], wordpress, bytes_to_send, seconds, warnings, obstacle, lost, kept } = plan
  const changes = plan.changes ?? []
  const named = (what: string) => tables?.filter((table) => table.what === what).map(({ name }) => name) ?? []
  const [replaced, added, removed] = [named('replace'), named('add'), named('remove')]
  return (
    <>
      {obstacle && (
        <Alert color="red" variant="outline" mt="sm" title={t('It cannot be restored')}>
          {obstacle}
        </Alert>
      )}
      <ul>
        {backup && (
          <li>
            <T
              message="From the backup of {when}, {ago} ({type}): {id}"
              when={<b>{inFull(backup.created_at)}</b>}
              ago={ago(backup.created_at)}
              type={amid(plainly(backup.type))}
              id={<code>{backup.id}</code>}
            />
          </li>
        )}
        {wordpress.from !== wordpress.to && (
          <li>
            <T
              message="WordPress: {from} now, {to} afterwards"
              from={wordpress.from || t('not known')}
              to={<b>{wordpress.to || t('not known')}</b>}
            />
          </li>
        )}
        {changes.length > 0 && (
          <li>
            <T message="Of plugins and themes: {changes}" changes={<Names of={changes} />} />
          </li>
        )}
        {files && (
          <li>
            <T
              message="Files: {replace} replaced, {add} added, {remove} removed, {unchanged} as they are"
              replace={files.replace}
              add={files.add}
              remove={files.remove}
              unchanged={files.unchanged}
            />
          </li>
        )}
        {tables && (
          <li>
            <T
              message="Tables: {replaced} replaced, {added} added, {removed} removed"
              replaced={replaced.length}
              added={added.length}
              removed={removed.length}
            />
          </li>
        )}
        {removed.length > 0 && (
          <li>
            <T message="<b>Tables that are removed</b>: {names}" b={(words) => <b>{words}</b>} names={<Names of={removed} />} />
          </li>
        )}
        {events.length > 0 && (
          <li>
            <T
              message="<b>Events of the database that are removed</b>: {names}"
              b={(words) => <b>{words}</b>}
              names={<Names of={events} />}
            />
          </li>
        )}
        {replaced.length > 0 && (
          <li>
            <T message="Tables that are replaced: {names}" names={<Names of={replaced} />} />
          </li>
        )}
        {added.length > 0 && (
          <li>
            <T message="Tables that are added: {names}" names={<Names of={added} />} />
          </li>
        )}
        <li>
          <T message="{bytes_to_send} to send, about {seconds}" bytes_to_send={size(bytes_to_send)} seconds={lasting(seconds)} />
        </li>
        {kept.length > 0 && (
          <li>
            <T message="Stays as it is: {kept}" kept={<Names of={kept} />} />
          </li>
        )}
        {lost && (
          <li>
            <T
              message="Damaged in the backup, and left out: {tables, plural, one {# file or table} other {# files and tables}}"
              tables={lost.files + lost.tables}
            />
          </li>
        )}
      </ul>
      {warnings.map((warning) => (
        <Text size="sm" key={warning}>
          {warning}
        </Text>
      ))}
      <SiteSaid text={plan.site_said?.text} />
    </>
  )
}
