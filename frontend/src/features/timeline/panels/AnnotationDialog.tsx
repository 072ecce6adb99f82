/** A note on an instant or a range, new or to be changed. What was typed stays until it is saved. */
import { useState } from 'react'
import type { Interval } from '@/charts/range'
import { iso, parseIso } from '@/charts/time'
import { useZone } from '@/state/incident'
import { useStored } from '@/state/stored'
import { Button } from '@/ui/controls/Button'
import { Dialog } from '@/ui/panels/Dialog'
import { EditableField } from '@/ui/controls/EditableField'
import { Field } from '@/ui/controls/Field'
import { Time } from '@/ui/display/Value'
import { Problem } from '@/ui/display/States'
import type { Annotation } from '../model/documents'
import { useAddAnnotation, useDeleteAnnotation, useEditAnnotation } from '../model/queries'

const KINDS = [
  ['note', 'note'],
  ['decision', 'decision of the team'],
] as const

const PRECISIONS = [
  ['exact', 'exact'],
  ['about', 'approximate'],
  ['day', 'only the day is known'],
] as const

type Props = {
  readonly incidentId: string
  /** Where a new note goes, or the note to change. */
  readonly at: Interval | number | Annotation
  readonly mayWrite: boolean
  readonly onClose: () => void
}

export function AnnotationDialog({ incidentId, at, mayWrite, onClose }: Props) {
  const zone = useZone()
  const add = useAddAnnotation(incidentId)
  const edit = useEditAnnotation(incidentId)
  const remove = useDeleteAnnotation(incidentId)
  const note = typeof at === 'object' && 'text' in at ? at : null
  const [text, setText] = useStored(note ? null : `draft.note.${incidentId}`, note?.text ?? '')
  const [kind, setKind] = useState<Annotation['kind']>(note?.kind ?? 'note')
  const [precision, setPrecision] = useState<Annotation['precision']>(note?.precision ?? 'exact')
  const [start, end] = note
    ? [parseIso(note.start) ?? 0, parseIso(note.end)]
    : typeof at === 'number'
      ? [at, null]
      : (at as Interval)
  const save = () => {
    if (note) edit.mutate({ note, text: text.trim(), kind, precision }, { onSuccess: onClose })
    else {
      add.mutate(
        {
          start: iso(start),
          end: end === null ? null : iso(end),
          text: text.trim(),
          kind,
          precision,
        },
        {
          onSuccess: () => {
            setText('')
            onClose()
          },
        },
      )
    }
  }
  const failed = add.error ?? edit.error ?? remove.error
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={note ? `Note by ${note.author ?? 'somebody'}` : 'Note on the timeline'}
      description={`${zone.format(start)}${end === null ? '' : ` – ${zone.format(end, 'clock')}`} ${zone.label}`}
      footer={
        mayWrite && (
          <>
            {note && (
              <Button
                variant="danger"
                busy={remove.isPending}
                onClick={() => remove.mutate(note.id, { onSuccess: onClose })}
              >
                Delete the note
              </Button>
            )}
            <Button
              variant="primary"
              busy={add.isPending || edit.isPending}
              disabled={
                !text.trim() ||
                (text === note?.text && kind === note.kind && precision === note.precision)
              }
              onClick={save}
            >
              Save the note
            </Button>
          </>
        )
      }
    >
      {failed && <Problem compact error={failed} what="The note was not saved" />}
      <Field label="What happened">
        {(ids) => (
          <textarea
            {...ids}
            rows={3}
            maxLength={2000}
            readOnly={!mayWrite}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
      <EditableField
        label="Kind"
        disabled={!mayWrite}
        options={KINDS}
        value={kind}
        onChange={(next) => setKind(next as Annotation['kind'])}
      />
      <EditableField
        label="Time"
        disabled={!mayWrite}
        options={PRECISIONS}
        value={precision}
        onChange={(next) => setPrecision(next as Annotation['precision'])}
      />
      {note && (
        <p className="faint">
          Recorded <Time at={note.created_at} zone />
        </p>
      )}
    </Dialog>
  )
}
