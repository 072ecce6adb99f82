/** The dialog for the address and events of a webhook. */
import { useState } from 'react'
import { asProblem } from '@/api/problem'
import type { NewWebhook, Webhook } from '@/api/schema'
import { Button } from '@/ui/controls/Button'
import { Dialog } from '@/ui/panels/Dialog'
import { Field } from '@/ui/controls/Field'
import { Problem } from '@/ui/display/States'

type Event = NewWebhook['events'][number]

export const EVENTS: readonly (readonly [Event, string])[] = [
  ['incident.status_changed', 'an incident is open, analysing, in review, published'],
  ['analysis.finished', 'an analysis is done or failed'],
  ['hypothesis.status_changed', 'a hypothesis is supported, refuted, …'],
  ['experiment.finished', 'an experiment has its verdict'],
  ['report.approved', 'a release of the report is approved'],
]

export function WebhookDialog({
  hook,
  busy,
  error,
  onSave,
  onClose,
}: {
  /** The webhook to edit; without it the dialog adds one. */
  readonly hook?: Webhook
  readonly busy: boolean
  readonly error: Error | null
  readonly onSave: (body: NewWebhook) => void
  readonly onClose: () => void
}) {
  const [url, setUrl] = useState(hook?.url ?? '')
  const [events, setEvents] = useState<readonly Event[]>(
    EVENTS.map(([event]) => event).filter((event) => !hook || hook.events.includes(event)),
  )
  const wrong = error ? asProblem(error).errors.find((item) => item.field === 'url') : undefined
  const ready = url.trim() !== '' && events.length > 0
  const toggle = (event: Event) =>
    setEvents(events.includes(event) ? events.filter((name) => name !== event) : [...events, event])
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={hook ? 'Edit the webhook' : 'Add a webhook'}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form="webhook" variant="primary" disabled={!ready} busy={busy}>
            {hook ? 'Save' : 'Add'}
          </Button>
        </>
      }
    >
      <form
        id="webhook"
        className="settings-dialog"
        onSubmit={(event) => {
          event.preventDefault()
          if (ready && !busy) onSave({ url: url.trim(), events: [...events] })
        }}
      >
        <Field
          label="Address"
          hint="https://host/path. A private address needs PILEUP_WEBHOOK_PRIVATE=true."
          problem={wrong?.message}
        >
          {(ids) => (
            <input
              {...ids}
              className="input"
              type="url"
              autoFocus
              required
              maxLength={2000}
              value={url}
              onChange={(event) => setUrl(event.target.value)}
            />
          )}
        </Field>
        <fieldset className="webhook-events">
          <legend className="field-label">Events</legend>
          {EVENTS.map(([event, when]) => (
            <label key={event} className="choice">
              <input
                type="checkbox"
                checked={events.includes(event)}
                onChange={() => toggle(event)}
              />
              <span>
                {when} <span className="faint mono">{event}</span>
              </span>
            </label>
          ))}
        </fieldset>
        {error && !wrong && <Problem compact error={error} what="The webhook was not saved" />}
      </form>
    </Dialog>
  )
}
