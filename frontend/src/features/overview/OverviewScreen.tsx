/** The overview: the story with its chart, chain, impact and fixes; then numbers, causes and waits. */
import { formatCount } from '@/format'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import { Link, useLocation } from 'react-router'
import { overviewQuery, useMay } from '@/api/queries'
import type { Overview } from '@/api/schema'
import { useChosenStall, useIncidentId } from '@/state/incident'
import { openPasteBox } from '@/state/pasteBox'
import { sharedSearch } from '@/state/url'
import { Button } from '@/ui/controls/Button'
import { Banner, EmptyState, Problem } from '@/ui/display/States'
import { Actions } from './Actions'
import { ActiveSessions } from './ActiveSessions'
import { Blockers } from './Blockers'
import { Captures } from './Captures'
import { Conclusion } from './Conclusion'
import { Deadlocks, Gaps, Limits, Stalls, Triage } from './Sidelights'
import { Findings } from './Findings'
import { QueuePlace } from '@/ui/evidence/QueuePlace'
import { Headline } from './Headline'
import { HotWaits } from './HotWaits'
import { Numbers } from './Numbers'
import { Section } from './Section'
import { Shifts } from './Shifts'
import { Shortcuts } from './Shortcuts'
import { Similar } from './Similar'
import { Story } from './Story'
import { StorySkeleton } from './StorySkeleton'
import { Summary } from './Summary'
import { Work } from './Work'
import { useReady } from './ready'
import { useAnalyse } from './queries'
import './overview.css'

export default function OverviewScreen() {
  const incidentId = useIncidentId()
  const stall = useChosenStall()
  const overview = useQuery({
    ...overviewQuery(incidentId, stall),
    placeholderData: keepPreviousData,
  })
  // The answer is painted first; what is below it follows in the next render.
  const complete = useDeferredValue(true, false)
  if (overview.error && !overview.data) {
    return (
      <Problem
        error={overview.error}
        what="The overview could not be read"
        onRetry={() => void overview.refetch()}
      />
    )
  }
  if (!overview.data) {
    return (
      <div className="overview-loading">
        <StorySkeleton label="Loading the overview" />
      </div>
    )
  }
  const { data } = overview
  return (
    <div className="overview">
      <AnalysisBanner overview={data} />
      <PartialBanner overview={data} />
      <StaleBanner overview={data} />
      {data.captures.some(({ id, episodes }) => id === stall && episodes.length === 0) && (
        <Banner tone="plain">
          The chosen capture has no stall; this page describes the leading one.
        </Banner>
      )}
      {data.shown_stall && (
        <Banner tone="plain">
          This page describes another stall than the leading one. Checks, limits and hot waits exist
          for the leading stall only.
        </Banner>
      )}
      <Headline overview={data} />
      {isWorking(data) && !data.headline && data.artifacts.total > 0 && (
        <StorySkeleton label="The analysis is running" />
      )}
      {data.artifacts.total === 0 ? (
        <NothingUploaded incidentId={incidentId} />
      ) : (
        <>
          <Captures overview={data} />
          {data.active_sessions && data.active_sessions.times.length > 1 && (
            <ActiveSessions
              sessions={data.active_sessions}
              stall={mainStall(data)}
              turns={data.story?.marks ?? []}
              gaps={data.active_gaps}
            />
          )}
          {data.story?.work && (
            <Work work={data.story.work} stall={mainStall(data)} turns={data.story.marks} />
          )}
          <Story overview={data} />
          {(data.headline || !isWorking(data)) && <Numbers overview={data} />}
          {complete && <Details overview={data} />}
        </>
      )}
    </div>
  )
}

/** Below the answer: causes and waits, and beside them what people wrote. */
function Details({ overview }: { readonly overview: Overview }) {
  return (
    <div className="overview-columns">
      <div className="overview-main">
        <Shortcuts overview={overview} />
        <Findings overview={overview} />
        <Blockers overview={overview} />
        <Shifts overview={overview} />
        {!overview.shown_stall && <HotWaits overview={overview} />}
      </div>
      <div className="overview-side">
        <Conclusion incidentId={overview.incident.id} />
        <Section title="Summary">
          <Summary incidentId={overview.incident.id} />
        </Section>
        {overview.captures.length < 2 && <Stalls overview={overview} />}
        <Actions incidentId={overview.incident.id} />
        <Similar incidentId={overview.incident.id} />
        {!overview.shown_stall && <Limits overview={overview} />}
        <Deadlocks overview={overview} />
        {!overview.shown_stall && <Triage overview={overview} />}
        <Gaps overview={overview} />
      </div>
    </div>
  )
}

const isWorking = ({ analysis, artifacts }: Overview) =>
  artifacts.parsing > 0 || analysis.state === 'queued' || analysis.state === 'running'

/** The stall that the numbers describe. */
const mainStall = ({ stalls, numbers }: Overview) =>
  stalls.find((stall) => Date.parse(stall.onset) === Date.parse(numbers.onset ?? '')) ?? null

function NothingUploaded({ incidentId }: { readonly incidentId: string }) {
  const { search } = useLocation()
  const mayWrite = useMay('contributor')
  return (
    <EmptyState
      title="No files uploaded yet"
      action={
        <div className="overview-begin">
          {mayWrite && (
            <textarea
              className="input"
              rows={3}
              aria-label="Paste text"
              placeholder="Paste a status dump, stacks, a processlist, log lines, configuration"
              value=""
              onChange={(event) => openPasteBox(event.target.value)}
            />
          )}
          <Link to={`/incidents/${incidentId}/artifacts${sharedSearch(search)}`}>
            <Button variant="primary">Upload files</Button>
          </Link>
        </div>
      }
    >
      The stall, its root blockers, what moved first and the likely causes appear here within
      seconds of an upload or a paste (Ctrl+V).
    </EmptyState>
  )
}

/** The banner while the analysis is queued or running, has failed or has never run. */
function AnalysisBanner({ overview }: { readonly overview: Overview }) {
  const { state, error } = overview.analysis
  const isParsing = overview.artifacts.parsing > 0
  const analyse = useAnalyse(overview.incident.id)
  const ready = useReady(overview)
  const mayWrite = useMay('contributor')
  const again = mayWrite && (
    <Button size="small" busy={analyse.isPending} onClick={() => analyse.mutate()}>
      Analyse again
    </Button>
  )
  if (state === 'failed')
    return (
      <Banner tone="holding" action={again}>
        <strong>The analysis failed.</strong> {error ? error.replace(/\.?$/, '.') : 'No details.'}{' '}
        The results below, if any, are from the last completed run.
      </Banner>
    )
  // While files are parsed, the banner of partial results says it.
  if (isParsing) return null
  if (state === 'queued' || state === 'running')
    return (
      <Banner tone="plain">
        {state === 'queued' ? 'The analysis is waiting for a worker.' : 'The analysis is running.'}{' '}
        This page updates automatically.
      </Banner>
    )
  if (ready.isNew)
    return (
      <Banner
        tone="ready"
        action={
          <Button size="small" variant="ghost" onClick={ready.dismiss}>
            Dismiss
          </Button>
        }
      >
        <strong>Analysis ready.</strong> {filesParsed(overview)}
      </Banner>
    )
  if (state === 'none' && overview.artifacts.total > 0 && overview.artifacts.parsing === 0)
    return (
      <Banner tone="plain" action={again}>
        The analysis has not run yet.
      </Banner>
    )
  return null
}

/** Describe what the analysis used: "All 26 files are parsed." */
function filesParsed({ artifacts: { total, failed, unknown } }: Overview): string {
  const parsed = total - failed - unknown
  if (parsed === total)
    return total === 1 ? 'The file is parsed.' : `All ${total} files are parsed.`
  return `${parsed} of ${total} files are parsed.`
}

/** The banner for stale pins. */
function StaleBanner({ overview }: { readonly overview: Overview }) {
  const { search } = useLocation()
  const { incident, stale_pins: stale } = overview
  if (stale === 0) return null
  const tab = sharedSearch(search, { tab: 'evidence' })
  return (
    <Banner
      tone="waiting"
      action={<Link to={`/incidents/${incident.id}/hypotheses${tab}`}>Show what changed</Link>}
    >
      {stale === 1 ? 'A pin is stale' : `${stale} pins are stale`}: the files now parse to a
      different value.
    </Banner>
  )
}

function PartialBanner({ overview }: { readonly overview: Overview }) {
  const { search } = useLocation()
  const { total, parsing, unknown, failed } = overview.artifacts
  const parts = [
    parsing > 0 && `parsing ${total - parsing} of ${formatCount(total, 'file')}`,
    unknown > 0 && `${formatCount(unknown, 'file')} of unknown type`,
    failed > 0 && `${formatCount(failed, 'file')} could not be parsed`,
  ].filter(Boolean)
  if (parts.length === 0) return null
  const show = parsing ? 'moving' : unknown ? 'unknown' : 'problems'
  return (
    <Banner
      tone="waiting"
      action={
        <Link to={`/incidents/${overview.incident.id}/artifacts${sharedSearch(search, { show })}`}>
          Show them
        </Link>
      }
    >
      Partial results: {parts.join(', ')}.{' '}
      {parsing > 0 && (
        <>
          <QueuePlace incidentId={overview.incident.id} isParsing /> This page updates
          automatically.
        </>
      )}
    </Banner>
  )
}
