import { Alert, Text } from '@mantine/core'
import type { Output } from '../api.ts'
import { T, t } from '../text.ts'
import { SiteSaid } from '../ui/parts.tsx'
import { lasting, size } from '../words.ts'

/** What would come, go and stay, as the service found it just now. */
export function RestorePlan({ found: { plan } }: { found: Pick<Output<'restores.create'>, 'plan'> }) {
  if (!plan) return null
  const { files, tables, bytes_to_send, seconds, warnings, obstacle, lost, kept } = plan
  const rows = (what: string) => tables?.filter((table) => table.what === what).length ?? 0
  return (
    <>
      {obstacle && (
        <Alert color="red" variant="outline" mt="sm" title={t('It cannot be restored')}>
          {obstacle}
        </Alert>
      )}
      <ul>
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
              replaced={rows('replace')}
              added={rows('add')}
              removed={rows('remove')}
            />
          </li>
        )}
        <li>
          <T message="{bytes_to_send} to send, about {seconds}" bytes_to_send={size(bytes_to_send)} seconds={lasting(seconds)} />
        </li>
        {kept.length > 0 && (
          <li>
            <T message="Stays as it is: {kept}" kept={kept.slice(0, 5).join(', ')} />
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
