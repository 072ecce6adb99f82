/** API tokens: create, show once with ready commands, revoke. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { recentIncidentsQuery } from '@/api/queries'
import type { NewToken, NewTokenOut, TokenOut } from '@/api/schema'
import { Button } from '@/ui/controls/Button'
import { Chip } from '@/ui/controls/Chip'
import { CopyButton } from '@/ui/controls/CopyButton'
import { ExpiryField, expiryOf } from '@/ui/controls/ExpiryField'
import { Field } from '@/ui/controls/Field'
import { RevokeButton } from '@/ui/controls/RevokeButton'
import { EmptyState, Problem, SkeletonRows } from '@/ui/display/States'
import { type Column, Table } from '@/ui/table/Table'
import { Ago, Time } from '@/ui/display/Value'
import { tokensQuery, useMakeToken, useRevokeToken } from './queries'

type Verb = TokenOut['verbs'][number]
const VERBS: readonly (readonly [Verb, string])[] = [
  ['read', 'incidents and files'],
  ['upload', 'files; without a chosen incident, creates incidents'],
  ['comment', 'on hypotheses, pins, experiments and the report'],
  ['edit', 'what contributors edit'],
  ['manage', 'what leads and admins decide: visibility, members of incidents, webhooks'],
]

export function Tokens() {
  const tokens = useQuery(tokensQuery)
  const make = useMakeToken()
  const revoke = useRevokeToken()
  return (
    <div className="settings-pane scroll">
      <MakeToken busy={make.isPending} onMake={(body) => make.mutate(body)} />
      {make.error && <Problem error={make.error} what="The token was not created" />}
      {make.data && <Made token={make.data} onDone={() => make.reset()} />}
      {revoke.error && <Problem error={revoke.error} what="The token was not revoked" />}
      {tokens.isLoadingError ? (
        <Problem
          error={tokens.error}
          what="The tokens could not be read"
          onRetry={() => void tokens.refetch()}
        />
      ) : !tokens.data ? (
        <SkeletonRows rows={4} />
      ) : tokens.data.length === 0 ? (
        <EmptyState compact title="No tokens yet">
          A token lets <code>pileup push</code>, curl or a script act on your behalf without your
          password.
        </EmptyState>
      ) : (
        <Table
          label="Tokens"
          rows={tokens.data}
          columns={columns((id) => revoke.mutate(id))}
          rowKey={(row) => row.id}
        />
      )}
    </div>
  )
}

const columns = (onRevoke: (id: string) => void): readonly Column<TokenOut>[] => [
  {
    key: 'name',
    head: 'Name',
    width: 'minmax(160px, 2fr)',
    sort: (row) => row.name,
    cell: (row) => row.name,
  },
  {
    key: 'verbs',
    head: 'Permissions',
    width: 'minmax(160px, 1fr)',
    sort: (row) => row.verbs.join(' '),
    cell: (row) => (
      <span className="token-verbs">
        {row.verbs.map((verb) => (
          <Chip key={verb}>{verb}</Chip>
        ))}
        {row.incident_id && <span className="faint"> one incident</span>}
      </span>
    ),
  },
  {
    key: 'created',
    head: 'Created',
    width: '172px',
    sort: (row) => row.created_at,
    cell: (row) => <Time at={row.created_at} />,
  },
  {
    key: 'expires',
    head: 'Expires',
    width: '172px',
    sort: (row) => row.expires_at,
    cell: (row) => (row.expires_at ? <Time at={row.expires_at} /> : 'never'),
  },
  {
    key: 'used',
    head: 'Last used',
    width: '120px',
    sort: (row) => row.last_used_at,
    cell: (row) =>
      row.last_used_at ? <Ago at={row.last_used_at} /> : <span className="faint">never</span>,
  },
  {
    key: 'revoke',
    head: <span className="visually-hidden">What can be done</span>,
    width: '110px',
    cell: (row) => <RevokeButton onRevoke={() => onRevoke(row.id)} name={row.name} />,
  },
]

function MakeToken({
  busy,
  onMake,
}: {
  readonly busy: boolean
  readonly onMake: (body: NewToken) => void
}) {
  const [name, setName] = useState('')
  const [verbs, setVerbs] = useState<readonly Verb[]>(['upload'])
  const [incident, setIncident] = useState('')
  const incidents = useQuery(recentIncidentsQuery)
  const [days, setDays] = useState('90')
  return (
    <form
      className="settings-form settings-token"
      onSubmit={(event) => {
        event.preventDefault()
        if (!name.trim()) return
        onMake({
          name: name.trim(),
          verbs: [...verbs],
          incident_id: incident || null,
          expires_at: expiryOf(days),
        })
        setName('')
      }}
    >
      <Field label="Name" hint="Where it will be used: db-ledger-01, CI.">
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
      <fieldset className="settings-verbs">
        <legend>Permissions</legend>
        {VERBS.filter(([verb]) => verb !== 'manage' || !incident).map(([verb, what]) => (
          <label key={verb} className="settings-check">
            <input
              type="checkbox"
              checked={verbs.includes(verb)}
              onChange={(event) =>
                setVerbs(
                  event.target.checked
                    ? [...verbs, verb]
                    : verbs.filter((chosen) => chosen !== verb),
                )
              }
            />
            <span>
              {verb} <span className="faint">{what}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <Field label="Incident">
        {(ids) => (
          <select
            {...ids}
            className="select"
            value={incident}
            onChange={(event) => {
              setIncident(event.target.value)
              if (event.target.value) setVerbs(verbs.filter((verb) => verb !== 'manage'))
            }}
          >
            <option value="">all that you can read</option>
            {(incidents.data?.items ?? []).map((row) => (
              <option key={row.id} value={row.id}>
                {row.title}
              </option>
            ))}
          </select>
        )}
      </Field>
      <ExpiryField choices={['7', '90', '365', '']} days={days} onDays={setDays} />
      <Button
        type="submit"
        variant="primary"
        disabled={!name.trim() || verbs.length === 0}
        busy={busy}
      >
        Create token
      </Button>
    </form>
  )
}

function Made({ token, onDone }: { readonly token: NewTokenOut; readonly onDone: () => void }) {
  const snippets = tokenSnippets(window.location.origin, token)
  return (
    <section className="made" aria-label="The new token">
      <p>
        <strong>{token.name}</strong>: the token is shown only once.
      </p>
      <div className="made-token">
        <code>{token.token}</code>
        <CopyButton text={token.token}>Copy the token</CopyButton>
      </div>
      {snippets.map(({ title, command }) => (
        <div key={title} className="made-snippet">
          <header>
            <h3>{title}</h3>
            <CopyButton text={command}>Copy</CopyButton>
          </header>
          <pre>{command}</pre>
        </div>
      ))}
      <Button onClick={onDone}>Done, hide it</Button>
    </section>
  )
}

/** Return example commands with the token; only the paths need editing. */
function tokenSnippets(
  origin: string,
  { token, verbs, incident_id: only }: NewTokenOut,
): { readonly title: string; readonly command: string }[] {
  const read = {
    title: 'Read with curl',
    command: `curl -H 'Authorization: Bearer ${token}' ${origin}/api/v1/incidents${only ? `/${only}` : ''}`,
  }
  const push = {
    title: 'Push a folder',
    command: `pileup push ./pt-stalk ${only ? `--incident ${only}` : '--new "checkout stall"'} \\\n  --to ${origin} --token ${token}`,
  }
  const upload = {
    title: 'Upload with curl into an existing incident',
    command: [
      `curl -H 'Authorization: Bearer ${token}' \\`,
      `  -F file=@innodb-status.txt \\`,
      `  ${origin}/api/v1/incidents/${only ?? 'INCIDENT'}/artifacts`,
    ].join('\n'),
  }
  return [
    ...(verbs.includes('upload') ? [push, upload] : []),
    ...(verbs.includes('read') ? [read] : []),
  ]
}
