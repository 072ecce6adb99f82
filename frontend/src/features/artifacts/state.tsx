/** The named states of an artifact, as a chip with words and progress. */
import type { Artifact } from '@/api/schema'
import { formatShare } from '@/format'
import { Chip, type Tone } from '@/ui/controls/Chip'

type State = Artifact['state']

const STATES: Record<State, readonly [words: string, tone: Tone, why: string]> = {
  queued: ['queued', 'idle', 'Stored; waiting for a worker.'],
  identifying: ['identifying', 'accent', 'A worker is detecting its type.'],
  parsing: ['parsing', 'accent', 'A worker is parsing it.'],
  done: ['done', 'running', 'Parsed completely.'],
  done_with_problems: ['done, with problems', 'waiting', 'Parsed; some lines were not understood.'],
  unknown_format: ['unknown type', 'waiting', 'Stored unchanged. Set its type by hand.'],
  failed: ['failed', 'holding', 'It could not be parsed.'],
  expanded: ['unpacked', 'plain', 'An archive; its members are separate artifacts.'],
  excluded: ['excluded', 'plain', 'Stored, but not part of the analysis.'],
}

/** State of an archive that could not be unpacked completely. */
const PARTLY = [
  'unpacked, with problems',
  'waiting',
  'It could not be unpacked completely; see its parse receipt.',
] as const

export function StateChip({ artifact }: { readonly artifact: Artifact }) {
  const partly = artifact.state === 'expanded' && artifact.problems > 0
  const [words, tone, why] = partly ? PARTLY : STATES[artifact.state]
  const share =
    artifact.state === 'parsing' && artifact.progress !== null
      ? ` ${formatShare(artifact.progress)}`
      : ''
  return (
    <Chip tone={tone} title={artifact.error ?? why}>
      {words}
      {share}
    </Chip>
  )
}

/** Return the displayed name of a state, for filters. */
export const stateWords = (state: State) => STATES[state][0]

/** Return whether parts of the artifact could not be parsed. */
export const isDamaged = ({ state, problems }: Pick<Artifact, 'state' | 'problems'>) =>
  state === 'done_with_problems' || state === 'failed' || (state === 'expanded' && problems > 0)

/** Return whether a worker is still processing the artifact. */
export const isMoving = (state: State) =>
  state === 'queued' || state === 'identifying' || state === 'parsing'

/** Return whether the artifact holds records that belong to a moment which nobody knows. */
export const isUndated = (artifact: Artifact) =>
  (artifact.state === 'done' || artifact.state === 'done_with_problems') &&
  artifact.first === null &&
  artifact.given_at === null &&
  Object.entries(artifact.records).some(([kind, count]) => kind !== 'setting' && count > 0)
