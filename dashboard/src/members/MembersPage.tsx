import { Button, Select, Text } from '@mantine/core'
import { useState } from 'react'
import type { Item } from '../api.ts'
import { messageOf, useCall, useDo } from '../queries.ts'
import { useMay, useSession } from '../session.tsx'
import { t } from '../text.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { Icon } from '../ui/icons.tsx'
import { Asked, Empty, Page, Trouble, When } from '../ui/parts.tsx'
import { useSay } from '../ui/toasts.tsx'
import { amid, plainly } from '../words.ts'
import { InviteDialog } from './InviteDialog.tsx'
import { Leave } from './Leave.tsx'
import { type Role, roles } from './roles.ts'
import { type Sees, SeesSelect, seesInWords } from './SeesSelect.tsx'

type Member = Item<'members.list'>

export function MembersPage() {
  const manages = useMay('manage')
  const members = useCall('members.list', {}, { every: 5000, enabled: manages })
  const [inviting, setInviting] = useState(false)
  if (!manages)
    return (
      <Page title={t('Members')}>
        <Empty title={t('For owners and admins')}>{t('An owner or admin sees who is a member, and invites people.')}</Empty>
      </Page>
    )
  return (
    <Page
      title={t('Members')}
      about={t('The people of this workspace. A change of role holds from their next click on.')}
      actions={
        <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setInviting(true)}>
          {t('Invite a person')}
        </Button>
      }
    >
      <Asked of={members}>
        {(all) => (
          <table className="rows stack">
            <thead>
              <tr>
                <th scope="col">{t('Person')}</th>
                <th scope="col">{t('Role')}</th>
                <th scope="col">{t('Last here')}</th>
                <th scope="col">{t('Member since')}</th>
                <th scope="col">
                  <span className="sr">{t('Actions')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {all.map((member) => (
                <Row key={member.id} member={member} />
              ))}
            </tbody>
          </table>
        )}
      </Asked>
      <Invitations />
      {inviting && <InviteDialog onClose={() => setInviting(false)} />}
    </Page>
  )
}

function Row({ member }: { member: Member }) {
  const { session } = useSession()
  const say = useSay()
  const [asking, setAsking] = useState(false)
  const owner = session.workspace?.role === 'owner'
  const mayTouch = owner || member.role !== 'owner'
  const setting = useDo('members.set', ({ email, role, sees }) =>
    say(
      sees
        ? t('{email} is now {role}, and sees {sites}.', { email, role: amid(plainly(role)), sites: amid(seesInWords(sees)) })
        : t('{email} is now {role}.', { email, role: amid(plainly(role)) }),
    ),
  )
  const removing = useDo('members.remove', ({ email }) => {
    setAsking(false)
    say(t('{email} is no member any more.', { email }))
  })
  const set = (next: { role: Role; sees?: Sees }) =>
    setting.mutate({ user_id: member.id, ...next }, { onError: (error) => say(messageOf(error)) })
  const mine = member.id === session.user?.id
  return (
    <tr>
      <td>
        <b>{member.email}</b> {mine && <span className="soft">{t('(you)')}</span>}
      </td>
      <td>
        <Select
          size="xs"
          w={130}
          aria-label={t('Role of {email}', { email: member.email })}
          data={roles
            .filter(({ value }) => owner || value !== 'owner' || member.role === 'owner')
            .map(({ value, label }) => ({ value, label }))}
          value={member.role}
          disabled={!mayTouch || setting.isPending}
          onChange={(role) => role && set({ role: role as Role, ...(role !== 'viewer' && { sees: null }) })}
        />
        {member.role === 'viewer' && (
          <SeesSelect
            size="xs"
            sees={member.sees}
            label={t('Sites that {email} sees', { email: member.email })}
            disabled={!mayTouch || setting.isPending}
            onChange={(sees) => set({ role: 'viewer', sees })}
          />
        )}
      </td>
      <td data-label={t('Last here')}>
        <When at={member.last_seen_at} never={t('not lately')} />
      </td>
      <td data-label={t('Since')}>
        <When at={member.since} />
      </td>
      <td className="act">
        {mine && <Leave size="xs" />}
        {mayTouch && !mine && (
          <Button size="xs" variant="default" onClick={() => setAsking(true)} aria-label={t('Remove {email}', { email: member.email })}>
            {t('Remove')}
          </Button>
        )}
        {asking && (
          <Confirm
            title={t('Remove {email}?', { email: member.email })}
            verb={t('Remove')}
            working={removing.isPending}
            error={removing.error && messageOf(removing.error)}
            onClose={() => setAsking(false)}
            onConfirm={() => removing.mutate({ user_id: member.id })}
          >
            <Text size="sm">
              {t('They see nothing of this workspace from their next click on. Tokens they made belong to the workspace and stay.')}
            </Text>
          </Confirm>
        )}
      </td>
    </tr>
  )
}

function Invitations() {
  const invitations = useCall('members.invitations', {}, { every: 5000 })
  const say = useSay()
  const withdrawing = useDo('members.withdraw', ({ email }) => say(t('The invitation of {email} is withdrawn.', { email })))
  if (invitations.error && !invitations.data) return <Trouble error={invitations.error} again={() => void invitations.refetch()} />
  if (!invitations.data?.length) return null
  return (
    <section>
      <h2>{t('Invited')}</h2>
      <table className="rows stack">
        <thead>
          <tr>
            <th scope="col">{t('Person')}</th>
            <th scope="col">{t('Role')}</th>
            <th scope="col">{t('Invited by')}</th>
            <th scope="col">{t('Ends')}</th>
            <th scope="col">
              <span className="sr">{t('Actions')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {invitations.data.map(({ id, email, role, sees, invited_by, expires_at }) => (
            <tr key={id}>
              <td>
                <b>{email}</b>
              </td>
              <td>
                {plainly(role)}
                {sees && <span className="soft"> {amid(seesInWords(sees))}</span>}
              </td>
              <td data-label={t('Invited by')}>{invited_by}</td>
              <td data-label={t('Ends')}>
                <When at={expires_at} />
              </td>
              <td className="act">
                <Button
                  size="xs"
                  variant="default"
                  aria-label={t('Withdraw the invitation of {email}', { email })}
                  onClick={() => withdrawing.mutate({ invitation_id: id }, { onError: (error) => say(messageOf(error)) })}
                >
                  {t('Withdraw')}
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
