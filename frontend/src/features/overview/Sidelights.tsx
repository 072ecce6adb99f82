/** The right column: stalls, the seven checks, deadlocks, gaps in the capture. */
import { Link, useLocation } from 'react-router'
import type { Overview, TriageDoc } from '@/api/schema'
import { sharedSearch } from '@/state/url'
import { Chip, type Tone } from '@/ui/controls/Chip'
import { CopyButton } from '@/ui/controls/CopyButton'
import { Evidence, rawLinesPath, useArtifactByHash } from '@/ui/evidence/evidence'
import { Duration, Measured, Time } from '@/ui/display/Value'
import { aroundStall } from './links'
import { Nothing, Section } from './Section'

const KIND = {
  stall: ['stall', 'holding'],
  false_positive: ['false positive of the trigger', 'idle'],
  recovery_burst: ['recovery burst', 'running'],
} as const

export function Stalls({ overview }: { readonly overview: Overview }) {
  const { search } = useLocation()
  const { stalls, incident } = overview
  return (
    <Section title="Stalls" note={stalls.length > 1 && `${stalls.length} in this capture`}>
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
                  to={`/incidents/${incident.id}/timeline${sharedSearch(search, aroundStall(stall))}`}
                >
                  <Time at={stall.onset} style="clock" />
                  {' – '}
                  {stall.end ? <Time at={stall.end} style="clock" /> : 'end of the capture'}
                </Link>
                <Chip tone={KIND[stall.kind][1]}>{KIND[stall.kind][0]}</Chip>
                <span className="side-space" />
                <Duration value={stall.duration_s} />
                {stall.peak_waiters !== null && (
                  <span>
                    <Measured value={stall.peak_waiters} />
                    <span className="unit">
                      {stall.peak_counts === 'running' ? 'sessions' : 'waiters'}
                    </span>
                  </span>
                )}
              </div>
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
  collateral_query: 'Collateral query',
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
  return (
    <Section title="Seven checks">
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
    </Section>
  )
}

export function Deadlocks({ overview }: { readonly overview: Overview }) {
  const { search } = useLocation()
  const { deadlocks, incident } = overview
  const find = useArtifactByHash(incident.id)
  if (deadlocks.length === 0) return null
  return (
    <Section title="Deadlocks" note="Dumps print only the latest deadlock">
      <ul className="side-list">
        {deadlocks.map((item) => {
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
    </Section>
  )
}

export function Gaps({ overview }: { readonly overview: Overview }) {
  const { gaps } = overview
  return (
    <Section title="Gaps" note={overview.headline && gaps.length > 0 && 'Not collected'}>
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
    </Section>
  )
}
