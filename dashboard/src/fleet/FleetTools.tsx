import { Button, Checkbox, Group, Menu, Stack } from '@mantine/core'
import { useState } from 'react'
import { T, t } from '../text.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { LineDialog } from '../ui/LineDialog.tsx'
import type { MenuParts } from '../ui/MenuButton.tsx'
import { OpenedMenu } from '../ui/OpenedMenu.tsx'
import { type ColumnName, columnOf, columns } from './columns.tsx'
import { useViews, type View } from './views.ts'

/** Which columns are shown. */
export function ColumnsDialog({
  shown,
  onChange,
  onClose,
}: {
  shown: ColumnName[]
  onChange: (shown: ColumnName[]) => void
  onClose: () => void
}) {
  const names = Object.keys(columns) as ColumnName[]
  return (
    <Dialog onClose={onClose} title={t('Columns')}>
      <Stack gap="xs">
        {names.map((name) => (
          <Checkbox
            key={name}
            label={columnOf(name).label}
            checked={shown.includes(name)}
            onChange={(event) => {
              const on = event.currentTarget.checked
              onChange(names.filter((each) => (each === name ? on : shown.includes(each))))
            }}
          />
        ))}
      </Stack>
      <Group justify="flex-end" mt="lg">
        <Button onClick={onClose}>{t('Done')}</Button>
      </Group>
    </Dialog>
  )
}

/** Takes over what this browser kept before the server did. */
export function ViewsTaken() {
  useViews()
  return null
}

/** Filters and columns by a name. */
export function ViewsMenu({
  button,
  shown,
  onOpen,
}: MenuParts & { shown: Omit<View, 'name'>; onOpen: (view: Omit<View, 'name'>) => void }) {
  const { views, lasting, look, save, forget } = useViews()
  const [naming, setNaming] = useState(false)
  return (
    <>
      <OpenedMenu button={button} position="bottom-end" width={240} onOpen={look}>
        <Menu.Item onClick={() => onOpen({ query: '' })}>{t('All sites, most urgent first')}</Menu.Item>
        {views.map((view) => (
          <Menu.Item key={view.name} onClick={() => onOpen(view)}>
            {view.name}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={() => setNaming(true)}>{t('Save this view …')}</Menu.Item>
        {views.map((view) => (
          <Menu.Item key={view.name} onClick={() => forget(view.name)}>
            <T message="Forget “{name}”" name={view.name} />
          </Menu.Item>
        ))}
      </OpenedMenu>
      {naming && (
        <LineDialog
          title={t('Save this view')}
          label={t('Name')}
          description={
            lasting
              ? t('The search, the filters, the order and the columns; kept for you, on every device.')
              : t('The search, the filters, the order and the columns; kept in this browser.')
          }
          maxLength={60}
          verb={t('Save')}
          onClose={() => setNaming(false)}
          onLine={(name) => {
            save({ name, ...shown })
            setNaming(false)
          }}
        />
      )}
    </>
  )
}
