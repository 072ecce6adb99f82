/** The states of a view without data: empty, loading, failed, partial. */
import { type ReactNode, useEffect, useState } from 'react'
import { asProblem } from '@/api/problem'
import { Button } from '@/ui/controls/Button'
import { CheckIcon, GapIcon } from '@/ui/controls/icons'
import { cx } from '@/ui/controls/cx'
import '../styles/parts.css'

/** An empty view: what belongs here, why it is empty, one next step. */
export function EmptyState({
  title,
  children,
  action,
  compact = false,
  page = false,
}: {
  readonly title: string
  readonly children?: ReactNode
  readonly action?: ReactNode
  readonly compact?: boolean
  /** Set when the page has nothing else: the title is the heading of the page. */
  readonly page?: boolean
}) {
  const Heading = page ? 'h1' : 'h2'
  return (
    <div className={cx('empty', compact && 'empty-compact')}>
      <Heading>{title}</Heading>
      {children && <div className="empty-why">{children}</div>}
      {action && <div className="empty-action">{action}</div>}
    </div>
  )
}

/** An error: what happened, where, what to do, and a button to try again. */
export function Problem({
  error,
  what,
  onRetry,
  compact = false,
}: {
  readonly error: unknown
  /** The failed operation: "The artifacts could not be read". */
  readonly what?: string
  readonly onRetry?: () => void
  readonly compact?: boolean
}) {
  const problem = asProblem(error)
  const errors = problem.errors.filter((item) => item.message !== problem.detail)
  return (
    <div className={cx('problem', compact && 'problem-compact')} role="alert">
      <GapIcon />
      <div className="problem-body">
        <strong>{what ?? problem.title}</strong>
        <div>
          {what && problem.title !== what ? `${problem.title}. ` : ''}
          {problem.detail}
        </div>
        {errors.length > 0 && (
          <ul>
            {errors.map((item) => (
              <li key={`${item.field}${item.message}`}>
                <code>{item.field}</code> {item.message}
              </li>
            ))}
          </ul>
        )}
      </div>
      {onRetry && (
        <Button size="small" onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  )
}

/** The note above stale data: the refresh failed. */
export function NotRefreshed({
  query,
}: {
  readonly query: {
    readonly isRefetchError: boolean
    readonly error: unknown
    readonly dataUpdatedAt: number
    readonly refetch: () => unknown
  }
}) {
  if (!query.isRefetchError) return null
  const { title, detail } = asProblem(query.error)
  return (
    <div className="not-refreshed" role="status" title={detail}>
      As of <time>{new Date(query.dataUpdatedAt).toISOString().slice(11, 19)} UTC</time>: the
      refresh failed. {title}.{' '}
      <button type="button" className="linklike" onClick={() => void query.refetch()}>
        Try again
      </button>
    </div>
  )
}

/** A notice of one line across a view. */
export function Banner({
  tone = 'waiting',
  children,
  action,
}: {
  readonly tone?: 'waiting' | 'holding' | 'plain' | 'ready'
  readonly children: ReactNode
  readonly action?: ReactNode
}) {
  return (
    <div className={cx('banner', `banner-${tone}`)} role="status">
      {tone === 'ready' ? <CheckIcon size={14} /> : <GapIcon />}
      <div className="banner-text">{children}</div>
      {action}
    </div>
  )
}

/** A grey block in the final layout; shown only when loading takes longer than 300 ms. */
export function Skeleton({
  width = '100%',
  height = 14,
}: {
  readonly width?: number | string
  readonly height?: number | string
}) {
  const late = useLate()
  return (
    <span
      className={cx('skeleton', !late && 'skeleton-early')}
      style={{ width, height }}
      aria-hidden="true"
    />
  )
}

/** Placeholder rows of a table or list that is loading. */
export function SkeletonRows({ rows = 8 }: { readonly rows?: number }) {
  return (
    <div className="skeleton-rows" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className="skeleton-row">
          <Skeleton width={`${18 + ((row * 7) % 17)}%`} />
          <Skeleton width={`${30 + ((row * 11) % 23)}%`} />
          <Skeleton width="8%" />
        </div>
      ))}
    </div>
  )
}

function useLate(): boolean {
  const [late, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 300)
    return () => clearTimeout(timer)
  }, [])
  return late
}
