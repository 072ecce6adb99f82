/** The story below the chart: who blocked whom, what it cost, and what helps now. */
import { Link, useLocation } from 'react-router'
import type { Overview, StoryDoc, StoryFix, StoryLink } from '@/api/schema'
import { formatNumber, keepUnits } from '@/format'
import { sharedSearch } from '@/state/url'
import { CopyButton } from '@/ui/controls/CopyButton'
import { cx } from '@/ui/controls/cx'
import { Time } from '@/ui/display/Value'
import { Words } from '@/ui/display/Words'
import { crowd } from './crowd'
import './answer.css'

export function Story({ overview }: { readonly overview: Overview }) {
  const { story, roots, incident } = overview
  const { search } = useLocation()
  if (!story) return null
  const root = roots[0]
  const graph = `/incidents/${incident.id}/waits${sharedSearch(search, root?.time ? { at: root.time, node: root.node } : {})}`
  return (
    <div className="answer">
      {story.chain.length > 0 && (
        <section className="answer-part answer-chain-part">
          <h2>
            <Link to={graph}>Who blocked whom</Link>
          </h2>
          <Chain chain={story.chain} numbers={overview.numbers} />
        </section>
      )}
      <Impact story={story} />
      <Fixes story={story} overview={overview} />
    </div>
  )
}

const ROLE = {
  holder: 'Holder',
  trigger: 'Trigger',
  waiter: 'Waits and blocks',
  resource: 'Waited for',
  victims: 'Victims',
} as const

/** Boxes from the holder to the victims; a lock between two of them is a label on the arrow. */
function Chain({
  chain,
  numbers,
}: {
  readonly chain: readonly StoryLink[]
  readonly numbers: Overview['numbers']
}) {
  const boxes = chain.filter((link, at) => link.role !== 'resource' || at === 0)
  const between = (box: StoryLink) => {
    const at = chain.indexOf(box)
    const before = chain[at - 1]
    return before?.role === 'resource' && at > 1 ? before : null
  }
  return (
    <ol className="answer-chain">
      {boxes.map((box, at) => (
        <li key={at} className="answer-step">
          {at > 0 && <Arrow lock={between(box)?.title ?? null} />}
          <div className={cx('answer-box', `answer-${box.role}`)}>
            <span className="answer-role">{ROLE[box.role]}</span>
            <strong className="answer-name" title={box.title}>
              {box.title}
            </strong>
            {box.role === 'victims' && <OfAll count={box.sessions ?? 1} {...{ numbers }} />}
            {(box.statement ?? box.detail) && (
              <span
                className={cx('answer-what', box.statement && 'mono')}
                title={box.statement ?? box.detail}
              >
                {box.statement && (box.sessions ?? 1) > 1 && <span className="muted">e.g. </span>}
                {box.statement ?? box.detail}
              </span>
            )}
            {box.since && (
              <span className="muted">
                since <Time at={box.since} style="clock" />
              </span>
            )}
            {box.role === 'victims' && <Crowd count={box.sessions ?? 1} />}
          </div>
        </li>
      ))}
    </ol>
  )
}

/** From this share on, the victims are all that waited. */
const NEARLY_ALL = 0.9

/** How many waited, or else ran, at the worst moment, where the shown victims are a part of them. */
function OfAll({
  count,
  numbers,
}: {
  readonly count: number
  readonly numbers: Overview['numbers']
}) {
  const most = numbers.peak_waiters
  if (most === null || count >= NEARLY_ALL * most) return null
  const what = numbers.peak_counts === 'waiting' ? 'that waited' : 'active sessions'
  return (
    <span className="muted">
      of up to {formatNumber(most, 0)} {what}
    </span>
  )
}

/** The arrow from a waiter back to what it waits for, with the lock between them. */
function Arrow({ lock }: { readonly lock: string | null }) {
  return (
    <span className="answer-arrow">
      <svg viewBox="0 0 40 12" aria-hidden="true" preserveAspectRatio="none">
        <path d="M40 6H6M11 2 5 6l6 4" />
      </svg>
      <span className="answer-lock" title={lock ?? undefined}>
        <span className="answer-verb">waits for</span>
        {lock && <Words text={lock} />}
      </span>
    </span>
  )
}

/** One square per session, or per several where there are many. */
function Crowd({ count }: { readonly count: number }) {
  const { squares, each, width, height } = crowd(count)
  return (
    <svg
      className="answer-crowd"
      width={width}
      height={height}
      role="img"
      aria-label={`${formatNumber(count, 0)} ${count === 1 ? 'session' : 'sessions'}${each > 1 ? `, one square per ${each}` : ''}`}
    >
      {each > 1 && <title>{`One square per ${each} sessions`}</title>}
      {squares.map(([x, y]) => (
        <rect key={`${x},${y}`} x={x} y={y} width={4} height={4} />
      ))}
    </svg>
  )
}

function Impact({ story }: { readonly story: StoryDoc }) {
  const { sentences } = story.impact
  if (sentences.length === 0) return null
  return (
    <section className="answer-part">
      <h2>Impact</h2>
      <ul className="answer-list">
        {sentences.map((sentence) => (
          <li key={sentence}>{keepUnits(sentence)}</li>
        ))}
      </ul>
    </section>
  )
}

/** Shown at once; the others open below them. */
const FIRST_FIXES = 2

function Fixes({ story, overview }: { readonly story: StoryDoc; readonly overview: Overview }) {
  const { search } = useLocation()
  if (story.fixes.length === 0) return null
  const more = story.fixes.slice(FIRST_FIXES)
  const id = story.fixes[0]?.finding
  const finding = overview.findings.find((item) => item.id === id)
  return (
    <section className="answer-part">
      <h2>Fix now</h2>
      {finding && (
        <p className="muted">
          For{' '}
          <Link
            to={`/incidents/${overview.incident.id}/overview${sharedSearch(search, { finding: finding.id })}`}
          >
            {finding.title}
          </Link>
        </p>
      )}
      <ul className="answer-fixes">
        {story.fixes.slice(0, FIRST_FIXES).map((fix) => (
          <Fix key={fix.action} fix={fix} />
        ))}
      </ul>
      {more.length > 0 && (
        <details className="answer-more">
          <summary>{more.length} more</summary>
          <ul className="answer-fixes">
            {more.map((fix) => (
              <Fix key={fix.action} fix={fix} />
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}

function Fix({ fix }: { readonly fix: StoryFix }) {
  const rest = fix.command ? fix.action.slice(fix.command.length).trim() : fix.action
  return (
    <li>
      {fix.command && (
        <span className="answer-command">
          <code>{fix.command};</code>
          <CopyButton text={`${fix.command};`} />
        </span>
      )}
      {rest && <span>{rest.replace(/^\((.*)\)$/s, '$1').replace(/^, (?:and )?/, '')}</span>}
      {fix.precondition && <span className="muted">Check first: {fix.precondition}</span>}
      {fix.side_effects && <span className="muted">Side effects: {fix.side_effects}</span>}
    </li>
  )
}
