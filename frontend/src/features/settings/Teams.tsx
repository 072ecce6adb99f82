/** Teams and their members: admins create them, leads choose their members. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import { useMay, useMe } from '@/api/queries'
import type { Team } from '@/api/schema'
import { Button } from '@/ui/controls/Button'
import { Field } from '@/ui/controls/Field'
import { EmptyState, Problem, SkeletonRows } from '@/ui/display/States'
import { peopleQuery } from '@/ui/text/commentQueries'
import { Retention } from './Retention'

function useTeamWrite<T>(send: (value: T) => Promise<unknown>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: send,
    onSuccess: () => client.invalidateQueries({ queryKey: keys.teams }),
  })
}

export function Teams() {
  const admin = useMay('admin')
  const teams = useQuery({
    queryKey: keys.teams,
    queryFn: () => unwrap(api.GET('/api/v1/teams')),
  })
  return (
    <div className="settings-pane scroll">
      <p className="muted settings-hint">
        A team can be a member of a private incident: see “Access to this incident” in the menu
        under its title.
      </p>
      {admin && <AddTeam />}
      {teams.isLoadingError ? (
        <Problem error={teams.error} what="The teams could not be read" />
      ) : !teams.data ? (
        <SkeletonRows rows={3} />
      ) : teams.data.length === 0 ? (
        <EmptyState compact title="No teams yet">
          {admin ? 'Name the first one above.' : 'An admin creates them.'}
        </EmptyState>
      ) : (
        teams.data.map((team) => <TeamCard key={team.id} team={team} admin={admin} />)
      )}
    </div>
  )
}

function AddTeam() {
  const [name, setName] = useState('')
  const add = useTeamWrite((body: { name: string }) => unwrap(api.POST('/api/v1/teams', { body })))
  return (
    <form
      className="settings-form"
      onSubmit={(event) => {
        event.preventDefault()
        add.mutate({ name }, { onSuccess: () => setName('') })
      }}
    >
      <Field label="Name of the team">
        {(ids) => (
          <input
            {...ids}
            className="input"
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <Button type="submit" variant="primary" disabled={!name.trim()} busy={add.isPending}>
        Create team
      </Button>
      {add.error && <Problem compact error={add.error} what="The team was not created" />}
    </form>
  )
}

function TeamCard({ team, admin }: { readonly team: Team; readonly admin: boolean }) {
  const me = useMe().user.id
  const people = useQuery(peopleQuery)
  const leads = admin || team.members.some((member) => member.id === me && member.lead)
  const path = (user: string) => ({ team_id: team.id, user_id: user })
  const set = useTeamWrite((member: { id: string; lead: boolean }) =>
    unwrap(
      api.PUT('/api/v1/teams/{team_id}/members/{user_id}', {
        params: { path: path(member.id) },
        body: { lead: member.lead },
      }),
    ),
  )
  const remove = useTeamWrite((user: string) =>
    unwrap(
      api.DELETE('/api/v1/teams/{team_id}/members/{user_id}', { params: { path: path(user) } }),
    ),
  )
  const error = set.error ?? remove.error
  const others = (people.data ?? []).filter(
    (person) => !team.members.some((member) => member.id === person.id),
  )
  return (
    <section className="settings-fields" aria-label={`Team ${team.name}`}>
      <h2>{team.name}</h2>
      {team.members.map((member) => (
        <div key={member.id} className="settings-check">
          {member.name} {member.lead && <span className="faint">lead</span>}
          {leads && (
            <>
              <Button
                size="small"
                variant="ghost"
                onClick={() => set.mutate({ id: member.id, lead: !member.lead })}
              >
                {member.lead ? 'No longer lead' : 'Make lead'}
              </Button>
              <Button
                size="small"
                variant="ghost"
                aria-label={`Remove ${member.name} from ${team.name}`}
                onClick={() => remove.mutate(member.id)}
              >
                Remove
              </Button>
            </>
          )}
        </div>
      ))}
      {leads && (
        <select
          className="select settings-narrow"
          aria-label={`Add a member to ${team.name}`}
          value=""
          onChange={(event) => set.mutate({ id: event.target.value, lead: false })}
        >
          <option value="">Add a member</option>
          {others.map((person) => (
            <option key={person.id} value={person.id}>
              {person.name}
            </option>
          ))}
        </select>
      )}
      {admin && <Retention team={team} />}
      {error && <Problem compact error={error} what="The team was not changed" />}
    </section>
  )
}
