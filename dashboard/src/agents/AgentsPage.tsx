import { Button, Switch, Text } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import type { Item } from '../api.ts'
import { messageOf, useCall, useDo } from '../queries.ts'
import { useMay } from '../session.tsx'
import { T, t } from '../text.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { Icon } from '../ui/icons.tsx'
import { Asked, Empty, Page, State, When } from '../ui/parts.tsx'
import { useSay } from '../ui/toasts.tsx'
import { PauseSwitch } from './PauseSwitch.tsx'
import { SeesWords } from './SeesField.tsx'
import { TokenDialog } from './TokenDialog.tsx'

const CallsDialog = lazy(async () => ({ default: (await import('./CallsDialog.tsx')).CallsDialog }))

type Token = Item<'tokens.list'>

export function AgentsPage() {
  const manages = useMay('manage')
  const tokens = useCall('tokens.list', {}, { every: 15_000, enabled: manages })
  const [making, setMaking] = useState(false)
  const [all, setAll] = useState(false)
  if (!manages)
    return (
      <Page title={t('Agents & API')}>
        <Empty title={t('For owners and admins')}>{t('Tokens are made by an owner or admin of the workspace. Ask one of them.')}</Empty>
      </Page>
    )
  const make = (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setMaking(true)}>
      {t('Create a token')}
    </Button>
  )
  return (
    <Page
      title={t('Agents & API')}
      about={
        <T
          message="A token lets an agent or a program work in this workspace. One for each, so that you see who did what. <a>API reference</a>"
          a={(words) => <a href="/docs">{words}</a>}
        />
      }
      actions={make}
    >
      <PauseSwitch />
      <Asked of={tokens}>
        {(known) => {
          const revoked = known.filter(({ revoked_at }) => revoked_at !== null).length
          const shown = all ? known : known.filter(({ revoked_at }) => revoked_at === null)
          return (
            <>
              {shown.length === 0 ? (
                <Empty title={t('No token yet')} action={make}>
                  {t('Create one, and connect Claude, Cursor, VS Code, Codex, a script or the command line with it.')}
                </Empty>
              ) : (
                <Tokens tokens={shown} />
              )}
              {revoked > 0 && (
                <Switch
                  mt="md"
                  checked={all}
                  onChange={(event) => setAll(event.currentTarget.checked)}
                  label={t('Show revoked ones ({revoked})', { revoked })}
                />
              )}
            </>
          )
        }}
      </Asked>
      {making && <TokenDialog onClose={() => setMaking(false)} />}
    </Page>
  )
}

const Tokens = ({ tokens }: { tokens: Token[] }) => (
  <table className="rows stack">
    <thead>
      <tr>
        <th scope="col">{t('Name')}</th>
        <th scope="col">{t('May')}</th>
        <th scope="col">{t('Last used')}</th>
        <th scope="col">{t('Created')}</th>
        <th scope="col">{t('Ends')}</th>
        <th scope="col">
          <span className="sr">{t('Actions')}</span>
        </th>
      </tr>
    </thead>
    <tbody>
      {tokens.map((token) => (
        <Row key={token.id} token={token} />
      ))}
    </tbody>
  </table>
)

function Row({ token }: { token: Token }) {
  const say = useSay()
  const [asking, setAsking] = useState(false)
  const [looking, setLooking] = useState(false)
  const revoking = useDo('tokens.revoke', () => {
    setAsking(false)
    say(t('“{name}” is revoked. It is refused everywhere from now on.', { name: token.name }))
  })
  const over = token.expires_at !== null && Date.parse(token.expires_at) < Date.now()
  return (
    <tr>
      <td>
        <b>{token.name}</b>
        <br />
        <small>
          <code>{token.prefix}…</code>
        </small>
      </td>
      <td>
        {token.scope === 'read' ? t('Read') : token.approval_only ? t('Write, after approval') : t('Read and write')}
        <div className="soft">
          <SeesWords sees={token.sees} />
        </div>
        {token.revoked_at !== null ? <State tone="unknown">{t('Revoked')}</State> : over && <State tone="unknown">{t('Expired')}</State>}
      </td>
      <td data-label={t('Last used')}>
        <When at={token.last_used_at} />
        <Whence token={token} />
      </td>
      <td data-label={t('Created')}>
        <When at={token.created_at} />
      </td>
      <td data-label={t('Ends')}>
        <When at={token.expires_at} never={t('never')} />
      </td>
      <td className="act">
        <Button size="xs" variant="default" onClick={() => setLooking(true)} aria-label={t('What it did: {name}', { name: token.name })}>
          {t('What it did')}
        </Button>{' '}
        {token.revoked_at === null && (
          <Button size="xs" variant="default" onClick={() => setAsking(true)} aria-label={t('Revoke {name}', { name: token.name })}>
            {t('Revoke')}
          </Button>
        )}
        {looking && (
          <Suspense>
            <CallsDialog token={token} onClose={() => setLooking(false)} />
          </Suspense>
        )}
        {asking && (
          <Confirm
            title={t('Revoke “{name}”?', { name: token.name })}
            verb={t('Revoke')}
            working={revoking.isPending}
            error={revoking.error && messageOf(revoking.error)}
            onClose={() => setAsking(false)}
            onConfirm={() => revoking.mutate({ token_id: token.id })}
          >
            <Text size="sm">
              {t('Whatever uses it is refused at once, on every node. It cannot be taken back; make a new token instead.')}
            </Text>
          </Confirm>
        )}
      </td>
    </tr>
  )
}

/** From where, and by what client, as it says of itself. */
function Whence({ token }: { token: Token }) {
  const parts = [token.last_used_client, token.last_used_from].filter(Boolean)
  return parts.length > 0 ? <div className="soft">{parts.join(', ')}</div> : null
}
