/** Stacks of one sample, identical ones counted once; idle ones set aside. */
import { queryOptions, useQuery } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import { useIncidentId, useZone } from '@/state/incident'
import { flag, oneOf, text, useUrlChange, useUrlState } from '@/state/url'
import { ShareBar } from '@/ui/Bar'
import { Button } from '@/ui/Button'
import { Chip } from '@/ui/Chip'
import { cx } from '@/ui/cx'
import { Evidence } from '@/ui/evidence'
import { Fields, Inspector, InspectorSection } from '@/ui/Inspector'
import { PinButton } from '@/ui/pin'
import { EmptyState, Problem, SkeletonRows } from '@/ui/States'
import { ShareValue } from '@/ui/Value'
import { FlamePanel } from './FlamePanel'
import { SessionsPanel } from './SessionsPanel'
import { categoryWords, frameSource, type Group, telling, tone } from './words'
import './stacks.css'

const SHOW = oneOf(['stacks', 'flame', 'sessions'] as const)

const momentsQuery = (id: string) =>
  queryOptions({
    queryKey: keys.of(id, 'stacks', 'moments'),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/stacks/moments', {
          params: { path: { incident_id: id } },
        }),
      ),
  })

const stacksQuery = (id: string, artifact: string, snapshot: number) =>
  queryOptions({
    queryKey: keys.of(id, 'stacks', artifact, snapshot),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/stacks', {
          params: { path: { incident_id: id }, query: { artifact, snapshot } },
        }),
      ),
    enabled: artifact !== '',
  })

/** Grey where no signature says what the threads do. */
function barTone(group: Group) {
  const said = tone(group)
  return said === 'plain' ? 'idle' : said
}

export default function StacksScreen() {
  const id = useIncidentId()
  const zone = useZone()
  const change = useUrlChange()
  const [asked] = useUrlState('sample', text, '')
  const [selected, setSelected] = useUrlState('group', text, '')
  const [idle, setIdle] = useUrlState('idle', flag, false)
  const [show, setShow] = useUrlState('show', SHOW, 'stacks')
  const moments = useQuery(momentsQuery(id))
  const most = [...(moments.data ?? [])].sort((a, b) => b.threads - a.threads)[0]
  const key = asked || (most ? `${most.artifact}:${most.snapshot}` : '')
  const [artifact = '', snapshot = '0'] = key.split(':')
  const sample = moments.data?.find((m) => `${m.artifact}:${m.snapshot}` === key)
  const stacks = useQuery(stacksQuery(id, artifact, Number(snapshot)))

  if (moments.isError || stacks.isError) {
    return (
      <Problem
        error={moments.error ?? stacks.error}
        what="The stacks could not be read"
        onRetry={() => void moments.refetch()}
      />
    )
  }
  if (moments.isPending) return <SkeletonRows rows={10} />
  if (moments.data.length === 0) {
    return (
      <EmptyState title="No stacks yet">
        Stacks appear when a gdb backtrace or a pt-pmp sample was read. Collect one with pt-stalk
        --collect-gdb, or with pt-pmp.
      </EmptyState>
    )
  }
  const groups = (stacks.data?.groups ?? []).filter((group) => idle || !group.set_aside)
  const group = stacks.data?.groups.find((one) => one.id === selected)
  return (
    <div className="stacks">
      <nav className="stacks-samples scroll" aria-label="Stack samples">
        <h3>Samples</h3>
        <ul>
          {moments.data.map((moment) => {
            const name = `${moment.artifact}:${moment.snapshot}`
            return (
              <li key={name}>
                <button
                  type="button"
                  className={cx('stacks-sample', name === key && 'selected')}
                  onClick={() => change({ sample: [name], group: [] }, { push: true })}
                >
                  <span className="mono">
                    {moment.time ? zone.format(moment.time) : 'time unknown'}
                  </span>
                  <span className="muted">{moment.threads} threads</span>
                  <span className="faint ellipsis" title={moment.path}>
                    {moment.path.split('/').at(-1)}
                  </span>
                </button>
              </li>
            )
          })}
        </ul>
      </nav>
      <div className="stacks-main scroll">
        <header className="stacks-head">
          <h2>
            {stacks.data
              ? `${stacks.data.total} threads, ${stacks.data.total - stacks.data.idle} of them not idle`
              : 'Loading the sample'}
          </h2>
          <div className="stacks-tools">
            <div className="segments" role="group" aria-label="Layer">
              <Button size="small" pressed={show === 'stacks'} onClick={() => setShow('stacks')}>
                Stacks
              </Button>
              <Button size="small" pressed={show === 'flame'} onClick={() => setShow('flame')}>
                Flame
              </Button>
              <Button
                size="small"
                pressed={show === 'sessions'}
                onClick={() => setShow('sessions')}
              >
                Sessions
              </Button>
            </div>
            {show !== 'sessions' && (
              <Button size="small" pressed={idle} onClick={() => setIdle(!idle)}>
                Show idle stacks
              </Button>
            )}
          </div>
        </header>
        {show === 'flame' ? (
          <FlamePanel incidentId={id} idle={idle} />
        ) : show === 'sessions' ? (
          <SessionsPanel key={key} incidentId={id} at={sample?.time ?? null} />
        ) : (
          <>
            <table className="stacks-table">
              <thead>
                <tr>
                  <th scope="col" className="num">
                    Threads
                  </th>
                  <th scope="col">Share</th>
                  <th scope="col">What they do</th>
                  <th scope="col">Kind</th>
                </tr>
              </thead>
              <tbody>
                {groups.map((one) => (
                  <tr
                    key={one.id}
                    className={cx(one.id === selected && 'selected')}
                    data-testid="stack-group"
                  >
                    <td className="num">{one.count}</td>
                    <td className="stacks-share">
                      <ShareBar value={one.share} tone={barTone(one)} />{' '}
                      <ShareValue value={one.share} />
                    </td>
                    <td>
                      <button
                        type="button"
                        className="linklike mono"
                        onClick={() => setSelected(one.id)}
                      >
                        {telling(one)}
                      </button>
                      <div className="muted">
                        {one.meaning ?? 'No signature of the knowledge base fits.'}
                      </div>
                    </td>
                    <td>
                      <Chip tone={tone(one)}>{categoryWords(one.category)}</Chip>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
            {stacks.data && groups.length === 0 && (
              <EmptyState compact title="Only idle threads in this sample" />
            )}
          </>
        )}
      </div>
      {group && show === 'stacks' && (
        <Inspector
          title={<span className="mono">{telling(group)}</span>}
          subtitle={`${group.count} threads with this stack`}
          onClose={() => setSelected(null)}
          actions={
            <PinButton
              incidentId={id}
              pin={() => ({
                kind: 'stack',
                title: `${group.count} threads in ${telling(group)}`,
                locator: {
                  artifact: group.artifact,
                  path: null,
                  line_first: group.line_first,
                  line_last: group.line_last,
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
                group.signature !== null && [
                  'Signature',
                  <span key="s" className="mono">
                    {group.signature}
                  </span>,
                ],
                group.meaning !== null && ['Meaning', group.meaning],
              ]}
            />
          </section>
          <InspectorSection title="Stack, innermost first">
            <ol className="stacks-frames mono">
              {group.frames.map((frame, index) => (
                <li key={index}>
                  {frame.function}
                  {frame.file && <span className="faint"> {frameSource(frame)}</span>}
                </li>
              ))}
            </ol>
          </InspectorSection>
          <InspectorSection title="Raw lines">
            <Evidence
              incidentId={id}
              locator={{
                kind: 'lines',
                artifact: group.artifact,
                path: moments.data.find((m) => m.artifact === group.artifact)?.path ?? null,
                line_first: group.line_first,
                line_last: group.line_last,
                series: null,
                start: null,
                end: null,
                at: null,
                node: null,
                text: '',
              }}
            />
          </InspectorSection>
          {group.threads.length > 0 && (
            <InspectorSection title="Threads">
              <ul className="stacks-frames mono">
                {group.threads.slice(0, 100).map((thread, index) => (
                  <li key={index}>
                    {thread.pthread ?? ''} {thread.lwp ? `LWP ${thread.lwp}` : ''}{' '}
                    {thread.name ?? ''}
                  </li>
                ))}
              </ul>
            </InspectorSection>
          )}
        </Inspector>
      )}
    </div>
  )
}
