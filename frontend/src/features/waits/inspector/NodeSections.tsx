/** Sections of the node inspector: the latch that a node is, and the members of a group. */
import type { components } from '@/api/schema'
import { formatNumber } from '@/format'
import { Fields, InspectorSection } from '@/ui/panels/Inspector'
import { Duration } from '@/ui/display/Value'
import type { WaitNode } from '../waitGraph'

type Detail = components['schemas']['WaitNodeDoc']

export function LatchSection({
  latch,
  meaning,
}: {
  readonly latch: NonNullable<Detail['latch']>
  /** What the node says of itself; the same sentence is not shown twice. */
  readonly meaning: string
}) {
  return (
    <InspectorSection title={`The latch ${latch.id}`}>
      <Fields
        items={[
          ['What it is', `${latch.kind}, ${latch.subsystem}`],
          latch.shared_by !== '' && ['Shared by', latch.shared_by],
          latch.exclusive_by !== '' && ['Exclusive by', latch.exclusive_by],
          latch.contention_means !== meaning && ['Contention means', latch.contention_means],
          latch.check.length > 0 && ['Look at', latch.check.join('; ')],
          latch.knobs.length > 0 && [
            'Server settings',
            <span className="mono">{latch.knobs.join(', ')}</span>,
          ],
        ]}
      />
    </InspectorSection>
  )
}

/** Frames that are in sight before the others are unfolded. */
const FRAMES_SHOWN = 14

export function StackSection({ frames }: { readonly frames: readonly string[] }) {
  if (frames.length === 0) return null
  const rest = frames.slice(FRAMES_SHOWN)
  const list = (names: readonly string[], start: number) => (
    <ol className="waits-stack mono" start={start}>
      {names.map((name, index) => (
        <li key={index}>{name}</li>
      ))}
    </ol>
  )
  return (
    <InspectorSection title="Stack, innermost first">
      {list(frames.slice(0, FRAMES_SHOWN), 1)}
      {rest.length > 0 && (
        <details>
          <summary>
            {rest.length} more {rest.length === 1 ? 'frame' : 'frames'}
          </summary>
          {list(rest, FRAMES_SHOWN + 1)}
        </details>
      )}
    </InspectorSection>
  )
}

export function MembersSection({
  node,
  members,
  onFind,
}: {
  readonly node: WaitNode
  readonly members: Detail['members']
  readonly onFind: (id: string) => void
}) {
  return (
    <InspectorSection title="Members">
      <ol className="waits-members">
        {members.map((member) => (
          <li key={member.id}>
            <button
              type="button"
              className="linklike mono"
              title="Show it on its own"
              onClick={() => onFind(member.id)}
            >
              {member.label}
            </button>{' '}
            {member.blocks_total > 0 && (
              <span className="muted">blocks {formatNumber(member.blocks_total, 0)} </span>
            )}
            <Duration value={member.waited_s} />
          </li>
        ))}
      </ol>
      {node.members > members.length && (
        <p className="muted">
          The first {members.length} of {node.members}: those that block most, then the longest
          waits.
        </p>
      )}
    </InspectorSection>
  )
}
