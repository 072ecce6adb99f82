/**
 * The key numbers, each with a link to its source: four of a stall, which says what is unknown of
 * it; without a stall, such as in a pasted list, only those that the files have.
 */
import type { ReactNode } from 'react'
import { Link, useLocation } from 'react-router'
import type { Overview } from '@/api/schema'
import { sharedSearch } from '@/state/url'
import { Duration, Measured, ShareValue, Time } from '@/ui/display/Value'
import type { TermName } from '@/ui/display/glossary'
import { Term } from '@/ui/display/Term'
import { bracketed } from './bracketed'
import { aroundStall } from './links'

export function Numbers({ overview }: { readonly overview: Overview }) {
  const { numbers, blockers, incident, stalls } = overview
  const { search } = useLocation()
  const base = `/incidents/${incident.id}`
  const stall = stalls.find((item) => item.kind === 'stall')
  const timeline = `${base}/timeline${sharedSearch(search, stall ? aroundStall(stall) : {})}`
  const root = numbers.root_blocker
  const top = blockers[0]
  const ofStall = stall !== undefined || numbers.onset !== null
  if (!ofStall && numbers.peak_waiters === null && !root) return null
  return (
    <dl className="numbers">
      <Figure name="Onset" term="onset" ofStall={ofStall} to={numbers.onset ? timeline : null}>
        {numbers.onset ? (
          <>
            <Time at={numbers.onset} style="clock" />
            <span className="numbers-more">
              <Time at={numbers.onset} style="date" zone />
            </span>
          </>
        ) : null}
      </Figure>
      <Figure name="Lasted" ofStall={ofStall} to={numbers.duration_s === null ? null : timeline}>
        {numbers.duration_s === null ? null : (
          <>
            <Duration value={numbers.duration_s} />
            {stall && stall.end === null && (
              <span className="numbers-more">or longer: the capture ends inside it</span>
            )}
          </>
        )}
      </Figure>
      <Figure
        term="peak"
        ofStall={ofStall}
        name={numbers.peak_counts === 'running' ? 'Peak running' : 'Peak waiters'}
        to={
          numbers.peak_waiters === null
            ? null
            : `${base}/waits${sharedSearch(search, numbers.peak_at ? { at: numbers.peak_at } : {})}`
        }
      >
        {numbers.peak_waiters === null ? null : (
          <>
            <Measured value={numbers.peak_waiters} />
            {numbers.peak_at && (
              <span className="numbers-more">
                {numbers.peak_waiters === 1 ? 'session' : 'sessions'} at{' '}
                <Time at={numbers.peak_at} style="clock" />
              </span>
            )}
          </>
        )}
      </Figure>
      <Figure
        name={root?.is_one_of_several ? 'Largest root blocker' : 'Root blocker'}
        term="root blocker"
        ofStall={ofStall}
        wide
        to={
          root
            ? `${base}/waits${sharedSearch(search, top?.time ? { at: top.time, node: top.id } : {})}`
            : null
        }
      >
        {root ? (
          <>
            <span className="numbers-label mono ellipsis" title={root.label}>
              {root.label.split(' (')[0]}
            </span>
            <span className="numbers-more">
              {bracketed(root.label)}blocks <Measured value={root.blocks_total} />{' '}
              {root.blocks_total === 1 ? 'session' : 'sessions'}
              {root.share !== null && (
                <>
                  , <ShareValue value={root.share} /> of active
                  {ofStall ? '-session time' : ' sessions'}
                </>
              )}
            </span>
          </>
        ) : null}
      </Figure>
    </dl>
  )
}

function Figure({
  name,
  term,
  to,
  ofStall,
  wide = false,
  children,
}: {
  readonly name: string
  readonly term?: TermName
  readonly to: string | null
  readonly ofStall: boolean
  readonly wide?: boolean
  readonly children: ReactNode
}) {
  if (children === null && !ofStall) return null
  const value = children ?? <span className="faint">unknown</span>
  return (
    <div className={wide ? 'numbers-item numbers-wide' : 'numbers-item'}>
      <dt>{term ? <Term of={term}>{name}</Term> : name}</dt>
      <dd>{to ? <Link to={to}>{value}</Link> : value}</dd>
    </div>
  )
}
