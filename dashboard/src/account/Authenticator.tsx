import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { askSession } from '../api.ts'
import { fieldsOf, wrongIn } from '../sign-in/form.tsx'
import { T, t } from '../text.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { FormFooter } from '../ui/FormFooter.tsx'
import { State, When } from '../ui/parts.tsx'
import { Snippet } from '../ui/Snippet.tsx'
import { useSay } from '../ui/toasts.tsx'
import { type Added, type Factors, useAnew } from './ask.ts'
import { useProven, Wrong } from './proving.tsx'
import { Qr } from './Qr.tsx'
import { ShownOnce } from './RecoveryCodes.tsx'

interface Offer {
  secret: string
  uri: string
}

export function Authenticator({ factors: { authenticator, passkeys } }: { factors: Factors }) {
  const anew = useAnew()
  const say = useSay()
  const [offer, setOffer] = useState<Offer>()
  const [codes, setCodes] = useState<string[] | null>(null)
  const [removing, setRemoving] = useState(false)
  const [offering, asked] = useProven(() => askSession<Offer>('/authenticator_offer', {}), setOffer)
  const [removed, askedToo] = useProven(
    () => askSession<Factors>('/authenticator_remove', {}),
    () => {
      say(t('The authenticator app is removed.'))
      anew()
    },
  )
  const taken = ({ recovery_codes }: Added) => {
    setOffer(undefined)
    setCodes(recovery_codes)
    say(t('From now on a code of the app is asked for.'))
    anew()
  }
  return (
    <>
      {authenticator ? (
        <p>
          <T message="{state} since {when}" state={<State tone="good">{t('In force')}</State>} when={<When at={authenticator.since} />} />
        </p>
      ) : (
        <p className="soft">{t('An app on your phone shows a code, which is asked for after the password.')}</p>
      )}
      <Wrong error={offering.error ?? removed.error} />
      <Group gap="xs">
        <Button variant="default" loading={offering.isPending} onClick={() => offering.mutate(undefined)}>
          {authenticator ? t('Use another app') : t('Set up an app')}
        </Button>
        {authenticator && (
          <Button variant="default" loading={removed.isPending} onClick={() => setRemoving(true)}>
            {t('Remove')}
          </Button>
        )}
      </Group>
      {asked}
      {askedToo}
      {offer && <SetUp offer={offer} onClose={() => setOffer(undefined)} onTaken={taken} />}
      {codes && <ShownOnce codes={codes} onClose={() => setCodes(null)} />}
      {removing && (
        <Confirm
          title={t('Remove the authenticator app?')}
          verb={t('Remove')}
          working={removed.isPending}
          onClose={() => setRemoving(false)}
          onConfirm={() => {
            setRemoving(false)
            removed.mutate(undefined)
          }}
        >
          <Text size="sm">
            {passkeys.length > 0
              ? t('Your passkeys stay, and the password alone still lets nobody in.')
              : t('Your password alone lets you in then, and your recovery codes are gone.')}
          </Text>
        </Confirm>
      )}
    </>
  )
}

function SetUp({ offer: { secret, uri }, onClose, onTaken }: { offer: Offer; onClose: () => void; onTaken: (added: Added) => void }) {
  const taking = useMutation({ mutationFn: (body: object) => askSession<Added>('/authenticator', body), onSuccess: onTaken })
  const wrong = wrongIn(taking.error, 'code')
  return (
    <Dialog onClose={onClose} title={t('Set up an authenticator app')} size="md" closeOnClickOutside={false}>
      <Text size="sm">{t('Scan this with the app, then type the code it shows.')}</Text>
      <Qr text={uri} label={t('QR code for the authenticator app; the key below says the same')} />
      <Text size="sm" mt="sm">
        {t('Or type this key into it:')}
      </Text>
      <Snippet label={t('Key for the app')} text={secret.replaceAll(/(.{4})(?=.)/g, '$1 ')} />
      <form onSubmit={(event) => taking.mutate(fieldsOf(event))}>
        <Stack gap="md" mt="md">
          <TextInput label={t('Code')} name="code" inputMode="numeric" autoComplete="one-time-code" required error={wrong} data-autofocus />
          {!wrong && <Wrong error={taking.error} />}
          <FormFooter verb={t('Use this app')} working={taking.isPending} onClose={onClose} />
        </Stack>
      </form>
    </Dialog>
  )
}
