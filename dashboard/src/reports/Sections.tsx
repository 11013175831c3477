import { Button, Checkbox, Group, Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import type { Input } from '../api.ts'
import { messageOf, useDo } from '../queries.ts'
import { T, t } from '../text.ts'
import { useSay } from '../ui/toasts.tsx'
import { type Section, sectionNames, sections, type WholeReport } from './tell.ts'

type Place = Section | 'summary'

/** What a report tells, and what people say about it. */
export function Sections({ report, disabled }: { report: WholeReport; disabled: boolean }) {
  return (
    <section>
      <h2>{t('Sections')}</h2>
      <table className="rows stack">
        <thead>
          <tr>
            <th scope="col">{t('Section')}</th>
            <th scope="col">{t('Shown')}</th>
            <th scope="col">{t('Note for the client')}</th>
          </tr>
        </thead>
        <tbody>
          <Row report={report} place="summary" name={t('At the top')} disabled={disabled} />
          {sections.map((section) => (
            <Row key={section} report={report} place={section} name={sectionNames[section]} disabled={disabled} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Row({ report, place, name, disabled }: { report: WholeReport; place: Place; name: string; disabled: boolean }) {
  const say = useSay()
  const [editing, setEditing] = useState(false)
  const annotating = useDo('reports.annotate', () => setEditing(false))
  const annotate = (change: object) =>
    annotating.mutate({ report_id: report.id, section: place, ...change } as Input<'reports.annotate'>, {
      onError: (error) => say(messageOf(error)),
    })
  const note = report.notes.find(({ section }) => section === place)
  const isHidden = place !== 'summary' && report.hidden.includes(place)
  const isShown = place === 'summary' || report.shown.includes(place)
  return (
    <tr>
      <td>
        <b>{name}</b>
      </td>
      <td data-label={t('Shown')}>
        {place === 'summary' ? (
          t('always')
        ) : isShown || isHidden ? (
          <Checkbox
            display="inline-block"
            aria-label={t('Show {name}', { name })}
            checked={!isHidden}
            disabled={disabled || annotating.isPending}
            onChange={(event) => annotate({ hidden: !event.currentTarget.checked })}
          />
        ) : (
          <span className="soft">{t('nothing to tell')}</span>
        )}
      </td>
      <td data-label={t('Note')} className="whole">
        {editing ? (
          <NoteForm
            name={name}
            text={note?.text ?? ''}
            working={annotating.isPending}
            onSave={(text) => annotate({ note: text })}
            onClose={() => setEditing(false)}
          />
        ) : (
          <Group gap="xs" justify="space-between" wrap="nowrap" align="start">
            {note ? (
              <div>
                <Text size="sm" style={{ whiteSpace: 'pre-line' }}>
                  {note.text}
                </Text>
                <span className="soft">
                  <T message="by {name}" name={note.by.name} />
                </span>
              </div>
            ) : (
              <span className="soft">{t('none')}</span>
            )}
            {!disabled && (
              <Button
                size="xs"
                variant="default"
                style={{ flex: 'none' }}
                onClick={() => setEditing(true)}
                aria-label={`${note ? t('Change the note') : t('Note something')}: ${name}`}
              >
                {note ? t('Change') : t('Note')}
              </Button>
            )}
          </Group>
        )}
      </td>
    </tr>
  )
}

interface NoteParts {
  name: string
  text: string
  working: boolean
  onSave: (text: string) => void
  onClose: () => void
}

function NoteForm({ name, text: before, working, onSave, onClose }: NoteParts) {
  const [text, setText] = useState(before)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onSave(text)
      }}
    >
      <Textarea
        aria-label={t('Note: {name}', { name })}
        autosize
        minRows={2}
        maxRows={10}
        maxLength={2000}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        data-autofocus
      />
      <Group gap="xs" mt="xs">
        <Button size="xs" type="submit" loading={working}>
          {t('Save')}
        </Button>
        <Button size="xs" variant="default" onClick={onClose}>
          {t('Cancel')}
        </Button>
      </Group>
    </form>
  )
}
