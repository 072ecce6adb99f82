/** A note on an instant or a range. What was typed stays until it is saved. */
import { useState } from 'react'
import { iso, type Interval } from '@/charts/time'
import { useZone } from '@/state/incident'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { Field } from '@/ui/Field'
import { Problem } from '@/ui/States'
import { useAddAnnotation } from './queries'

type Props = { incidentId: string; at: Interval | number; onClose: () => void }

export function AnnotationDialog({ incidentId, at, onClose }: Props) {
  const zone = useZone()
  const add = useAddAnnotation(incidentId)
  const [text, setText] = useState('')
  const [start, end] = typeof at === 'number' ? [at, null] : at
  const save = () =>
    add.mutate(
      { start: iso(start), end: end === null ? null : iso(end), text: text.trim() },
      { onSuccess: onClose },
    )
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title="Note on the timeline"
      description={`${zone.format(start)}${end === null ? '' : ` – ${zone.format(end, 'clock')}`} ${zone.label}`}
      footer={
        <Button variant="primary" busy={add.isPending} disabled={!text.trim()} onClick={save}>
          Save the note
        </Button>
      }
    >
      {add.isError && <Problem compact error={add.error} what="The note was not saved" />}
      <Field label="What happened">
        {(ids) => (
          <textarea
            {...ids}
            rows={3}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
    </Dialog>
  )
}
