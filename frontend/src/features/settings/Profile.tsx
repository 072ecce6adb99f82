/** Your own name and password. */
import { useState } from 'react'
import { asProblem } from '@/api/problem'
import { useMe } from '@/api/queries'
import { Button } from '@/ui/controls/Button'
import { Field } from '@/ui/controls/Field'
import { Problem } from '@/ui/display/States'
import { useChangeProfile } from './queries'

export function Profile() {
  return (
    <div className="settings-pane scroll">
      <NameForm />
      <PasswordForm />
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
  return (
    <form
      className="settings-fields settings-narrow"
      onSubmit={(event) => {
        event.preventDefault()
        change.mutate(
          { current_password: current, password },
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
        hint="10 characters or more. It signs you out of other browsers."
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
