import { Button, Group } from '@mantine/core'
import { t } from '../text.ts'

/** How a form in a dialog ends: leave it, or do it. */
export const FormFooter = ({ verb, working, disabled, onClose }: FormFooterParts) => (
  <Group justify="flex-end">
    <Button variant="default" onClick={onClose}>
      {t('Cancel')}
    </Button>
    <Button type="submit" loading={working ?? false} disabled={disabled ?? false}>
      {verb}
    </Button>
  </Group>
)
interface FormFooterParts {
  verb: string
  working?: boolean
  disabled?: boolean
  onClose: () => void
}
