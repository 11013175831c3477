import { ActionIcon, CopyButton, Tooltip } from '@mantine/core'
import { t } from '../text.ts'
import { Icon } from './icons.tsx'

/** Text to take along, with a button that copies it. */
export const Snippet = ({ text, label, big = false }: { text: string; label: string; big?: boolean }) => (
  <div className={big ? 'code big' : 'code'}>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it */}
    <section tabIndex={0} aria-label={label}>
      <pre>{text}</pre>
    </section>
    <CopyButton value={text} timeout={2500}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? t('Copied') : t('Copy')}>
          <ActionIcon
            variant="default"
            size="lg"
            onClick={copy}
            aria-label={copied ? t('{label}: copied', { label }) : t('Copy: {label}', { label })}
          >
            <Icon name={copied ? 'check' : 'copy'} />
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  </div>
)
