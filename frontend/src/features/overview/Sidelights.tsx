/** The right column: stalls, the seven checks, limits, deadlocks, gaps in the capture. */
import { Link, useLocation } from 'react-router'
import type { LimitDoc, Overview, StallDoc, TriageDoc } from '@/api/schema'
import { formatNumber } from '@/format'
import { sharedSearch } from '@/state/url'
import { Chip, type Tone } from '@/ui/controls/Chip'
import { CopyButton } from '@/ui/controls/CopyButton'
import { Evidence, rawLinesPath, useArtifactByHash } from '@/ui/evidence/evidence'
import { Duration, Measured, Time } from '@/ui/display/Value'
import { aroundStall } from './links'
import { FoldedSection, Nothing, Section } from './Section'
import { unansweredOf } from '@/ui/evidence/Unanswered'

const KIND = {
  stall: ['stall', 'holding'],
  false_positive: ['false positive of the trigger', 'idle'],
  recovery_burst: ['recovery burst', 'running'],
} as const

const SHAPE: Record<StallDoc['shape'], string> = {
  piled_up: 'sessions piled up',
  refused: 'clients refused',
  stopped: 'work stopped',
  slow: 'work slowed down',
}

/** What happened in a stall: 'Sessions piled up, work stopped'. */
function shapesOf({ shape, also }: StallDoc): string {
  const words = [shape, ...also].map((each) => SHAPE[each]).join(', ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

export function Stalls({ overview }: { readonly overview: Overview }) {
  const { search } = useLocation()
  const { stalls, incident } = overview
  return (
    <Section
      title="Stalls"
      note={stalls.length > 1 && `${stalls.length} in this capture`}
      unanswered={unansweredOf(overview, ['stalls'])}
    >
      {stalls.length === 0 ? (
        <Nothing>
          {overview.headline ? 'No stall in the series.' : 'Available after the analysis.'}
        </Nothing>
      ) : (
        <ul className="side-list">
          {stalls.map((stall) => (
            <li key={stall.onset + stall.kind}>
              <div className="side-row">
                <Link
                  className="side-fact"
                  to={`/incidents/${incident.id}/timeline${sharedSearch(search, aroundStall(stall))}`}
                >
                  <Time at={stall.onset} style="clock" />
                  {' – '}
                  {stall.end ? <Time at={stall.end} style="clock" /> : 'end of the capture'}
                </Link>
                <Chip tone={KIND[stall.kind][1]}>{KIND[stall.kind][0]}</Chip>
                <span className="side-space" />
                <span className="side-fact">
                  <Duration value={stall.duration_s} />
                  {stall.peak_waiters !== null && (
                    <>
                      {', peak '}
                      <Measured value={stall.peak_waiters} />
                      <span className="unit">
                        {stall.peak_counts === 'running' ? 'sessions' : 'waiters'}
                      </span>
                    </>
                  )}
                </span>
              </div>
              {stall.kind === 'stall' && <div>{shapesOf(stall)}</div>}
              {stall.evidence.slice(0, 3).map((item) => (
                <div key={item.series} className="muted">
                  {item.text}
                </div>
              ))}
              {stall.note && <div className="muted">{stall.note}</div>}
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}

const CHECKS: Record<TriageDoc['check'], string> = {
  configuration: 'Configuration',
  saturated_resources: 'Saturated resources',
  collateral_query: 'Dominant statement',
  other_process: 'Other process',
  hardware: 'Hardware',
  shared_storage: 'Shared storage',
  locking: 'Locking',
}

const VERDICT: Record<TriageDoc['verdict'], readonly [string, Tone]> = {
  ok: ['ok', 'running'],
  suspect: ['suspect', 'holding'],
  seen: ['too little to be sure', 'waiting'],
  no_data: ['no data', 'idle'],
}

export function Triage({ overview }: { readonly overview: Overview }) {
  const { triage, incident } = overview
  const suspects = triage.filter((item) => item.verdict === 'suspect').length
  const missing = unansweredOf(overview, ['triage'])
  return (
    <FoldedSection
      title="Seven checks"
      note={
        suspects > 0
          ? `${suspects} suspect`
          : triage.length > 0 && missing.length === 0 && 'none suspect'
      }
      unanswered={missing}
    >
      {triage.length === 0 ? (
        <Nothing>Available after the analysis.</Nothing>
      ) : (
        <ul className="side-list">
          {triage.map((item) => (
            <li key={item.check}>
              <div className="side-row">
                <strong>{CHECKS[item.check]}</strong>
                <span className="side-space" />
                <Chip tone={VERDICT[item.verdict][1]}>{VERDICT[item.verdict][0]}</Chip>
              </div>
              <div className="muted">{item.why}</div>
              {item.collect && (
                <div className="gap-how" title="How to collect it next time">
                  <code>{item.collect}</code>
                  <CopyButton text={item.collect}>Copy</CopyButton>
                </div>
              )}
              {item.evidence.length > 0 && (
                <ul className="evidence-list">
                  {item.evidence.slice(0, 3).map((locator, index) => (
                    <li key={index}>
                      <Evidence incidentId={incident.id} locator={locator} beside={item.why} />
                    </li>
                  ))}
                </ul>
              )}
            </li>
          ))}
        </ul>
      )}
    </FoldedSection>
  )
}

const LIMIT: Record<LimitDoc['verdict'], readonly [string, Tone]> = {
  reached: ['reached', 'holding'],
  near: ['near', 'waiting'],
  far: ['far', 'idle'],
}

/** Gauges at or near their ceilings; nothing when there are none. */
export function Limits({ overview }: { readonly overview: Overview }) {
  const { limits, incident } = overview
  const missing = unansweredOf(overview, ['limits'])
  if (limits.length === 0 && missing.length === 0) return null
  return (
    <Section title="Limits" unanswered={missing}>
      <ul className="side-list">
        {limits.map((limit) => (
          <li key={`${limit.id}:${limit.title}`}>
            <div className="side-row">
              <strong>{limit.title}</strong>
              <span className="side-space" />
              <span>
                <Measured value={limit.used} unit={limit.unit} /> of{' '}
                <Measured value={limit.ceiling} unit={limit.unit} />
              </span>
              <Chip tone={LIMIT[limit.verdict][1]}>{LIMIT[limit.verdict][0]}</Chip>
            </div>
            <div className="muted">At the limit, {limit.means}.</div>
            {limit.evidence.slice(0, 1).map((locator, index) => (
              <Evidence
                key={index}
                incidentId={incident.id}
                locator={locator}
                beside={locator.text}
              />
            ))}
          </li>
        ))}
      </ul>
    </Section>
  )
}

/** Deadlocks in the section; the Tables screen lists all. */
const LISTED = 5

export function Deadlocks({ overview }: { readonly overview: Overview }) {
  const { search } = useLocation()
  const { deadlocks, deadlock_patterns: patterns, incident } = overview
  const commonest = patterns[0]
  const find = useArtifactByHash(incident.id)
  const missing = unansweredOf(overview, ['deadlocks', 'deadlock_patterns'])
  if (deadlocks.length === 0 && missing.length === 0) return null
  return (
    <Section title="Deadlocks" note="Dumps print only the latest deadlock" unanswered={missing}>
      <ul className="side-list">
        {commonest && (
          <li>
            <div className="side-row">
              <Link
                to={`/incidents/${incident.id}/tables${sharedSearch(search, { tab: 'deadlocks', ...(patterns.length > 1 ? { pattern: commonest.id } : {}) })}`}
              >
                {commonest.kind_label}
              </Link>
              <span className="side-space" />
              <span>
                {formatNumber(commonest.count, 0)}{' '}
                {commonest.count === 1 ? 'deadlock' : 'deadlocks'}
              </span>
            </div>
            <div className="muted">
              {patterns.length > 1 && 'The commonest pattern'}
              {patterns.length > 1 && commonest.tables.length > 0 && ', on '}
              {commonest.tables.slice(0, 3).join(', ')}
            </div>
          </li>
        )}
        {deadlocks.slice(0, LISTED).map((item) => {
          const artifact = find(item.artifact)
          return (
            <li key={`${item.artifact}${item.line_first}`}>
              <div className="side-row">
                <Time at={item.time} />
                <span className="side-space" />
                {artifact && (
                  <Link
                    className="mono"
                    to={rawLinesPath(incident.id, artifact.id, item.line_first, null, search)}
                  >
                    {artifact.name}:{item.line_first}
                  </Link>
                )}
              </div>
              <div className="muted">{item.relation}</div>
            </li>
          )
        })}
      </ul>
      {deadlocks.length > LISTED && (
        <Nothing>
          <Link
            to={`/incidents/${incident.id}/tables${sharedSearch(search, { tab: 'deadlocks' })}`}
          >
            Show all deadlocks
          </Link>
        </Nothing>
      )}
    </Section>
  )
}

export function Gaps({ overview }: { readonly overview: Overview }) {
  const { gaps } = overview
  return (
    <FoldedSection
      title="Gaps"
      note={overview.headline && (gaps.length > 0 ? `${gaps.length} not collected` : 'none')}
    >
      {!overview.headline && overview.artifacts.parsing > 0 ? (
        <Nothing>Available after the files are parsed.</Nothing>
      ) : gaps.length === 0 ? (
        <Nothing>No gaps: the capture has everything that the analysis uses.</Nothing>
      ) : (
        <ul className="side-list">
          {gaps.map((gap) => (
            <li key={gap.what}>
              <strong>{gap.what}</strong>
              <div className="muted">{gap.why}</div>
              <div className="gap-how">
                <code>{gap.how}</code>
                <CopyButton text={gap.how}>Copy</CopyButton>
              </div>
            </li>
          ))}
        </ul>
      )}
    </FoldedSection>
  )
}
