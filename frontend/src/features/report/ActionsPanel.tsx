/** Action items: text, owner, due date, and the experiment that verifies each. */
import { useQuery } from '@tanstack/react-query'
import { type SyntheticEvent, useState } from 'react'
import { actionsQuery, useMay } from '@/api/queries'
import { Button } from '@/ui/controls/Button'
import { NotRefreshed, Problem, SkeletonRows } from '@/ui/display/States'
import { offerUndo, useOfferUndo } from '@/ui/history/undo'
import { useDraft } from '@/ui/controls/useDraft'
import { TicketAndCheck } from './TicketAndCheck'
import {
  type Action,
  type ActionChange,
  experimentsQuery,
  useAddAction,
  useChangeAction,
  useDeleteAction,
} from './queries'

const STATUS: readonly (readonly [Action['status'], string])[] = [
  ['open', 'open'],
  ['started', 'started'],
  ['done', 'done'],
  ['dropped', 'dropped'],
]

export function ActionsPanel({ incidentId }: { readonly incidentId: string }) {
  const mayWrite = useMay('contributor')
  const list = useQuery(actionsQuery(incidentId))
  const { data } = list
  const add = useAddAction(incidentId)
  const remove = useDeleteAction(incidentId)
  const offer = useOfferUndo(incidentId)
  const [what, setWhat] = useState('')
  if (list.isLoadingError) {
    return (
      <Problem
        compact
        error={list.error}
        what="The actions could not be read"
        onRetry={() => void list.refetch()}
      />
    )
  }
  if (!data) return <SkeletonRows rows={4} />
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    if (what.trim())
      add.mutate({ text: what, owner: '', status: 'open' }, { onSuccess: () => setWhat('') })
  }
  const failed = add.error ?? remove.error
  return (
    <div className="report-actions">
      <NotRefreshed query={list} />
      {data.length === 0 && (
        <p className="muted">
          No actions yet. Describe the change, then set an owner and a due date.
        </p>
      )}
      <ul className="report-list">
        {data.map((action) => (
          <ActionItem
            key={action.id}
            incidentId={incidentId}
            action={action}
            mayWrite={mayWrite}
            onDelete={() =>
              remove.mutate(action, { onSuccess: () => offer('action', action.id, action.text) })
            }
          />
        ))}
      </ul>
      {failed && <Problem compact error={failed} what="The action was not changed" />}
      {mayWrite && (
        <form className="report-new-action" onSubmit={submit}>
          <input
            className="input"
            aria-label="New action"
            placeholder="What will be changed"
            maxLength={2000}
            value={what}
            onChange={(event) => setWhat(event.target.value)}
          />
          <Button type="submit" size="small" busy={add.isPending} disabled={!what.trim()}>
            Add action
          </Button>
        </form>
      )}
    </div>
  )
}

function ActionItem({
  incidentId,
  action,
  mayWrite,
  onDelete,
}: {
  readonly incidentId: string
  readonly action: Action
  readonly mayWrite: boolean
  readonly onDelete: () => void
}) {
  const change = useChangeAction(incidentId, action)
  const { data: experiments } = useQuery(experimentsQuery(incidentId))
  const owner = useDraft(action.owner)
  const text = useDraft(action.text)
  const due = useDraft(action.due ?? '')
  const set = (body: ActionChange, saved?: () => void) => change.mutate(body, { onSuccess: saved })
  const setStatus = (status: Action['status']) => {
    const before = action.status
    set({ status }, () =>
      offerUndo(`Marked ${status}: ${action.text}`, () => change.mutateAsync({ status: before })),
    )
  }
  return (
    <li data-testid="report-action">
      <textarea
        className="textarea"
        aria-label="Action"
        rows={2}
        readOnly={!mayWrite}
        value={text.shown}
        onChange={(event) => text.type(event.target.value)}
        onBlur={() => text.typed?.trim() && set({ text: text.typed }, text.drop)}
      />
      <div className="report-action-fields">
        <label>
          Owner
          <input
            className="input"
            value={owner.shown}
            readOnly={!mayWrite}
            maxLength={200}
            placeholder="no owner"
            onChange={(event) => owner.type(event.target.value)}
            onBlur={() => owner.typed !== null && set({ owner: owner.typed }, owner.drop)}
          />
        </label>
        <label>
          Due
          <input
            className="input"
            type="date"
            value={due.shown}
            disabled={!mayWrite}
            onChange={({ target: { value } }) => {
              due.type(value)
              // A year that is being typed is 0002, 0020, 0202 on its way.
              if (value === '' || value >= '1000') set({ due: value || null }, due.drop)
            }}
          />
        </label>
        <label>
          Status
          <select
            className="select"
            value={action.status}
            disabled={!mayWrite}
            onChange={(event) => setStatus(event.target.value as Action['status'])}
          >
            {STATUS.map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <label>
          Verified by
          <select
            className="select"
            value={action.experiment_id ?? ''}
            disabled={!mayWrite}
            onChange={(event) => set({ experiment_id: event.target.value || null })}
          >
            <option value="">no experiment</option>
            {experiments?.map((experiment) => (
              <option key={experiment.id} value={experiment.id}>
                {experiment.number}: {experiment.title}
              </option>
            ))}
          </select>
        </label>
      </div>
      <TicketAndCheck action={action} mayWrite={mayWrite} onSave={set} />
      {change.isError && <Problem compact error={change.error} what="Not saved" />}
      {mayWrite && (
        <button type="button" className="linklike" onClick={onDelete}>
          Delete
        </button>
      )}
    </li>
  )
}
