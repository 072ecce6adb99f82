/** When a secret expires: a number of days from now, or never where that is offered. */
import { Field } from './Field'

const DAY_MS = 86_400_000

/** Return the time that many days from now; null for '', which is never. */
export const expiryOf = (days: string): string | null =>
  days ? new Date(Date.now() + Number(days) * DAY_MS).toISOString() : null

const words = (days: string) =>
  ({ '': 'never', '1': 'in a day', '365': 'in a year' })[days] ?? `in ${days} days`

export function ExpiryField({
  choices,
  days,
  onDays,
}: {
  /** Numbers of days; '' offers never. */
  readonly choices: readonly string[]
  readonly days: string
  readonly onDays: (days: string) => void
}) {
  return (
    <Field label="Expires">
      {(ids) => (
        <select
          {...ids}
          className="select"
          value={days}
          onChange={(event) => onDays(event.target.value)}
        >
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {words(choice)}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}
