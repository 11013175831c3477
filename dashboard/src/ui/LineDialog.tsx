import { Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { t } from '../text.ts'
import { Dialog } from './Dialog.tsx'
import { FormFooter } from './FormFooter.tsx'
import { Trouble } from './parts.tsx'

interface LineParts {
  title: string
  label?: string
  description?: string
  maxLength?: number
  verb: string
  working?: boolean
  error?: unknown
  /** What is wrong with the line itself. */
  wrong?: string | undefined
  onClose: () => void
  onLine: (line: string) => void
}

/** Asks for one line before something is done; where nothing else is said, why. */
export function LineDialog({
  label = t('Why'),
  description = t('Colleagues and agents read it.'),
  maxLength = 500,
  title,
  verb,
  working,
  error,
  wrong,
  onClose,
  onLine,
}: LineParts) {
  const [line, setLine] = useState('')
  return (
    <Dialog onClose={onClose} title={title}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          onLine(line.trim())
        }}
      >
        <Stack gap="md">
          <TextInput
            label={label}
            description={description}
            required
            maxLength={maxLength}
            value={line}
            onChange={(event) => setLine(event.currentTarget.value)}
            error={wrong}
            data-autofocus
          />
          {error != null && <Trouble error={error} />}
          <FormFooter verb={verb} working={working ?? false} disabled={line.trim() === ''} onClose={onClose} />
        </Stack>
      </form>
    </Dialog>
  )
}
