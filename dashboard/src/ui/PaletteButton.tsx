import { ActionIcon } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { lazy, Suspense, useState } from 'react'
import { t } from '../text.ts'
import { Icon } from './icons.tsx'
import type { DialogName, Goal } from './Palette.tsx'

const Palette = lazy(async () => ({ default: (await import('./Palette.tsx')).Palette }))
const dialogs = {
  pair: lazy(async () => ({ default: (await import('../fleet/PairDialog.tsx')).PairDialog })),
  pause: lazy(async () => ({ default: (await import('../agents/PauseDialog.tsx')).PauseDialog })),
}

const keys = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘ K' : t('Ctrl K')

/** Opens the palette, as Ctrl K or ⌘ K does. */
export function PaletteButton({ pages }: { pages: Goal[] }) {
  const [opened, setOpened] = useState(false)
  const [dialog, setDialog] = useState<DialogName>()
  const Dialog = dialog && dialogs[dialog]
  useHotkeys([['mod+K', () => setOpened((before) => !before)]], [])
  return (
    <>
      <ActionIcon
        variant="subtle"
        color="gray"
        c="inherit"
        size="lg"
        data-why={t('Go to … ({keys})', { keys })}
        onClick={() => setOpened(true)}
        aria-label={t('Go to a site or page')}
        aria-keyshortcuts="Control+K Meta+K"
      >
        <Icon name="search" />
      </ActionIcon>
      <Suspense>{opened && <Palette pages={pages} onDialog={setDialog} onClose={() => setOpened(false)} />}</Suspense>
      <Suspense>{Dialog && <Dialog onClose={() => setDialog(undefined)} />}</Suspense>
    </>
  )
}
