/** One side of a comparison, as the address holds it: 'stall', 'window|2026…|2026…|db-1||'. */
import type { Codec } from '@/state/url'

export type Part = 'whole' | 'baseline' | 'stall' | 'window'
export type Side = {
  readonly part: Part
  readonly start: string
  readonly end: string
  readonly host: string
  readonly bundle: string
  readonly experiment: string
}

const PARTS: readonly Part[] = ['whole', 'baseline', 'stall', 'window']

export const side = (part: Part, more: Partial<Side> = {}): Side => ({
  part,
  start: '',
  end: '',
  host: '',
  bundle: '',
  experiment: '',
  ...more,
})

export const sideCodec: Codec<Side> = {
  read: ([value]) => {
    if (value === undefined) return undefined
    const [part, start = '', end = '', host = '', bundle = '', experiment = ''] = value.split('|')
    const known = PARTS.find((one) => one === part)
    return known && { part: known, start, end, host, bundle, experiment }
  },
  write: (one) => [
    [one.part, one.start, one.end, one.host, one.bundle, one.experiment]
      .join('|')
      .replace(/\|+$/, ''),
  ],
}

/** A window needs both of its ends; anything else is ready at once. */
export function isReady(one: Side): boolean {
  return one.part !== 'window' || (one.start !== '' && one.end !== '')
}
