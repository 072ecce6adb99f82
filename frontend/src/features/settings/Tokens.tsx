/** API tokens: create, show once with ready commands, revoke. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { NewToken, NewTokenOut, TokenOut } from '@/api/schema'
import { Button } from '@/ui/controls/Button'
import { Chip } from '@/ui/controls/Chip'
import { CopyButton } from '@/ui/controls/CopyButton'
import { Field } from '@/ui/controls/Field'
import { EmptyState, Problem, SkeletonRows } from '@/ui/display/States'
import { type Column, Table } from '@/ui/table/Table'
import { Ago, Time } from '@/ui/display/Value'
import { tokensQuery, useMakeToken, useRevokeToken } from './queries'

const SCOPES: readonly (readonly [NewToken['scope'], string, string])[] = [
  ['push', 'Push', 'creates incidents and uploads into them; reads nothing'],
  ['read', 'Read', 'reads everything you can read; changes nothing'],
  ['full', 'Full', 'everything that you can do'],
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
    key: 'scope',
    head: 'Permissions',
    width: '100px',
    sort: (row) => row.scope,
    cell: (row) => <Chip>{row.scope}</Chip>,
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

/** The revoke button; revoking is final, so it needs a second click. */
function RevokeButton({
  name,
  onRevoke,
}: {
  readonly name: string
  readonly onRevoke: () => void
}) {
  const [sure, setSure] = useState(false)
  return (
    <Button
      size="small"
      variant={sure ? 'danger' : 'ghost'}
      aria-label={sure ? `Revoke ${name} now` : `Revoke ${name}`}
      onClick={() => (sure ? onRevoke() : setSure(true))}
      onBlur={() => setSure(false)}
    >
      {sure ? 'Revoke now' : 'Revoke'}
    </Button>
  )
}

function MakeToken({
  busy,
  onMake,
}: {
  readonly busy: boolean
  readonly onMake: (body: NewToken) => void
}) {
  const [name, setName] = useState('')
  const [scope, setScope] = useState<NewToken['scope']>('push')
  const [days, setDays] = useState('90')
  return (
    <form
      className="settings-form"
      onSubmit={(event) => {
        event.preventDefault()
        if (!name.trim()) return
        const ends = days ? new Date(Date.now() + Number(days) * 86_400_000).toISOString() : null
        onMake({ name: name.trim(), scope, expires_at: ends })
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
      <Field label="Permissions" hint={SCOPES.find(([value]) => value === scope)?.[2]}>
        {(ids) => (
          <select
            {...ids}
            className="select"
            value={scope}
            onChange={(event) =>
              setScope(SCOPES.find(([value]) => value === event.target.value)?.[0] ?? 'push')
            }
          >
            {SCOPES.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
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
            <option value="7">in 7 days</option>
            <option value="90">in 90 days</option>
            <option value="365">in a year</option>
            <option value="">never</option>
          </select>
        )}
      </Field>
      <Button type="submit" variant="primary" disabled={!name.trim()} busy={busy}>
        Create token
      </Button>
    </form>
  )
}

function Made({ token, onDone }: { readonly token: NewTokenOut; readonly onDone: () => void }) {
  const snippets = tokenSnippets(window.location.origin, token.token, token.scope)
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
  token: string,
  scope: NewToken['scope'],
): { readonly title: string; readonly command: string }[] {
  const read = {
    title: 'Read with curl',
    command: `curl -H 'Authorization: Bearer ${token}' ${origin}/api/v1/incidents`,
  }
  if (scope === 'read') return [read]
  const push = [
    {
      title: 'Push a folder',
      command: `pileup push ./pt-stalk --new "checkout stall" \\\n  --to ${origin} --token ${token}`,
    },
    {
      title: 'Upload with curl into an existing incident',
      command: [
        `curl -H 'Authorization: Bearer ${token}' \\`,
        `  -F file=@innodb-status.txt \\`,
        `  ${origin}/api/v1/incidents/INCIDENT/artifacts`,
      ].join('\n'),
    },
  ]
  return scope === 'full' ? [...push, read] : push
}
