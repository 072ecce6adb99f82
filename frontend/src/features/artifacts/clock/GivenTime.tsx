/** The time and host that people give to artifacts that print neither: one on its Clock tab, many at once. */
import { useState } from 'react'
import type { Artifact } from '@/api/schema'
import { draftOf, givenOf, type GivenDraft, NO_GIVEN } from '@/state/given'
import { Button } from '@/ui/controls/Button'
import { Problem } from '@/ui/display/States'
import { GivenTimeFields } from '@/ui/intake/GivenTimeFields'
import { Dialog } from '@/ui/panels/Dialog'
import { useGiveTime } from '../queries'
import { isUndated } from '../state'

/** The form of one artifact. */
export function GivenTime({
  incidentId,
  artifact,
}: {
  readonly incidentId: string
  readonly artifact: Artifact
}) {
  const stored = draftOf({
    at: artifact.given_at,
    within_s: artifact.given_within_s,
    host: artifact.given_host,
  })
  const isGiven = artifact.given_at !== null || artifact.given_host !== null
  const [draft, setDraft] = useState<GivenDraft>(isGiven ? stored : NO_GIVEN)
  const give = useGiveTime(incidentId)
  const given = givenOf(draft)
  return (
    <form
      className="clock-form"
      onSubmit={(event) => {
        event.preventDefault()
        if (given) give.mutate({ ids: [artifact.id], given })
      }}
    >
      <h3>Time and host</h3>
      <GivenTimeFields draft={draft} onChange={setDraft} />
      <div className="btn-row">
        <Button type="submit" disabled={!given} busy={give.isPending}>
          Set time and host
        </Button>
        {isGiven && (
          <Button
            variant="ghost"
            onClick={() => {
              setDraft(NO_GIVEN)
              give.mutate({ ids: [artifact.id], given: null })
            }}
          >
            Remove
          </Button>
        )}
      </div>
      <p className="faint">
        Without a time the artifact still counts as evidence; it is on no time axis.
      </p>
      {give.error && <Problem compact error={give.error} what="The time was not saved" />}
    </form>
  )
}

/** A line above the list while artifacts are undated, with the dialog that places them together. */
export function GiveTimesButton({
  incidentId,
  artifacts,
}: {
  readonly incidentId: string
  readonly artifacts: readonly Artifact[]
}) {
  const [open, setOpen] = useState(false)
  const undated = artifacts.filter(isUndated)
  if (undated.length === 0) return null
  const [first] = undated
  return (
    <div className="give-times-line">
      <span className="muted">
        {undated.length === 1
          ? `${first?.name ?? 'One artifact'} has no time, so it does not appear on the timeline.`
          : `${undated.length} artifacts have no time, so they do not appear on the timeline.`}
      </span>
      <Button size="small" onClick={() => setOpen(true)}>
        Give {undated.length === 1 ? 'it' : 'them'} a time
      </Button>
      {open && (
        <GiveTimesDialog incidentId={incidentId} undated={undated} onClose={() => setOpen(false)} />
      )}
    </div>
  )
}

/** The dialog for all artifacts of an incident that print no time. */
function GiveTimesDialog({
  incidentId,
  undated,
  onClose,
}: {
  readonly incidentId: string
  readonly undated: readonly Artifact[]
  readonly onClose: () => void
}) {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const [draft, setDraft] = useState(NO_GIVEN)
  const give = useGiveTime(incidentId)
  const given = givenOf(draft)
  const ids = undated.filter((item) => !left.has(item.id)).map((item) => item.id)
  const toggle = (id: string, isOn: boolean) => {
    const next = new Set(left)
    if (isOn) next.delete(id)
    else next.add(id)
    setLeft(next)
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Set the time of undated artifacts"
      width={720}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            type="submit"
            form="give-times"
            disabled={!given || ids.length === 0}
            busy={give.isPending}
          >
            Place {ids.length} {ids.length === 1 ? 'artifact' : 'artifacts'}
          </Button>
        </>
      }
    >
      <form
        id="give-times"
        className="give-times"
        onSubmit={(event) => {
          event.preventDefault()
          if (given) give.mutate({ ids, given }, { onSuccess: onClose })
        }}
      >
        <GivenTimeFields draft={draft} onChange={setDraft} />
        <ul className="give-times-list scroll" aria-label="Artifacts without a time">
          {undated.map((item) => (
            <li key={item.id}>
              <label>
                <input
                  type="checkbox"
                  checked={!left.has(item.id)}
                  onChange={(event) => toggle(item.id, event.target.checked)}
                />
                <span className="mono">{item.path}</span>
                <span className="faint">{item.format_title}</span>
              </label>
            </li>
          ))}
        </ul>
        {give.error && <Problem compact error={give.error} what="The times were not saved" />}
      </form>
    </Dialog>
  )
}
