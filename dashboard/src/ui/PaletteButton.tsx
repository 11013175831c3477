import { ActionIcon, Tooltip } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { lazy, Suspense, useState } from 'react'
import { Icon } from './icons.tsx'
import type { Goal } from './Palette.tsx'

const Palette = lazy(async () => ({ default: (await import('./Palette.tsx')).Palette }))

const keys = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘ K' : 'Ctrl K'

/** Opens the palette, as Ctrl K or ⌘ K does. */
export function PaletteButton({ pages }: { pages: Goal[] }) {
  const [opened, setOpened] = useState(false)
  useHotkeys([['mod+K', () => setOpened((before) => !before)]], [])
  return (
    <>
      <Tooltip label={`Go to … (${keys})`}>
        <ActionIcon
          variant="subtle"
          color="gray"
          c="inherit"
          size="lg"
          onClick={() => setOpened(true)}
          aria-label="Go to a site or page"
          aria-keyshortcuts="Control+K Meta+K"
        >
          <Icon name="search" />
        </ActionIcon>
      </Tooltip>
      <Suspense>{opened && <Palette pages={pages} onClose={() => setOpened(false)} />}</Suspense>
    </>
  )
}
