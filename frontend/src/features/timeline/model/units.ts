/** The unit that a lane's axis states. */
import { unitText } from '@/format'
import type { Lane } from './laneTypes'

const OF_HEAT = { latch: 'threads', lock: 'transactions', state: 'sessions' } as const

/** Never empty: an axis says when nobody knows its unit. */
export function unitOf(lane: Lane): string {
  if (lane.kind === 'heat') return OF_HEAT[lane.row.kind]
  return lane.kind === 'metric' ? unitText(lane.unit) || 'unit unknown' : ''
}
