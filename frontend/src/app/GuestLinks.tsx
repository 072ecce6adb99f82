/** Guest links of an incident: they show it, read-only and for a while, to people without an account. */
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import type { GuestLink } from '@/api/schema'
import { Button } from '@/ui/controls/Button'
import { CopyButton } from '@/ui/controls/CopyButton'
import { Field } from '@/ui/controls/Field'
import { Problem } from '@/ui/display/States'
import { Time } from '@/ui/display/Value'

const DAY_MS = 86_400_000
const DAYS = [1, 7, 30, 90]

const linksQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.incident(id), 'guest-links'],
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/guest-links', {
          params: { path: { incident_id: id } },
        }),
      ),
  })

export function GuestLinks({ id }: { readonly id: string }) {
  const client = useQueryClient()
  const links = useQuery(linksQuery(id))
  const refresh = () => client.invalidateQueries({ queryKey: linksQuery(id).queryKey })
  const create = useMutation({
    mutationFn: (body: { name: string; expires_at: string }) =>
      unwrap(
        api.POST('/api/v1/incidents/{incident_id}/guest-links', {
          params: { path: { incident_id: id } },
          body,
        }),
      ),
    onSuccess: refresh,
  })
  const revoke = useMutation({
    mutationFn: (link: string) =>
      unwrap(
        api.DELETE('/api/v1/incidents/{incident_id}/guest-links/{link_id}', {
          params: { path: { incident_id: id, link_id: link } },
        }),
      ),
    onSuccess: refresh,
  })
  const address = create.data && `${window.location.origin}/guest#${create.data.secret}`
  return (
    <section aria-label="Guest links">
      <h3>Guest links</h3>
      <p className="muted">
        Whoever has a guest link reads this incident, its files too, without an account. Guests
        change nothing and see nothing else.
      </p>
      {links.data && links.data.length > 0 && (
        <ul className="access-list">
          {links.data.map((link) => (
            <li key={link.id}>
              {link.name} · ends <Time at={link.expires_at} style="date" /> · {openedWords(link)}
              <Button
                size="small"
                variant="ghost"
                aria-label={`Revoke the link for ${link.name}`}
                onClick={() => revoke.mutate(link.id)}
              >
                Revoke
              </Button>
            </li>
          ))}
        </ul>
      )}
      {links.error && <Problem compact error={links.error} what="The links could not be read" />}
      {revoke.error && <Problem compact error={revoke.error} what="The link was not revoked" />}
      {address ? (
        <div className="access-link">
          <p>Send this link; it is shown only once.</p>
          <code>{address}</code>
          <CopyButton text={address}>Copy the link</CopyButton>
          <Button size="small" onClick={() => create.reset()}>
            Done
          </Button>
        </div>
      ) : (
        <CreateLink busy={create.isPending} onCreate={(body) => create.mutate(body)} />
      )}
      {create.error && <Problem compact error={create.error} what="The link was not created" />}
    </section>
  )
}

function openedWords({ opened }: GuestLink): string {
  if (opened === 0) return 'not opened yet'
  return opened === 1 ? 'opened once' : `opened ${opened} times`
}

function CreateLink({
  busy,
  onCreate,
}: {
  readonly busy: boolean
  readonly onCreate: (body: { name: string; expires_at: string }) => void
}) {
  const [name, setName] = useState('')
  const [days, setDays] = useState('7')
  return (
    <form
      className="access-add"
      onSubmit={(event) => {
        event.preventDefault()
        const ends = new Date(Date.now() + Number(days) * DAY_MS).toISOString()
        onCreate({ name: name.trim(), expires_at: ends })
        setName('')
      }}
    >
      <Field label="For whom">
        {(ids) => (
          <input
            {...ids}
            className="input"
            maxLength={200}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <Field label="Expires">
        {(ids) => (
          <select
            {...ids}
            className="select"
            value={days}
            onChange={(event) => setDays(event.target.value)}
          >
            {DAYS.map((count) => (
              <option key={count} value={count}>
                {count === 1 ? 'in a day' : `in ${count} days`}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Button type="submit" disabled={!name.trim()} busy={busy}>
        Create a guest link
      </Button>
    </form>
  )
}
