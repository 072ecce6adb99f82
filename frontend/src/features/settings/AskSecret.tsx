/** A form with one field: a code, or the current password. */
import { useState } from 'react'
import { asProblem } from '@/api/problem'
import { Button } from '@/ui/controls/Button'
import { Field } from '@/ui/controls/Field'

export function AskSecret({
  label,
  button,
  busy,
  problem,
  secret = false,
  onSend,
}: {
  readonly label: string
  readonly button: string
  readonly busy: boolean
  readonly problem: string | undefined
  readonly secret?: boolean
  readonly onSend: (value: string) => void
}) {
  const [value, setValue] = useState('')
  return (
    <form
      className="settings-dialog"
      onSubmit={(event) => {
        event.preventDefault()
        onSend(value)
        setValue('')
      }}
    >
      <Field label={label} problem={problem}>
        {(ids) => (
          <input
            {...ids}
            className="input"
            type={secret ? 'password' : 'text'}
            autoComplete={secret ? 'current-password' : 'one-time-code'}
            maxLength={1000}
            value={value}
            onChange={(event) => setValue(event.target.value)}
          />
        )}
      </Field>
      <div>
        <Button type="submit" busy={busy}>
          {button}
        </Button>
      </div>
    </form>
  )
}

/** Return what the server says about one field, or about all. */
export function problemOf(error: Error | null, field: string): string | undefined {
  if (!error) return undefined
  const problem = asProblem(error)
  return problem.errors.find((item) => item.field === field)?.message ?? problem.message
}
