/** A field for when a thing happened: empty is now, a date alone is a day, "about" is approximate. */
import { useZone } from '@/state/incident'
import { EditableField } from './EditableField'
import { type Given, readHappened } from './happened'

export function HappenedField({
  label,
  value,
  onChange,
  empty = 'now',
}: {
  readonly label: string
  readonly value: string
  readonly onChange: (text: string) => void
  /** What an empty field means. */
  readonly empty?: string
}) {
  const zone = useZone()
  const given = useGiven(value)
  return (
    <EditableField
      label={label}
      hint={`Empty: ${empty}. A date, or “about 2026-11-03 18:42” (${zone.label})`}
      problem={given === null ? 'a date such as 2026-11-03, with or without a time' : undefined}
      placeholder={empty}
      value={value}
      onChange={onChange}
    />
  )
}

/** Read the text of the field; null when it is no time. */
export function useGiven(text: string): Given | null {
  const zone = useZone()
  return readHappened(text, zone.name)
}
