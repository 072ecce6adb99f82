/** Redaction profiles, for admins: named sets of values that exported reports hide. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type SyntheticEvent, useState } from 'react'
import { api, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import type { components } from '@/api/schema'
import { redactionProfilesQuery } from '@/api/queries'
import { Button } from '@/ui/controls/Button'
import { Field } from '@/ui/controls/Field'
import { REDACTION_KINDS, type RedactionKind } from '@/ui/controls/RedactionChoice'
import { EmptyState, Problem, SkeletonRows } from '@/ui/display/States'
import { type Column, Table } from '@/ui/table/Table'

type Profile = components['schemas']['RedactionProfile']
const words = (kinds: readonly RedactionKind[]) =>
  REDACTION_KINDS.filter(([kind]) => kinds.includes(kind))
    .map(([, name]) => name)
    .join(', ')

function useWrite<T, R>(write: (what: T) => Promise<R>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: write,
    onSettled: () => client.invalidateQueries({ queryKey: keys.redactionProfiles }),
  })
}

export function Redaction() {
  const { data, error, refetch } = useQuery(redactionProfilesQuery)
  const remove = useWrite((name: string) =>
    unwrap(api.DELETE('/api/v1/redaction-profiles/{name}', { params: { path: { name } } })),
  )
  const columns: readonly Column<Profile>[] = [
    { key: 'name', head: 'Profile', width: 'minmax(160px, 1fr)', cell: (row) => row.name },
    {
      key: 'kinds',
      head: 'Replaced by tokens',
      width: 'minmax(240px, 2fr)',
      cell: (row) => words(row.kinds),
    },
    {
      key: 'acts',
      head: <span className="visually-hidden">What can be done</span>,
      width: '110px',
      cell: (row) => (
        <Button
          size="small"
          aria-label={`Delete ${row.name}`}
          onClick={() => remove.mutate(row.name)}
        >
          Delete
        </Button>
      ),
    },
  ]
  return (
    <div className="settings-pane scroll">
      <div className="settings-bar">
        <span className="muted">
          A profile says what an export leaves out: choose it when you export a report, or name it
          with <code>pileup report --redact NAME</code>. Within an incident, the same value keeps
          the same token.
        </span>
      </div>
      <NewProfile />
      {remove.error && <Problem compact error={remove.error} what="It was not deleted" />}
      {error ? (
        <Problem
          error={error}
          what="The profiles could not be read"
          onRetry={() => void refetch()}
        />
      ) : !data ? (
        <SkeletonRows rows={3} />
      ) : data.length === 0 ? (
        <EmptyState compact title="No redaction profiles yet">
          Name one above, for instance “For the vendor”: whoever exports a report picks it.
        </EmptyState>
      ) : (
        <Table
          label="Redaction profiles"
          rows={data}
          columns={columns}
          rowKey={(row) => row.name}
        />
      )}
    </div>
  )
}

function NewProfile() {
  const [name, setName] = useState('')
  const [kinds, setKinds] = useState<readonly RedactionKind[]>(
    REDACTION_KINDS.map(([kind]) => kind),
  )
  const save = useWrite((profile: Profile) =>
    unwrap(
      api.PUT('/api/v1/redaction-profiles/{name}', {
        params: { path: { name: profile.name } },
        body: { kinds: profile.kinds },
      }),
    ),
  )
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    save.mutate({ name: name.trim(), kinds: [...kinds] }, { onSuccess: () => setName('') })
  }
  return (
    <form className="redaction-new" onSubmit={submit}>
      <Field label="Name of the profile">
        {(ids) => (
          <input
            {...ids}
            className="input"
            placeholder="For the vendor"
            maxLength={60}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      {REDACTION_KINDS.map(([kind, name]) => (
        <label key={kind}>
          <input
            type="checkbox"
            checked={kinds.includes(kind)}
            onChange={() =>
              setKinds(
                kinds.includes(kind) ? kinds.filter((item) => item !== kind) : [...kinds, kind],
              )
            }
          />
          {name}
        </label>
      ))}
      <Button type="submit" busy={save.isPending} disabled={!name.trim() || kinds.length === 0}>
        Save profile
      </Button>
      {save.error && <Problem compact error={save.error} what="The profile was not saved" />}
    </form>
  )
}
