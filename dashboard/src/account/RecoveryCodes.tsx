import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { askSession } from '../api.ts'
import { t } from '../text.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { State } from '../ui/parts.tsx'
import { Snippet } from '../ui/Snippet.tsx'
import { type Added, type Factors, hasFactor, useAnew } from './ask.ts'
import { useProven, Wrong } from './proving.tsx'

/** The codes, once. */
export const ShownOnce = ({ codes, onClose }: { codes: string[]; onClose: () => void }) => (
  <Dialog onClose={onClose} title={t('Keep these recovery codes')} size="md" once>
    <Text size="sm">
      {t(
        'Each lets you in once, when your app or your passkeys are out of reach. They are shown only now: keep them where you keep passwords.',
      )}
    </Text>
    <Snippet label={t('Recovery codes')} text={codes.join('\n')} />
    <Group justify="flex-end" mt="lg">
      <Button onClick={onClose}>{t('I have kept them')}</Button>
    </Group>
  </Dialog>
)

export function RecoveryCodes({ factors }: { factors: Factors }) {
  const anew = useAnew()
  const [codes, setCodes] = useState<string[] | null>(null)
  const [making, asked] = useProven(
    () => askSession<Added>('/recovery_codes', {}),
    ({ recovery_codes }) => {
      setCodes(recovery_codes)
      anew()
    },
  )
  if (!hasFactor(factors)) return <p className="soft">{t('They come with your first authenticator app or passkey.')}</p>
  const left = factors.recovery_codes_left
  return (
    <>
      <p>
        <State tone={left > 2 ? 'good' : 'warn'}>
          {left === 0 ? t('None left') : t('{codes, plural, one {# code} other {# codes}} left', { codes: left })}
        </State>
      </p>
      <Wrong error={making.error} />
      <Button variant="default" onClick={() => making.mutate(undefined)} loading={making.isPending}>
        {t('Make new codes')}
      </Button>
      <Text size="sm" c="dimmed" mt="xs">
        {t('The older ones then open nothing any more.')}
      </Text>
      {asked}
      {codes && <ShownOnce codes={codes} onClose={() => setCodes(null)} />}
    </>
  )
}
