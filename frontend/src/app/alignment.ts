/** A short summary of how well the clocks of the sources of an incident agree. */
import type { PlacedClock } from '@/api/schema'
import { formatCount, formatDuration } from '@/format'

type Alignment = {
  readonly short: string
  readonly long: string
  /** Whether a zone was assumed or another offset is suggested. */
  readonly unsure: boolean
  /** The source to check first. */
  readonly artifact: string
}

/** Summarise the clocks; null while no source is placed in time. */
export function alignment(clocks: readonly PlacedClock[]): Alignment | null {
  const [first] = clocks
  if (!first) return null
  const off = clocks.filter(({ clock }) => clock.suggested_offset_s !== null)
  const assumed = clocks.filter(({ clock }) => ['assumed', 'unknown'].includes(clock.quality))
  const spread = ({ clock }: PlacedClock) => clock.dispersion_s ?? 0
  const widest = clocks.reduce((a, b) => (spread(b) > spread(a) ? b : a), first)
  const exact = spread(widest) === 0
  const [short, worst] =
    off[0] !== undefined
      ? [`${formatCount(off.length, 'clock')} off?`, off[0]]
      : assumed[0] !== undefined
        ? [`${formatCount(assumed.length, 'clock')} assumed`, assumed[0]]
        : [exact ? 'exact' : `± ${formatDuration(spread(widest))}`, widest]
  const parts = [
    `${clocks.length} ${clocks.length === 1 ? 'source' : 'sources'} on one clock`,
    exact ? 'all exact' : `largest uncertainty ± ${formatDuration(spread(widest))}`,
    ...(assumed.length > 0 ? [`${assumed.length} with an assumed zone or time`] : []),
    ...(off.length > 0 ? [`${off.length} with another suggested offset`] : []),
  ]
  return {
    short,
    long: `${parts.join(', ')}. Opens the clock of ${worst.path}.`,
    unsure: off.length + assumed.length > 0,
    artifact: worst.artifact,
  }
}
