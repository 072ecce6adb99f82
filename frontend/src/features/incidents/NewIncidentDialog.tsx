/** The dialog for a new incident; only the title is required. */
import { useState } from 'react'
import type { NewIncident } from '@/api/schema'
import { Button } from '@/ui/controls/Button'
import { Dialog } from '@/ui/panels/Dialog'
import { Field } from '@/ui/controls/Field'
import { Problem } from '@/ui/display/States'
import { useCreateIncident } from './queries'

export function NewIncidentDialog({
  open,
  onOpenChange,
}: {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
}) {
  const [title, setTitle] = useState('')
  const [service, setService] = useState('')
  const [severity, setSeverity] = useState<NonNullable<NewIncident['severity']> | ''>('')
  const create = useCreateIncident()
  const submit = () =>
    create.mutate({
      title: title.trim(),
      service: service.trim() || null,
      severity: severity || null,
    })
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="New incident"
      footer={
        <>
          <Button onClick={() => onOpenChange(false)}>Cancel</Button>
          <Button
            variant="primary"
            type="submit"
            form="new-incident"
            disabled={!title.trim()}
            busy={create.isPending}
          >
            Create
          </Button>
        </>
      }
    >
      <form
        id="new-incident"
        className="incidents-form"
        onSubmit={(event) => {
          event.preventDefault()
          if (title.trim()) submit()
        }}
      >
        <Field label="Title" hint="What people saw: checkout stall, Friday 09:31">
          {(ids) => (
            <input
              {...ids}
              className="input"
              autoFocus
              maxLength={300}
              value={title}
              onChange={(event) => setTitle(event.target.value)}
            />
          )}
        </Field>
        <div className="incidents-form-row">
          <Field label="Service">
            {(ids) => (
              <input
                {...ids}
                className="input"
                maxLength={300}
                value={service}
                onChange={(event) => setService(event.target.value)}
              />
            )}
          </Field>
          <Field label="Severity">
            {(ids) => (
              <select
                {...ids}
                className="select"
                value={severity}
                onChange={(event) => setSeverity(event.target.value as typeof severity)}
              >
                <option value="">Not set</option>
                <option value="sev1">1, critical</option>
                <option value="sev2">2, high</option>
                <option value="sev3">3, medium</option>
                <option value="sev4">4, low</option>
              </select>
            )}
          </Field>
        </div>
        {create.error && (
          <Problem compact error={create.error} what="The incident was not created" />
        )}
      </form>
    </Dialog>
  )
}
