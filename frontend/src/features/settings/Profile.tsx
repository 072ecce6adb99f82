/** Your own name and password. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { asProblem } from '@/api/problem'
import { useMe } from '@/api/queries'
import { Button } from '@/ui/controls/Button'
import { Field } from '@/ui/controls/Field'
import { Problem } from '@/ui/display/States'
import { Ago } from '@/ui/display/Value'
import { Table } from '@/ui/table/Table'
import { AskSecret, problemOf as problemOfField } from './AskSecret'
import { Identities } from './Identities'
import { SecondFactor } from './SecondFactor'
import { sessionsQuery, useChangeProfile, useEndSession } from './queries'

export function Profile() {
  return (
    <div className="settings-pane scroll">
      <NameForm />
      <PasswordForm />
      <SecondFactor />
      <Identities />
      <OpenSessions />
    </div>
  )
}

function NameForm() {
  const { user } = useMe()
  const change = useChangeProfile()
  const [name, setName] = useState(user.name)
  return (
    <form
      className="settings-fields settings-narrow"
      onSubmit={(event) => {
        event.preventDefault()
        change.mutate({ name })
      }}
    >
      <h2>Name</h2>
      <Field
        label="Name"
        hint={`Colleagues see it next to what you write. You sign in as ${user.email ?? user.name}; your role is ${user.role}.`}
        problem={problemOf(change.error, 'name')}
      >
        {(ids) => (
          <input
            {...ids}
            className="input"
            autoComplete="name"
            required
            maxLength={200}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      {change.error && <Problem compact error={change.error} what="The name was not saved" />}
      <div>
        <Button type="submit" busy={change.isPending} disabled={name.trim() === user.name}>
          Save the name
        </Button>
      </div>
    </form>
  )
}

function PasswordForm() {
  const change = useChangeProfile()
  const [current, setCurrent] = useState('')
  const [password, setPassword] = useState('')
  const [endTokens, setEndTokens] = useState(true)
  return (
    <form
      className="settings-fields settings-narrow"
      onSubmit={(event) => {
        event.preventDefault()
        change.mutate(
          { current_password: current, password, end_tokens: endTokens },
          {
            onSuccess: () => {
              setCurrent('')
              setPassword('')
            },
          },
        )
      }}
    >
      <h2>Password</h2>
      <Field
        label="Current password"
        hint="Keep this empty if you signed in by link and have no password yet."
        problem={problemOf(change.error, 'current_password')}
      >
        {(ids) => (
          <input
            {...ids}
            className="input"
            type="password"
            autoComplete="current-password"
            value={current}
            onChange={(event) => setCurrent(event.target.value)}
          />
        )}
      </Field>
      <Field
        label="New password"
        hint="10 characters or more that are hard to guess. It signs you out of other browsers."
        problem={problemOf(change.error, 'password')}
      >
        {(ids) => (
          <input
            {...ids}
            className="input"
            type="password"
            autoComplete="new-password"
            required
            minLength={10}
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        )}
      </Field>
      <label className="settings-check">
        <input
          type="checkbox"
          checked={endTokens}
          onChange={(event) => setEndTokens(event.target.checked)}
        />
        Also revoke my API tokens
      </label>
      {change.error && <Problem compact error={change.error} what="The password was not changed" />}
      {change.isSuccess && <p role="status">The password is changed.</p>}
      <div>
        <Button type="submit" busy={change.isPending}>
          Change the password
        </Button>
      </div>
    </form>
  )
}

function problemOf(error: Error | null, field: string): string | undefined {
  return error ? asProblem(error).errors.find((item) => item.field === field)?.message : undefined
}

/** The browsers that are signed in as you, each with a button that signs it out. */
function OpenSessions() {
  const sessions = useQuery(sessionsQuery)
  const end = useEndSession()
  const wanted = asProblem(end.error).errors.find(
    ({ field }) => field === 'current_password' || field === 'code',
  )?.field
  const more = (sessions.data?.length ?? 0) > 2
  return (
    <section className="settings-fields" aria-label="Sessions">
      <h2>Signed-in browsers</h2>
      {sessions.isError && (
        <Problem compact error={sessions.error} what="Your sessions could not be read" />
      )}
      {wanted ? (
        <AskSecret
          label={wanted === 'code' ? 'Code' : 'Current password'}
          secret={wanted !== 'code'}
          button="Sign out"
          busy={end.isPending}
          problem={problemOfField(end.error, wanted)}
          onSend={(proof) => end.mutate({ ...end.variables, [wanted]: proof })}
        />
      ) : (
        end.error && <Problem compact error={end.error} what="The session was not ended" />
      )}
      {sessions.data && (
        <Table
          label="Sessions"
          rows={sessions.data}
          rowKey={(row) => row.id}
          columns={[
            { key: 'agent', head: 'Browser', width: 'minmax(160px, 2fr)', cell: browserOf },
            {
              key: 'seen',
              head: 'Last used',
              width: '110px',
              cell: (row) => (row.current ? 'this one' : <Ago at={row.last_seen_at} />),
            },
            {
              key: 'created',
              head: 'Signed in',
              width: '110px',
              cell: (row) => <Ago at={row.created_at} />,
            },
            {
              key: 'end',
              head: 'End',
              width: '90px',
              cell: (row) =>
                !row.current && (
                  <Button
                    size="small"
                    busy={end.isPending}
                    onClick={() => end.mutate({ session_id: row.id })}
                  >
                    Sign out
                  </Button>
                ),
            },
          ]}
        />
      )}
      {more && (
        <div>
          <Button busy={end.isPending} onClick={() => end.mutate({})}>
            Sign out all other browsers
          </Button>
        </div>
      )}
    </section>
  )
}

/** Name the browser and its system as far as its own description tells. */
function browserOf({ agent }: { readonly agent: string }): string {
  const browser = BROWSERS.find(([, sign]) => sign.test(agent))?.[0]
  const system = SYSTEMS.find(([, sign]) => sign.test(agent))?.[0]
  const named = [browser, system].filter(Boolean).join(' on ')
  return named || agent || 'unknown browser'
}

const BROWSERS: readonly (readonly [string, RegExp])[] = [
  ['Edge', /Edg\//],
  ['Opera', /OPR\//],
  ['Firefox', /Firefox\//],
  ['Chrome', /Chrom(e|ium)\//],
  ['Safari', /Safari\//],
]
const SYSTEMS: readonly (readonly [string, RegExp])[] = [
  ['Windows', /Windows/],
  ['Android', /Android/],
  ['iOS', /iPhone|iPad/],
  ['macOS', /Mac OS X/],
  ['Linux', /Linux/],
]
