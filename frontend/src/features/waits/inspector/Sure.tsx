/** How sure the analysis is of something, as a number. */
import { formatNumber } from '@/format'

/** How sure a join, a wait or a holder is: 0 to 1. The caller shows the reason next to it. */
export function Sure({ value, inferred }: { readonly value: number; readonly inferred?: boolean }) {
  return (
    <span
      className={`waits-sure${value < 0.7 ? ' waits-unsure' : ''}`}
      title={`Confidence ${formatNumber(value, 2)} of 1${inferred ? ': inferred, not stated in the captured text' : ''}`}
    >
      {formatNumber(value, 2)}
      {inferred ? ' inferred' : ''}
    </span>
  )
}
