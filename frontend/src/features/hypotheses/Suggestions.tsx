/** Findings without a verdict: Enter creates a hypothesis, Delete dismisses the finding. */
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useRef, useState } from 'react'
import { useMay } from '@/api/queries'
import { useKeys } from '@/state/keys'
import { ShareBar } from '@/ui/display/Bar'
import { Button } from '@/ui/controls/Button'
import { Chip } from '@/ui/controls/Chip'
import { Problem } from '@/ui/display/States'
import { offerUndo } from '@/ui/history/undo'
import { SUGGESTION_KEYS } from './keys'
import { findingsQuery, useHypothesisWrites } from './queries'

type Props = { incidentId: string; onMade: (id: string) => void }

export function Suggestions({ incidentId, onMade }: Props) {
  const { data } = useQuery(findingsQuery(incidentId))
  const { fromFinding, judge } = useHypothesisWrites(incidentId)
  const mayWrite = useMay('contributor')
  const [dismissing, setDismissing] = useState<string | null>(null)
  const list = useRef<HTMLUListElement>(null)
  useKeys(SUGGESTION_KEYS, {})
  const open = (data ?? []).filter((item) => item.verdict === 'open')
  const causes = new Map((data ?? []).map(({ finding }) => [finding.id, finding.title]))
  if (!mayWrite || open.length === 0) return null
  const failed = fromFinding.error ?? judge.error
  const take = (id: string) => fromFinding.mutate(id, { onSuccess: (made) => onMade(made.id) })
  const onKey = (event: KeyboardEvent, id: string) => {
    if (event.target !== event.currentTarget) return
    const items = [...(list.current?.querySelectorAll<HTMLElement>('.suggestion') ?? [])]
    const at = items.indexOf(event.currentTarget as HTMLElement)
    if (event.key === 'Enter') take(id)
    else if (event.key === 'Delete') setDismissing(id)
    else if (event.key === 'ArrowDown') items[at + 1]?.focus()
    else if (event.key === 'ArrowUp') items[at - 1]?.focus()
    else return
    event.preventDefault()
  }
  return (
    <section className="suggestions scroll" aria-label="Suggested by the findings">
      <h3>
        Suggested <span className="faint">{open.length}</span>
      </h3>
      <p className="faint suggestions-keys">
        <kbd>Enter</kbd> accept, <kbd>Delete</kbd> dismiss
      </p>
      {failed && <Problem compact error={failed} what="The verdict was not saved" />}
      <ul ref={list}>
        {open.map(({ finding }) => (
          <li
            key={finding.id}
            className="suggestion"
            tabIndex={0}
            data-testid="suggestion"
            onKeyDown={(event) => onKey(event, finding.id)}
          >
            <div className="suggestion-head">
              <ShareBar value={finding.score} width={36} />
              <span className="faint num">score {finding.score.toFixed(2)}</span>
              {finding.role === 'symptom' && <Chip tone="idle">symptom</Chip>}
            </div>
            <strong>{finding.title}</strong>
            {causes.has(finding.explained_by ?? '') && (
              <div className="faint">A symptom of “{causes.get(finding.explained_by ?? '')}”</div>
            )}
            <div className="muted">{finding.why}</div>
            {dismissing === finding.id ? (
              <Reason
                busy={judge.isPending}
                onCancel={() => setDismissing(null)}
                onGive={(reason) =>
                  judge.mutate(
                    { finding: finding.id, verdict: 'dismissed', reason },
                    {
                      onSuccess: () => {
                        setDismissing(null)
                        offerUndo(`Dismissed: ${finding.title}`, () =>
                          judge.mutateAsync({
                            finding: finding.id,
                            verdict: 'open',
                            reason: null,
                          }),
                        )
                      },
                    },
                  )
                }
              />
            ) : (
              <div className="suggestion-acts">
                <Button
                  size="small"
                  busy={fromFinding.isPending && fromFinding.variables === finding.id}
                  onClick={() => take(finding.id)}
                >
                  Create hypothesis
                </Button>
                <Button size="small" variant="ghost" onClick={() => setDismissing(finding.id)}>
                  Dismiss
                </Button>
              </div>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

function Reason({
  busy,
  onGive,
  onCancel,
}: {
  readonly busy: boolean
  readonly onGive: (reason: string) => void
  readonly onCancel: () => void
}) {
  const [reason, setReason] = useState('')
  return (
    <form
      className="suggestion-reason"
      onSubmit={(event) => {
        event.preventDefault()
        if (reason.trim()) onGive(reason.trim())
      }}
    >
      <input
        className="input"
        autoFocus
        aria-label="Reason for dismissal"
        placeholder="Why does it not apply?"
        value={reason}
        onChange={(event) => setReason(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onCancel()
        }}
      />
      <Button size="small" type="submit" disabled={!reason.trim()} busy={busy}>
        Dismiss
      </Button>
    </form>
  )
}
