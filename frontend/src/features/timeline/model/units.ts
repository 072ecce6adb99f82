/** The unit that a lane's axis states. */
import { formatCount, unitText } from '@/format'
import type { Lane } from './laneTypes'

const OF_HEAT = { latch: 'thread', lock: 'transaction', state: 'session' } as const

/** Never empty: an axis says when nobody knows its unit. */
export function unitOf(lane: Lane): string {
  if (lane.kind === 'heat') return `${OF_HEAT[lane.row.kind]}s`
  return lane.kind === 'metric' ? unitText(lane.unit) || 'unit unknown' : ''
}

/** The highest count of a heat lane's cells: "1 thread", "19 threads". */
export const heatPeak = ({ row }: Extract<Lane, { kind: 'heat' }>): string =>
  formatCount(row.peak, OF_HEAT[row.kind])

/** For each kind of heat lanes what its cells count, and the peak that its shades end at. */
export function heatScales(
  lanes: readonly Lane[],
): readonly { readonly noun: string; readonly peak: number }[] {
  const peaks = new Map<string, number>()
  for (const lane of lanes) if (lane.kind === 'heat') peaks.set(OF_HEAT[lane.row.kind], lane.peak)
  return [...peaks].map(([noun, peak]) => ({ noun, peak }))
}
