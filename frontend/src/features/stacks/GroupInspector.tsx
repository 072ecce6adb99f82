/** One stack: its frames with their places, its threads, its meaning, its raw lines. */
import { Link, useLocation } from 'react-router'
import { Evidence } from '@/ui/evidence/evidence'
import { Fields, Inspector, InspectorSection } from '@/ui/panels/Inspector'
import { PinButton } from '@/ui/evidence/pin'
import { stackSvg } from './flameDrawing'
import { Time } from '@/ui/display/Value'
import { waitsPath } from './ThreadsPanel'
import { activityWords, frameSource, type Group } from './words'

const THREADS_SHOWN = 100

export function GroupInspector({
  incidentId,
  group,
  path,
  time,
  thread,
  onClose,
  onFrame,
}: {
  readonly incidentId: string
  readonly group: Group
  readonly path: string | null
  /** Of the sample. */
  readonly time: string | null
  /** The pthread that was followed here. */
  readonly thread: string
  readonly onClose: () => void
  /** Shows the threads that are in this function. */
  readonly onFrame: (name: string) => void
}) {
  const { search } = useLocation()
  const listed = [...group.threads].sort(
    (a, b) => Number(b.pthread === thread) - Number(a.pthread === thread),
  )
  const claim = `${group.count} ${group.count === 1 ? 'thread' : 'threads'} in ${group.name}`
  return (
    <Inspector
      title={<span className="mono">{group.name}</span>}
      subtitle={`${group.count} ${group.count === 1 ? 'thread' : 'threads'} with this stack`}
      onClose={onClose}
      actions={
        <PinButton
          incidentId={incidentId}
          pin={() => ({
            kind: 'stack',
            title: claim,
            picture: stackSvg(
              group.frames.map((frame) => frame.function),
              claim,
            ),
            locator: {
              artifact: group.artifact,
              path: null,
              line_first: group.line_first,
              line_last: group.line_last,
              ranges: [],
              series: null,
              start: null,
              end: null,
              at: null,
              node: group.signature,
              value: String(group.count),
            },
          })}
        />
      }
    >
      <section className="inspector-section">
        <Fields
          items={[
            ['Threads', group.count],
            ['They are', activityWords(group.activity)],
            group.signature !== null && [
              'Signature',
              <span key="s" className="mono">
                {group.signature}
              </span>,
            ],
            group.meaning !== null && ['Meaning', group.meaning],
            group.waits_on.length > 0 && ['Blocked on', group.waits_on.join(', ')],
            group.verdict !== null && [
              'Pile',
              <span key="p">
                {group.verdict.pile}
                <span className="muted">
                  {group.verdict.by && `, by ${group.verdict.by}`} <Time at={group.verdict.at} />
                </span>
              </span>,
            ],
            group.variants > 1 && ['Variants', `${group.variants}, at other lines of the source`],
          ]}
        />
      </section>
      <InspectorSection title="Stack, innermost first">
        <ol className="stacks-frames mono">
          {group.frames.map((frame, index) => (
            <li key={index}>
              <button
                type="button"
                className="linklike"
                title="The threads in this function"
                onClick={() => onFrame(frame.function)}
              >
                {frame.function}
              </button>
              {frame.file && <span className="faint"> {frameSource(frame)}</span>}
            </li>
          ))}
        </ol>
      </InspectorSection>
      <InspectorSection title="Raw lines">
        <Evidence
          incidentId={incidentId}
          locator={{
            kind: 'lines',
            artifact: group.artifact,
            path,
            line_first: group.line_first,
            line_last: group.line_last,
            ranges: [],
            series: null,
            start: null,
            end: null,
            at: null,
            node: null,
            setting: null,
            text: '',
          }}
        />
      </InspectorSection>
      {listed.length > 0 && (
        <InspectorSection title="Threads">
          <ul className="stacks-frames mono">
            {listed.slice(0, THREADS_SHOWN).map((item, index) => (
              <li key={index} className={item.pthread === thread ? 'stacks-followed' : undefined}>
                {item.pthread && time ? (
                  <Link
                    to={waitsPath(search, time, item.pthread)}
                    title="This thread in the wait graph"
                    data-testid="thread-waits"
                  >
                    {item.pthread}
                  </Link>
                ) : (
                  item.pthread
                )}{' '}
                {item.lwp ? `LWP ${item.lwp}` : ''} {item.name ?? ''}
              </li>
            ))}
          </ul>
          {listed.length > THREADS_SHOWN && (
            <p className="muted">{THREADS_SHOWN} of them; the thread list has all.</p>
          )}
        </InspectorSection>
      )}
    </Inspector>
  )
}
