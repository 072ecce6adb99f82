/** Stacks of a sample or of a range: triage, thread list, flame, and the sessions of the same time. */
import { useQuery } from '@tanstack/react-query'
import { rollup } from 'd3-array'
import { Link } from 'react-router'
import { choicesQuery } from '@/api/queries'
import type { StackMoment } from '@/api/schema'
import { formatCount, formatNumber } from '@/format'
import { type Range, useIncidentId, useRange, useZone } from '@/state/incident'
import { MOST, side, sidesCodec } from '@/state/sides'
import { useKeys } from '@/state/keys'
import { flag, oneOf, text, useResolvedDefaults, useUrlChange, useUrlState } from '@/state/url'
import { useViewKeys } from '@/state/viewKeys'
import { Button } from '@/ui/controls/Button'
import { cx } from '@/ui/controls/cx'
import { useArtifactByHash } from '@/ui/evidence/evidence'
import { ExportMenu } from '@/ui/controls/ExportMenu'
import { SeeArtifacts } from '@/ui/evidence/SeeArtifacts'
import { MissingAnswers } from '@/ui/evidence/Unanswered'
import { EmptyState, Problem, SkeletonRows } from '@/ui/display/States'
import { STACK_KEYS } from './keys'
import { FlamePanel } from './FlamePanel'
import { GroupInspector } from './GroupInspector'
import { momentsQuery, type Stacks, stacksQuery } from './queries'
import { SessionsPanel } from './SessionsPanel'
import { ThreadsPanel } from './ThreadsPanel'
import { TriagePanel } from './TriagePanel'
import { stackRows, threadRows, threadTable } from './words'
import './stacks.css'

const LAYERS = ['stacks', 'threads', 'flame', 'sessions'] as const
const SHOW = oneOf(LAYERS)
const NAMES = { stacks: 'Stacks', threads: 'Threads', flame: 'Flame', sessions: 'Sessions' }

export default function StacksScreen() {
  const id = useIncidentId()
  const change = useUrlChange()
  useKeys(STACK_KEYS, {})
  const [chosenKey] = useUrlState('sample', text, '')
  const [selected] = useUrlState('group', text, '')
  const [thread] = useUrlState('thread', text, '')
  const [idle, setIdle] = useUrlState('idle', flag, false)
  const [show, setShow] = useUrlState('show', SHOW, 'stacks')
  useViewKeys(LAYERS, NAMES, (name) => setShow(name, { push: true }))
  const [frame] = useUrlState('in', text, '')
  const [words] = useUrlState('q', text, '')
  const [range] = useRange()
  const moments = useQuery(momentsQuery(id))
  const find = useArtifactByHash(id)
  // Of two readings of one sample the one that still names its threads.
  const isBare = (sha256: string) => find(sha256)?.format === 'pmp'
  const most = [...(moments.data ?? [])].sort(
    (a, b) => b.threads - a.threads || Number(isBare(a.artifact)) - Number(isBare(b.artifact)),
  )[0]
  const key = chosenKey || (most ? sampleKey(most) : '')
  useResolvedDefaults({ sample: show === 'flame' ? null : key || null })
  const [artifact = '', snapshot = '0'] = key.split(':')
  const sample = moments.data?.find((moment) => sampleKey(moment) === key)
  const stacks = useQuery(stacksQuery(id, artifact, Number(snapshot)))

  if (moments.isLoadingError || stacks.isLoadingError) {
    return (
      <Problem
        error={moments.error ?? stacks.error}
        what="The stacks could not be loaded"
        onRetry={() => void (moments.isLoadingError ? moments.refetch() : stacks.refetch())}
      />
    )
  }
  if (moments.isPending) return <SkeletonRows rows={10} />
  if (moments.data.length === 0) {
    return (
      <EmptyState title="No stacks yet" action={<SeeArtifacts />}>
        Stacks appear when a gdb backtrace or a pt-pmp sample was read. Collect one with pt-stalk
        --collect-gdb, or with pt-pmp.
        <OfRuns incidentId={id} />
      </EmptyState>
    )
  }
  const data = stacks.data
  const group = data?.groups.find((group) => group.id === selected)
  const ofSample = show === 'stacks' || show === 'threads'
  return (
    <div className="stacks">
      <SampleList
        moments={moments.data}
        isSelected={(moment) =>
          show === 'flame' ? isInRange(moment, range) : sampleKey(moment) === key
        }
        onSelect={({ time, ...moment }) =>
          change(
            show === 'flame' && time !== null
              ? { start: [time], end: [time], focus: [], fn: [] }
              : { sample: [sampleKey(moment)], thread: [] },
            { push: true },
          )
        }
      />
      <div className={cx('stacks-main', !ofSample && 'scroll')}>
        <header className="stacks-head">
          <h2 data-testid="stacks-headline">
            {show === 'flame'
              ? mergedText(moments.data)
              : data
                ? headline(data)
                : 'Loading the sample'}
          </h2>
          <div className="stacks-tools">
            <div className="segments" role="group" aria-label="Layer">
              {LAYERS.map((name) => (
                <Button
                  key={name}
                  size="small"
                  pressed={show === name}
                  onClick={() => setShow(name, { push: true })}
                >
                  {NAMES[name]}
                </Button>
              ))}
            </div>
            {show !== 'sessions' && (
              <Button size="small" pressed={idle} onClick={() => setIdle(!idle)}>
                Show idle stacks
              </Button>
            )}
            {ofSample && data && (
              <ExportMenu
                name={[show, sample?.time ?? '']}
                rows={() =>
                  show === 'threads'
                    ? threadTable(threadRows(data, { idle, frame, words }))
                    : stackRows(data.groups.filter((group) => idle || !group.set_aside))
                }
              />
            )}
          </div>
        </header>
        <MissingAnswers incidentId={id} parts={['stalls', 'hot_stacks']} />
        {show === 'flame' ? (
          <FlamePanel incidentId={id} idle={idle} />
        ) : show === 'sessions' ? (
          <SessionsPanel key={key} incidentId={id} at={sample?.time ?? null} />
        ) : !data ? (
          <SkeletonRows rows={8} />
        ) : show === 'threads' ? (
          <ThreadsPanel
            stacks={data}
            idle={idle}
            selected={thread}
            onSelect={(inGroup, name) => change({ group: [inGroup], thread: [name] })}
          />
        ) : (
          <TriagePanel
            incidentId={id}
            artifact={artifact}
            snapshot={Number(snapshot)}
            stacks={data}
            idle={idle || group?.set_aside === true}
            selected={selected}
            onSelect={(name) => change({ group: [name], thread: [] })}
          />
        )}
      </div>
      {group && data && ofSample && (
        <GroupInspector
          incidentId={id}
          group={group}
          path={moments.data.find((m) => m.artifact === group.artifact)?.path ?? null}
          time={data.time}
          thread={thread}
          onClose={() => change({ group: [], thread: [] })}
          onFrame={(name) =>
            change({ show: ['threads'], in: [name], group: [], thread: [] }, { push: true })
          }
        />
      )}
    </div>
  )
}

/** The files of experiments are no part of the incident: where their stacks are. */
function OfRuns({ incidentId }: { readonly incidentId: string }) {
  const choices = useQuery(choicesQuery(incidentId))
  const runs = choices.data?.runs.filter((run) => run.artifacts > 0) ?? []
  if (runs.length === 0) return null
  const [first] = runs
  const sides = [side('whole'), ...runs.map(({ id }) => side('whole', { experiments: [id] }))]
  const written = sidesCodec.write(sides.slice(0, MOST)).map((value) => ['side', value])
  const search = `?${new URLSearchParams([['tab', 'stacks'], ...written])}`
  return (
    <>
      {' '}
      {runs.length === 1 && first
        ? `The files of run ${first.number} are compared with the incident`
        : `The files of ${formatCount(runs.length, 'run')} are compared with the incident`}{' '}
      in <Link to={{ pathname: `/incidents/${incidentId}/compare`, search }}>Compare</Link>.
    </>
  )
}

/** A sample of the incident in the address: "artifact:snapshot". */
const sampleKey = (moment: Pick<StackMoment, 'artifact' | 'snapshot'>) =>
  `${moment.artifact}:${moment.snapshot}`

/** The samples at the left, to choose one. */
function SampleList({
  moments,
  isSelected,
  onSelect,
}: {
  readonly moments: readonly StackMoment[]
  readonly isSelected: (moment: StackMoment) => boolean
  readonly onSelect: (moment: StackMoment) => void
}) {
  const zone = useZone()
  // A sample that two files hold is one: the copy is in the list only when a link leads to it.
  const listed = moments.filter((moment) => moment.same_as === null || isSelected(moment))
  const copiesOf = rollup(
    moments.filter(({ same_as }) => same_as !== null),
    (group) => group.length,
    ({ same_as }) => same_as ?? '',
  )
  return (
    <nav className="stacks-samples scroll" aria-label="Stack samples">
      <h2>Samples</h2>
      <ul>
        {listed.map((moment) => {
          const selected = isSelected(moment)
          const copies = copiesOf.get(moment.path) ?? 0
          return (
            <li key={sampleKey(moment)}>
              <button
                type="button"
                aria-pressed={selected}
                className={cx('stacks-sample', selected && 'selected')}
                onClick={() => onSelect(moment)}
              >
                <span className="mono">
                  {moment.time ? zone.format(moment.time) : 'time unknown'}
                </span>
                <span className="muted">
                  {moment.event === null
                    ? formatCount(moment.threads, 'thread')
                    : `${moment.event} on ${moment.threads} CPUs`}
                </span>
                <span className="faint ellipsis" title={moment.path}>
                  {moment.path.split('/').at(-1)}
                </span>
                {copies > 0 && <span className="faint">also by pt-pmp, counted once</span>}
              </button>
            </li>
          )
        })}
      </ul>
    </nav>
  )
}

function isInRange({ time }: StackMoment, { from, to }: Range): boolean {
  return time !== null && from !== null && to !== null && time >= from && time <= to
}

/** "6 stack samples merged; 5 are in the files of both gdb and pt-pmp and count once" */
function mergedText(moments: readonly StackMoment[]): string {
  const copies = moments.filter(({ same_as }) => same_as !== null).length
  const samples = moments.length - copies
  const text = `${samples} stack ${samples === 1 ? 'sample' : 'samples'} merged`
  if (copies === 0) return text
  const are = copies === 1 ? '1 is in the files' : `${formatNumber(copies, 0)} are in the files`
  return `${text}; ${are} of both gdb and pt-pmp and ${copies === 1 ? 'counts' : 'count'} once`
}

/** "358 threads, 316 of them not idle; 300 (84%) are in lock_wait_suspend_thread in …". */
function headline({ total, idle, groups }: Stacks): string {
  const busy = total - idle
  const first = groups.find((group) => !group.set_aside)
  const base = `${formatCount(total, 'thread')}, ${formatNumber(busy)} of them not idle`
  if (!first || busy === 0) return base
  return `${base}; ${formatNumber(first.count)} in ${first.name}`
}
