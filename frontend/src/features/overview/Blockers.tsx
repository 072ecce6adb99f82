/** Root blockers: holders that are not blocked themselves, and the number of sessions behind them. */
import { Link, useLocation } from 'react-router'
import type { BlockerDoc, Overview } from '@/api/schema'
import { sharedSearch } from '@/state/url'
import { ShareBar } from '@/ui/display/Bar'
import { Chip } from '@/ui/controls/Chip'
import { Evidence } from '@/ui/evidence/evidence'
import { Measured, ShareValue, Time } from '@/ui/display/Value'
import { Nothing, Section } from './Section'
import { unansweredOf } from '@/ui/evidence/Unanswered'

export function Blockers({ overview }: { readonly overview: Overview }) {
  const { blockers, incident, numbers } = overview
  const most = Math.max(numbers.peak_waiters ?? 0, ...blockers.map((item) => item.blocks_total))
  return (
    <Section
      title="Root blockers"
      unanswered={unansweredOf(overview, ['blockers', 'roots', 'waits', 'blocked_time'])}
      note={
        blockers.length > 0 &&
        'Blocking others, not blocked themselves; share of session time that ends there'
      }
    >
      {blockers.length === 0 ? (
        <Nothing>
          {overview.headline
            ? 'Holder unknown: the capture names none.'
            : 'Available after the analysis.'}
        </Nothing>
      ) : (
        <ol className="blockers">
          {blockers.map((blocker) => (
            <Blocker
              key={`${blocker.id}${blocker.time ?? ''}`}
              blocker={blocker}
              incidentId={incident.id}
              most={most}
            />
          ))}
        </ol>
      )}
    </Section>
  )
}

function Blocker({
  blocker,
  incidentId,
  most,
}: {
  readonly blocker: BlockerDoc
  readonly incidentId: string
  readonly most: number
}) {
  const { search } = useLocation()
  const at: Record<string, string> = blocker.time ? { at: blocker.time, node: blocker.id } : {}
  return (
    <li className="blocker">
      <div className="blocker-head">
        <Link
          className="mono blocker-name ellipsis"
          title={blocker.holder}
          to={`/incidents/${incidentId}/waits${sharedSearch(search, at)}`}
        >
          {blocker.holder}
        </Link>
        <Chip tone="holding">{blocker.kind.replaceAll('_', ' ')}</Chip>
        {blocker.inferred && <Chip mark="~">inferred</Chip>}
        <span className="blocker-count">
          <Weight blocker={blocker} most={most} />
        </span>
      </div>
      <p className="muted">
        {blocker.why} <Measured value={blocker.blocks_total} /> blocked
        {blocker.blocks_direct > 0 && (
          <>
            , <Measured value={blocker.blocks_direct} /> directly
          </>
        )}
        {blocker.time && (
          <>
            {' '}
            at <Time at={blocker.time} style="clock" />
          </>
        )}
        . {blocker.of > 1 && blocker.persistence && `${blocker.persistence}.`}
      </p>
      {blocker.evidence.length > 0 && (
        <ul className="evidence-list">
          {blocker.evidence.slice(0, 4).map((locator, index) => (
            <li key={index}>
              <Evidence incidentId={incidentId} locator={locator} />
            </li>
          ))}
        </ul>
      )}
    </li>
  )
}

/** By what the list is ordered: the session time behind a root; the sessions where it is not measured. */
function Weight({ blocker, most }: { readonly blocker: BlockerDoc; readonly most: number }) {
  const { share, blocks_total: blocked } = blocker
  const value = share ?? (most ? blocked / most : null)
  return (
    <>
      <ShareBar value={value} tone="waiting" width={72} />{' '}
      <span className="bar-value">
        {share === null ? <Measured value={blocked} /> : <ShareValue value={share} />}
      </span>
      <span className="unit">{share === null ? 'blocked' : 'of session time'}</span>
    </>
  )
}
