/** The vendor's ticket of an action, and the check that follows weeks later. */
import { type SyntheticEvent, useState } from 'react'
import { Button } from '@/ui/controls/Button'
import { EditableField } from '@/ui/controls/EditableField'
import { Field } from '@/ui/controls/Field'
import type { Action, ActionChange } from './queries'
import './ticketAndCheck.css'

const TICKET = [
  ['ticket_tracker', 'Tracker', 'bugs.mysql.com'],
  ['ticket_number', 'Number', '100512'],
  ['ticket_url', 'Address', 'https://bugs.mysql.com/bug.php?id=100512'],
  ['ticket_state', 'State', 'verified'],
  ['ticket_fixed_in', 'Fixed in', '8.0.30'],
] as const

const OUTCOMES: readonly (readonly [Action['check_outcome'], string])[] = [
  ['', 'not yet done'],
  ['held', 'held'],
  ['not_held', 'did not hold'],
]

export function TicketAndCheck({
  action,
  mayWrite,
  onSave,
}: {
  readonly action: Action
  readonly mayWrite: boolean
  readonly onSave: (body: ActionChange, saved: () => void) => void
}) {
  const [edits, setEdits] = useState<Partial<Action>>({})
  const draft = { ...action, ...edits }
  const set = (change: Partial<Action>) => setEdits({ ...edits, ...change })
  const name = [action.ticket_tracker, action.ticket_number].filter(Boolean).join(' ')
  const ticket = [
    name,
    action.ticket_state,
    action.ticket_fixed_in && `fixed in ${action.ticket_fixed_in}`,
  ]
    .filter(Boolean)
    .join(', ')
  const due = action.check_due ? `, due ${action.check_due}` : ''
  const outcome = OUTCOMES.find(([value]) => value === action.check_outcome)?.[1] ?? ''
  const hasCheck = action.check_what !== '' || action.check_due !== null
  const isLink = /^https?:\/\//i.test(action.ticket_url)
  const save = (event: SyntheticEvent) => {
    event.preventDefault()
    onSave(edits, () => setEdits({}))
  }
  return (
    <div className="action-more">
      {(ticket || action.ticket_url) && (
        <p>
          Vendor ticket:{' '}
          {isLink ? (
            <a href={action.ticket_url} target="_blank" rel="noreferrer noopener">
              {ticket || action.ticket_url}
            </a>
          ) : (
            ticket
          )}
        </p>
      )}
      {hasCheck && (
        <p>
          Follow-up check: {action.check_what || 'check'}
          {due}: {outcome}
          {action.check_result && ` (${action.check_result})`}
        </p>
      )}
      {mayWrite && (
        <details>
          <summary>Vendor ticket and follow-up check</summary>
          <form onSubmit={save}>
            <div className="action-more-fields">
              {TICKET.map(([field, label, example]) => (
                <EditableField
                  key={field}
                  label={label}
                  placeholder={example}
                  value={draft[field]}
                  onChange={(text) => set({ [field]: text })}
                />
              ))}
              <EditableField
                label="Follow-up check"
                placeholder="still fine after four weeks"
                value={draft.check_what}
                onChange={(text) => set({ check_what: text })}
              />
              <DateField
                label="Check due"
                value={draft.check_due}
                onChange={(date) => set({ check_due: date })}
              />
              <EditableField
                label="Check result"
                options={OUTCOMES}
                value={draft.check_outcome}
                onChange={(text) => set({ check_outcome: text as Action['check_outcome'] })}
              />
              <DateField
                label="Checked on"
                value={draft.checked_on}
                onChange={(date) => set({ checked_on: date })}
              />
              <EditableField
                label="What it showed"
                value={draft.check_result}
                onChange={(text) => set({ check_result: text })}
              />
            </div>
            <Button type="submit" size="small">
              Save
            </Button>
          </form>
        </details>
      )}
    </div>
  )
}

function DateField({
  label,
  value,
  onChange,
}: {
  readonly label: string
  readonly value: string | null
  readonly onChange: (date: string | null) => void
}) {
  return (
    <Field label={label}>
      {(ids) => (
        <input
          {...ids}
          className="input"
          type="date"
          value={value ?? ''}
          onChange={(event) => onChange(event.target.value || null)}
        />
      )}
    </Field>
  )
}
