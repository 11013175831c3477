import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { askSession } from '../api.ts'
import { fieldsOf } from '../sign-in/form.tsx'
import { passkeysHere } from '../sign-in/passkeys-here.ts'
import { T, t } from '../text.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { FormFooter } from '../ui/FormFooter.tsx'
import { When } from '../ui/parts.tsx'
import { useSay } from '../ui/toasts.tsx'
import { type Added, type Factors, type Passkey, useAnew } from './ask.ts'
import { browserOf } from './browser-of.ts'
import { useProven, Wrong } from './proving.tsx'
import { ShownOnce } from './RecoveryCodes.tsx'

type Open = { what: 'rename' | 'remove'; passkey: Passkey }

export function Passkeys({ factors }: { factors: Factors }) {
  const { passkeys, passkeys_at, passkeys_refused } = factors
  const anew = useAnew()
  const say = useSay()
  const [open, setOpen] = useState<Open>()
  const [codes, setCodes] = useState<string[] | null>(null)
  const [adding, asked] = useProven(
    async () => {
      const { makePasskey } = await import('../sign-in/passkey.ts')
      return askSession<Added>('/passkeys', { name: browserOf(navigator.userAgent), response: await makePasskey() })
    },
    ({ recovery_codes }) => {
      setCodes(recovery_codes)
      say(t('The passkey is added.'))
      anew()
    },
  )
  const done = (words: string) => () => {
    setOpen(undefined)
    say(words)
    anew()
  }
  const [removing, askedToo] = useProven((id: string) => askSession('/passkeys_remove', { id }), done(t('The passkey is removed.')))
  const [renaming, never] = useProven((body: object) => askSession('/passkeys_rename', body), done(t('The passkey has its new name.')))
  return (
    <>
      <p className="soft">{t('Sign in with a finger, a face or the PIN of a device, without a password.')}</p>
      {passkeys.length > 0 && <Rows of={passkeys} onOpen={setOpen} />}
      <Wrong error={adding.error ?? removing.error} />
      {passkeysHere(passkeys_at) ? (
        <Button variant="default" mt="sm" loading={adding.isPending} onClick={() => adding.mutate(undefined)}>
          {t('Add a passkey')}
        </Button>
      ) : (
        <p>{whyNot(passkeys_at, passkeys_refused)}</p>
      )}
      {asked}
      {askedToo}
      {never}
      {codes && <ShownOnce codes={codes} onClose={() => setCodes(null)} />}
      {open?.what === 'rename' && (
        <Dialog onClose={() => setOpen(undefined)} title={t('Rename the passkey')}>
          <form onSubmit={(event) => renaming.mutate({ id: open.passkey.id, ...fieldsOf(event) })}>
            <Stack gap="md">
              <TextInput label={t('Name')} name="name" defaultValue={open.passkey.name} required maxLength={60} data-autofocus />
              <Wrong error={renaming.error} />
              <FormFooter verb={t('Rename')} working={renaming.isPending} onClose={() => setOpen(undefined)} />
            </Stack>
          </form>
        </Dialog>
      )}
      {open?.what === 'remove' && (
        <Confirm
          title={t('Remove “{name}”?', { name: open.passkey.name })}
          verb={t('Remove')}
          working={removing.isPending}
          onClose={() => setOpen(undefined)}
          onConfirm={() => {
            setOpen(undefined)
            removing.mutate(open.passkey.id)
          }}
        >
          <Text size="sm">
            {passkeys.length === 1 && !factors.authenticator
              ? t('It lets nobody in any more. Your password alone lets you in then, and your recovery codes are gone.')
              : t('It lets nobody in any more.')}
          </Text>
        </Confirm>
      )}
    </>
  )
}

const whyNot = (at: string | null, refused: string | null) => {
  if (at === null) return refused
  if (new URL(at).hostname === location.hostname) return t('This browser offers no passkeys.')
  return <T message="Passkeys work where the service has its name. Open {a} to add one." a={<a href={`${at}/account`}>{at}</a>} />
}

const Rows = ({ of, onOpen }: { of: Passkey[]; onOpen: (open: Open) => void }) => (
  <table className="rows stack">
    <thead>
      <tr>
        <th scope="col">{t('Passkey')}</th>
        <th scope="col">{t('Last used')}</th>
        <th scope="col">{t('Since')}</th>
        <th scope="col">
          <span className="sr">{t('Actions')}</span>
        </th>
      </tr>
    </thead>
    <tbody>
      {of.map((passkey) => (
        <tr key={passkey.id}>
          <td>
            <b>{passkey.name}</b> <span className="soft">{passkey.synced ? t('kept by your password manager') : t('on one device')}</span>
          </td>
          <td data-label={t('Last used')}>
            <When at={passkey.used_at} />
          </td>
          <td data-label={t('Since')}>
            <When at={passkey.created_at} />
          </td>
          <td className="act">
            <Group gap="xs" wrap="nowrap">
              <Button
                size="xs"
                variant="default"
                aria-label={t('Rename {name}', { name: passkey.name })}
                onClick={() => onOpen({ what: 'rename', passkey })}
              >
                {t('Rename')}
              </Button>
              <Button
                size="xs"
                variant="default"
                aria-label={t('Remove {name}', { name: passkey.name })}
                onClick={() => onOpen({ what: 'remove', passkey })}
              >
                {t('Remove')}
              </Button>
            </Group>
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)
