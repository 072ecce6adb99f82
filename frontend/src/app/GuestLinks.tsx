/** Guest links of an incident: they show it, read-only and for a while, to people without an account. */
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import type { GuestLink, NewGuestLink } from '@/api/schema'
import { Button } from '@/ui/controls/Button'
import { CopyButton } from '@/ui/controls/CopyButton'
import { ExpiryField, expiryOf } from '@/ui/controls/ExpiryField'
import { Field } from '@/ui/controls/Field'
import { RedactionChoice, type RedactionKind, redactOf } from '@/ui/controls/RedactionChoice'
import { RevokeButton } from '@/ui/controls/RevokeButton'
import { Problem } from '@/ui/display/States'
import { Ago, Time } from '@/ui/display/Value'

const DAYS = ['1', '7', '30', '90']

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
    mutationFn: (body: NewGuestLink) =>
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
        Anyone with a guest link can read this incident and its files without an account. Guests
        cannot change anything and see no other incident. With redaction, they see tokens instead of
        values and cannot open the original files.
      </p>
      {links.data && links.data.length > 0 && (
        <ul className="access-list">
          {links.data.map((link) => (
            <li key={link.id}>
              {link.name} · expires <Time at={link.expires_at} style="date" /> · {openedWords(link)}
              {link.last_opened_at !== null && (
                <>
                  , last <Ago at={link.last_opened_at} />
                </>
              )}
              {link.redact.length > 0 && ` · redacted: ${link.redact.join(', ')}`}
              <RevokeButton
                name={`the link for ${link.name}`}
                busy={revoke.isPending && revoke.variables === link.id}
                onRevoke={() => revoke.mutate(link.id)}
              />
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
  readonly onCreate: (body: NewGuestLink) => void
}) {
  const [name, setName] = useState('')
  const [days, setDays] = useState('7')
  const [kinds, setKinds] = useState<ReadonlySet<RedactionKind>>(new Set())
  return (
    <form
      className="access-add"
      onSubmit={(event) => {
        event.preventDefault()
        const ends = expiryOf(days)
        if (ends) onCreate({ name: name.trim(), expires_at: ends, redact: redactOf(kinds) })
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
      <ExpiryField choices={DAYS} days={days} onDays={setDays} />
      <fieldset className="redact-fields">
        <legend>Replace by tokens</legend>
        <RedactionChoice kinds={kinds} onChange={setKinds} />
      </fieldset>
      <Button type="submit" disabled={!name.trim()} busy={busy}>
        Create a guest link
      </Button>
    </form>
  )
}
