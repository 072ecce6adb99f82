/** The choice of the pin that justifies a change of status or confidence. */
import { EditableField } from '@/ui/controls/EditableField'
import type { Hypothesis } from './queries'

type PinOption = { readonly id: string; readonly label: string; readonly title: string }

export const pinsOf = (hypothesis: Hypothesis): PinOption[] =>
  hypothesis.evidence.flatMap((item) => (item.pin ? [item.pin] : []))

export function PinChoice({
  pins,
  value,
  onChange,
}: {
  readonly pins: readonly PinOption[]
  readonly value: string
  readonly onChange: (pin: string) => void
}) {
  if (pins.length === 0) return null
  return (
    <EditableField
      label="Because of"
      value={value}
      onChange={onChange}
      options={[
        ['', 'no pin'],
        ...pins.map((pin) => [pin.id, `${pin.label} ${pin.title}`] as const),
      ]}
    />
  )
}
