/** The named states of an artifact, as a chip with words and progress. */
import type { Artifact } from '@/api/schema'
import { formatShare } from '@/format'
import { Chip, type Tone } from '@/ui/controls/Chip'

type State = Artifact['state']

const STATES: Record<State, readonly [words: string, tone: Tone, why: string]> = {
  queued: ['queued', 'idle', 'Stored; waits for a worker.'],
  identifying: ['identifying', 'accent', 'A worker looks at what it is.'],
  parsing: ['reading', 'accent', 'A worker reads it.'],
  done: ['done', 'running', 'Read to the end.'],
  done_with_problems: ['done, with problems', 'waiting', 'Read; some lines were not understood.'],
  unknown_format: ['unknown type', 'waiting', 'Kept as it is. Choose its type by hand.'],
  failed: ['failed', 'holding', 'It could not be read at all.'],
  expanded: ['unpacked', 'plain', 'An archive; its members are artifacts of their own.'],
  excluded: ['left out', 'plain', 'Kept, and not part of the analysis.'],
}

/** An archive of which not all could be unpacked. */
const PARTLY = [
  'unpacked, with problems',
  'waiting',
  'Not all of it could be unpacked: its parse receipt says why.',
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

/** Words of a state, for filters. */
export const stateWords = (state: State) => STATES[state][0]

/** Something in it could not be read. */
export const isDamaged = ({ state, problems }: Pick<Artifact, 'state' | 'problems'>) =>
  state === 'done_with_problems' || state === 'failed' || (state === 'expanded' && problems > 0)

/** Still on its way through the worker. */
export const isMoving = (state: State) =>
  state === 'queued' || state === 'identifying' || state === 'parsing'
