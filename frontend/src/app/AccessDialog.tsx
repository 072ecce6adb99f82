/** Who may see and change an incident, and why; its leads choose members and visibility. */
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import type { IncidentAccess, NewMember } from '@/api/schema'
import { Button } from '@/ui/controls/Button'
import { Field } from '@/ui/controls/Field'
import { Problem, SkeletonRows } from '@/ui/display/States'
import { Dialog } from '@/ui/panels/Dialog'
import { GuestLinks } from './GuestLinks'

type Role = NewMember['role']
const ROLES: readonly Role[] = ['viewer', 'contributor', 'lead']

const accessQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.incident(id), 'access'],
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/access', {
          params: { path: { incident_id: id } },
        }),
      ),
  })

const teamsQuery = queryOptions({
  queryKey: keys.teams,
  queryFn: () => unwrap(api.GET('/api/v1/teams')),
})

/** A change of access: each answers with the new access. */
function useChange<T>(id: string, send: (value: T) => Promise<IncidentAccess>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: send,
    onSuccess: (access) => {
      client.setQueryData(accessQuery(id).queryKey, access)
      void client.invalidateQueries({ queryKey: keys.incidents })
    },
  })
}

export function AccessDialog({
  id,
  onClose,
}: {
  readonly id: string
  readonly onClose: () => void
}) {
  const access = useQuery(accessQuery(id))
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Access to this incident"
      footer={<Button onClick={onClose}>Close</Button>}
    >
      {access.isError ? (
        <Problem error={access.error} what="The access could not be read" />
      ) : !access.data ? (
        <SkeletonRows rows={4} />
      ) : (
        <div className="access">
          <VisibilityForm id={id} access={access.data} />
          <MemberList id={id} access={access.data} />
          {access.data.role === 'lead' && <GuestLinks id={id} />}
          <People access={access.data} />
        </div>
      )}
    </Dialog>
  )
}

interface Shown {
  readonly id: string
  readonly access: IncidentAccess
}

function VisibilityForm({ id, access }: Shown) {
  const path = { incident_id: id }
  const change = useChange(id, (visibility: IncidentAccess['visibility']) =>
    unwrap(
      api.PUT('/api/v1/incidents/{incident_id}/visibility', {
        params: { path },
        body: { visibility },
      }),
    ),
  )
  const next = access.visibility === 'open' ? 'private' : 'open'
  return (
    <section>
      <p>
        {access.visibility === 'open'
          ? 'Open: everyone who signs in sees this incident, and contributors change it.'
          : 'Private: its owner, its members and admins see this incident.'}{' '}
        Your role: {access.role ?? 'none'}.
      </p>
      {access.role === 'lead' && (
        <Button busy={change.isPending} onClick={() => change.mutate(next)}>
          {next === 'private' ? 'Make it private' : 'Open it to everyone'}
        </Button>
      )}
      {change.error && <Problem compact error={change.error} what="The access was not changed" />}
    </section>
  )
}

function MemberList({ id, access }: Shown) {
  const remove = useChange(id, (member: string) =>
    unwrap(
      api.DELETE('/api/v1/incidents/{incident_id}/members/{member_id}', {
        params: { path: { incident_id: id, member_id: member } },
      }),
    ),
  )
  const leads = access.role === 'lead'
  return (
    <section aria-label="Members">
      <h3>Members</h3>
      {access.members.length === 0 && <p className="muted">No users or teams yet.</p>}
      <ul className="access-list">
        {access.members.map((member) => (
          <li key={member.id}>
            {member.name} {member.team_id && <span className="faint">team</span>} · {member.role}
            {leads && (
              <Button
                size="small"
                variant="ghost"
                aria-label={`Remove ${member.name}`}
                onClick={() => remove.mutate(member.id)}
              >
                Remove
              </Button>
            )}
          </li>
        ))}
      </ul>
      {remove.error && <Problem compact error={remove.error} what="The member was not removed" />}
      {leads && <AddMember id={id} access={access} />}
    </section>
  )
}

function AddMember({ id, access }: Shown) {
  const teams = useQuery(teamsQuery)
  const [who, setWho] = useState('')
  const [role, setRole] = useState<Role>('contributor')
  const add = useChange(id, (body: NewMember) =>
    unwrap(
      api.PUT('/api/v1/incidents/{incident_id}/members', {
        params: { path: { incident_id: id } },
        body,
      }),
    ),
  )
  return (
    <form
      className="access-add"
      onSubmit={(event) => {
        event.preventDefault()
        const [kind, chosen] = who.split(':')
        if (!chosen) return
        add.mutate(kind === 'team' ? { team_id: chosen, role } : { user_id: chosen, role })
        setWho('')
      }}
    >
      <Field label="User or team">
        {(ids) => (
          <select
            {...ids}
            className="select"
            value={who}
            onChange={(event) => setWho(event.target.value)}
          >
            <option value="">choose</option>
            {(teams.data ?? []).map((team) => (
              <option key={team.id} value={`team:${team.id}`}>
                {team.name} (team)
              </option>
            ))}
            {access.people.map((person) => (
              <option key={person.id} value={`user:${person.id}`}>
                {person.name}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Role">
        {(ids) => (
          <select
            {...ids}
            className="select"
            value={role}
            onChange={(event) =>
              setRole(ROLES.find((value) => value === event.target.value) ?? 'viewer')
            }
          >
            {ROLES.map((value) => (
              <option key={value}>{value}</option>
            ))}
          </select>
        )}
      </Field>
      <Button type="submit" disabled={!who} busy={add.isPending}>
        Add
      </Button>
      {add.error && <Problem compact error={add.error} what="The member was not added" />}
    </form>
  )
}

/** Every user with their role, and why they have it. */
function People({ access }: { readonly access: IncidentAccess }) {
  return (
    <section aria-label="Who sees this incident, and why">
      <h3>Who sees it, and why</h3>
      <ul className="access-list">
        {access.people.map((person) => (
          <li key={person.id}>
            {person.name} · {person.role ?? 'no access'}{' '}
            <span className="faint access-why">{person.reasons.join('; ')}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
