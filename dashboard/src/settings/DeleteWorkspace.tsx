import { Button, List, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { mustProve, Proving } from '../account/proving.tsx'
import { call, Failure } from '../api.ts'
import { useElsewhere } from '../members/Leave.tsx'
import { useCall } from '../queries.ts'
import { useSession } from '../session.tsx'
import { t } from '../text.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { Asked, Trouble } from '../ui/parts.tsx'
import { useSay } from '../ui/toasts.tsx'
import { jobPath, plainly, size } from '../words.ts'

export function DeleteWorkspace() {
  const { session } = useSession()
  const [asking, setAsking] = useState(false)
  if (session.workspace?.role !== 'owner') return <p className="soft">{t('A workspace as a whole is deleted here by an owner of it.')}</p>
  return (
    <>
      <p className="soft">
        {t(
          'The workspace as a whole goes for good: its sites, their backups and history, reports, tokens and members. From that moment on nobody is let in.',
        )}
      </p>
      <Button className="danger" onClick={() => setAsking(true)}>
        {t('Delete the workspace …')}
      </Button>
      {asking && <DeleteDialog name={session.workspace.name} onClose={() => setAsking(false)} />}
    </>
  )
}

function DeleteDialog({ name, onClose }: { name: string; onClose: () => void }) {
  const say = useSay()
  const elsewhere = useElsewhere()
  const [proving, setProving] = useState(false)
  // Nothing of what is on screen is asked anew: it is not there any more.
  const deleting = useMutation({
    mutationFn: () => call('workspaces.delete', { name, dry_run: false }),
    onSuccess: () => {
      say(t('{name} is deleted.', { name }))
      return elsewhere()
    },
    onError: (error) => setProving(mustProve(error)),
  })
  const plan = useCall('workspaces.delete', { dry_run: true }, { every: 5000, enabled: deleting.isIdle || deleting.isError })
  const wrong = deleting.error instanceof Failure ? deleting.error.fields.name : undefined
  if (proving)
    return (
      <Proving
        second
        onClose={() => setProving(false)}
        onProven={() => {
          setProving(false)
          deleting.mutate()
        }}
      />
    )
  return (
    <Confirm
      title={t('Delete {name}?', { name })}
      size="lg"
      verb={t('Delete for good')}
      working={deleting.isPending}
      impossible={plan.data === undefined || plan.data.under_way.length > 0}
      typed={name}
      error={wrong}
      onClose={onClose}
      onConfirm={() => deleting.mutate()}
    >
      <Asked of={plan} rows={4}>
        {({ held, under_way }) => (
          <>
            <Text size="sm">{t('This goes with it, and cannot be taken back:')}</Text>
            <List size="sm" my="xs">
              <List.Item>
                {t('{sites, plural, one {# site with its history} other {# sites with their history}}', { sites: held.sites })}
              </List.Item>
              <List.Item>
                {t('{backups, plural, one {# backup} other {# backups}}, {size} in the store', {
                  backups: held.backups,
                  size: size(held.stored_bytes),
                })}
              </List.Item>
              <List.Item>
                {t(
                  '{reports, plural, one {# report} other {# reports}} and {links, plural, one {# link} other {# links}} that clients were given',
                  {
                    reports: held.reports,
                    links: held.report_links,
                  },
                )}
              </List.Item>
              <List.Item>{t('{tokens, plural, one {# token} other {# tokens}} of agents and programs', { tokens: held.tokens })}</List.Item>
              <List.Item>
                {t(
                  '{members, plural, one {# member} other {# members}} and {invitations, plural, one {# invitation} other {# invitations}}',
                  {
                    members: held.members,
                    invitations: held.invitations,
                  },
                )}
              </List.Item>
            </List>
            <Text size="sm">
              {t(
                'The sites themselves stay as they are. Each that can be reached forgets this service; the plugin stays installed: deactivate and delete it there.',
              )}
            </Text>
            {under_way.length > 0 && (
              <>
                <Text size="sm" mt="sm">
                  {t('What is under way has to end first, or be canceled:')}
                </Text>
                <List size="sm" my="xs">
                  {under_way.map(({ id, type, site }) => (
                    <List.Item key={id}>
                      <Link href={jobPath(id)}>{plainly(type)}</Link> {site}
                    </List.Item>
                  ))}
                </List>
              </>
            )}
          </>
        )}
      </Asked>
      {deleting.error && !wrong && !mustProve(deleting.error) && <Trouble error={deleting.error} />}
    </Confirm>
  )
}
