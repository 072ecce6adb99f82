/**
 * One side of a comparison, as the address and the API write it: 'stall',
 * 'window|2026…|2026…|db-1||', 'whole|||||run,run'.
 */
import type { CompareChoices } from '@/api/queries'
import type { Codec } from './url'

export type Part = 'whole' | 'baseline' | 'stall' | 'window'

export type Side = {
  readonly part: Part
  readonly start: string
  readonly end: string
  readonly host: string
  /** Id of a capture, or of a stall in one; empty: all. */
  readonly capture: string
  /** Experiments whose runs form this side; empty: the incident itself. */
  readonly experiments: readonly string[]
}

const PARTS: readonly Part[] = ['whole', 'baseline', 'stall', 'window']
export const NAMES = 'ABCDEF'
export const MOST = NAMES.length

export const ALIGN = ['onset', 'start', 'clock'] as const
export type Align = (typeof ALIGN)[number]

export const side = (part: Part, more: Partial<Side> = {}): Side => ({
  part,
  start: '',
  end: '',
  host: '',
  capture: '',
  experiments: [],
  ...more,
})

function readSide(value: string): Side | undefined {
  const [part, start = '', end = '', host = '', capture = '', runs = ''] = value.split('|')
  const known = PARTS.find((item) => item === part)
  return (
    known && {
      part: known,
      start,
      end,
      host,
      capture,
      experiments: runs.split(',').filter(Boolean),
    }
  )
}

export const writeSide = (side: Side): string =>
  [side.part, side.start, side.end, side.host, side.capture, side.experiments.join(',')]
    .join('|')
    .replace(/\|+$/, '')

/** Codec of all sides, in column order. */
export const sidesCodec: Codec<readonly Side[]> = {
  read: (values) => {
    const sides = values.map(readSide).filter((side) => side !== undefined)
    return sides.length >= 2 ? sides.slice(0, MOST) : undefined
  },
  write: (sides) => sides.map(writeSide),
}

/** Codec of the reference side: 'B' in the address; the first side when it does not exist. */
export const referenceCodec: Codec<number> = {
  read: ([value = '']) =>
    value.length === 1 && NAMES.includes(value) ? NAMES.indexOf(value) : undefined,
  write: (at) => [NAMES[at] ?? 'A'],
}

/** Return whether a side is complete: a window needs both ends. */
export function isReady(side: Side): boolean {
  return side.part !== 'window' || (side.start !== '' && side.end !== '')
}

/** Sides that answer a usual question at once; those that the incident cannot answer are left out. */
export function presets(
  choices: CompareChoices,
): readonly { name: string; sides: readonly Side[] }[] {
  const stalls = choices.captures.flatMap((capture) => capture.stalls)
  const captures =
    stalls.length > 1
      ? stalls.map((stall) => side('stall', { capture: stall.id }))
      : choices.captures.map((capture) => side('whole', { capture: capture.id }))
  const runs = choices.runs.map((run) => side('whole', { experiments: [run.id] }))
  const incident = side(choices.has_stall ? 'stall' : 'whole')
  const baseline =
    choices.has_baseline && choices.has_stall ? [side('baseline'), side('stall')] : []
  return [
    { name: 'Baseline and stall', sides: baseline },
    { name: stalls.length > 1 ? 'Stalls' : 'Captures', sides: captures },
    { name: 'Incident and runs', sides: [incident, ...runs] },
    { name: 'Runs', sides: runs },
  ]
    .filter(({ sides }) => sides.length > 1)
    .map(({ name, sides }) => ({ name, sides: sides.slice(0, MOST) }))
}
