/** For how long a team keeps its incidents, what would go first, and legal holds; for admins. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import type { Expiring, Team } from '@/api/schema'
import { formatCount } from '@/format'
import { Button } from '@/ui/controls/Button'
import { Field } from '@/ui/controls/Field'
import { Problem, SkeletonRows } from '@/ui/display/States'
import { Time } from '@/ui/display/Value'

const MOST_DAYS = 36_500

export function Retention({ team }: { readonly team: Team }) {
  const stored = team.retention_days === null ? '' : String(team.retention_days)
  const [typed, setTyped] = useState(stored)
  const days = /^\d+$/.test(typed) ? Number(typed) : null
  const valid = typed === '' || (days !== null && days >= 1 && days <= MOST_DAYS)
  const client = useQueryClient()
  const path = { team_id: team.id }
  const first = useQuery({
    queryKey: keys.retention(team.id, valid ? days : null),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/teams/{team_id}/retention', {
          params: { path, query: { days: valid ? days : null } },
        }),
      ),
  })
  const changed = () => client.invalidateQueries({ queryKey: keys.teams })
  const save = useMutation({
    mutationFn: () =>
      unwrap(api.PUT('/api/v1/teams/{team_id}/retention', { params: { path }, body: { days } })),
    onSuccess: changed,
  })
  const hold = useMutation({
    mutationFn: ({ id, reason }: { id: string; reason: string | null }) =>
      reason === null
        ? unwrap(
            api.DELETE('/api/v1/incidents/{incident_id}/hold', {
              params: { path: { incident_id: id } },
            }),
          )
        : unwrap(
            api.PUT('/api/v1/incidents/{incident_id}/hold', {
              params: { path: { incident_id: id } },
              body: { reason },
            }),
          ),
    onSuccess: changed,
  })
  const error = save.error ?? hold.error
  return (
    <section
      className="settings-retention settings-narrow"
      aria-label={`Retention of ${team.name}`}
    >
      <Field
        label="Retention in days"
        hint="Counted from the last change of an incident. Empty: incidents are kept forever."
        problem={valid ? undefined : `Enter a whole number from 1 to ${MOST_DAYS}`}
      >
        {(ids) => (
          <input
            {...ids}
            className="input"
            inputMode="numeric"
            value={typed}
            onChange={(event) => setTyped(event.target.value.trim())}
          />
        )}
      </Field>
      {first.isLoadingError ? (
        <Problem compact error={first.error} what="The incidents could not be read" />
      ) : !first.data ? (
        <SkeletonRows rows={2} />
      ) : (
        <>
          <p className="muted">
            {days === null
              ? 'No incident is deleted automatically.'
              : `${formatCount(first.data.due, 'incident')} would be deleted now; ${first.data.held} under a legal hold. An admin can restore deleted incidents for a while.`}
          </p>
          {first.data.next.map((item) => (
            <Item
              key={item.id}
              item={item}
              stays={days === null}
              onHold={(reason) => hold.mutate({ id: item.id, reason })}
            />
          ))}
        </>
      )}
      {typed !== stored && (
        <Button
          variant="primary"
          disabled={!valid}
          busy={save.isPending}
          onClick={() => save.mutate()}
        >
          {days === null ? 'Keep forever' : `Keep for ${formatCount(days, 'day')}`}
        </Button>
      )}
      {error && <Problem compact error={error} what="The retention was not changed" />}
    </section>
  )
}

/** One incident, when it goes, and its legal hold. */
function Item({
  item,
  stays,
  onHold,
}: {
  readonly item: Expiring
  readonly stays: boolean
  readonly onHold: (reason: string | null) => void
}) {
  const [reason, setReason] = useState<string | null>(null)
  return (
    <div className="settings-check">
      {item.title}{' '}
      <span className="faint">
        {item.held_for !== null ? (
          `legal hold: ${item.held_for}`
        ) : stays || item.expires_at === null ? (
          'kept'
        ) : (
          <>
            kept until <Time at={item.expires_at} />
          </>
        )}
      </span>
      {item.held_for !== null ? (
        <Button size="small" variant="ghost" onClick={() => onHold(null)}>
          Release hold
        </Button>
      ) : reason === null ? (
        <Button size="small" variant="ghost" onClick={() => setReason('')}>
          Place hold
        </Button>
      ) : (
        <form
          className="settings-check"
          onSubmit={(event) => {
            event.preventDefault()
            onHold(reason)
            setReason(null)
          }}
        >
          <input
            className="input"
            aria-label={`Reason of the legal hold of ${item.title}`}
            placeholder="reason"
            maxLength={500}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
          <Button size="small" type="submit" disabled={!reason.trim()}>
            Place hold
          </Button>
        </form>
      )}
    </div>
  )
}
