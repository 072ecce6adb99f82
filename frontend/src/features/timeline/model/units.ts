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
