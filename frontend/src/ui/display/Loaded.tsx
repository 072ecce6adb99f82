/** The three states of a query: error, loading, data. */
import type { ReactNode } from 'react'
import { Problem, SkeletonRows } from './States'

export function Loaded<Data>({
  query,
  what,
  rows = 12,
  children,
}: {
  readonly query: {
    readonly data: Data | undefined
    readonly error: unknown
    readonly isLoadingError: boolean
    readonly refetch: () => unknown
  }
  /** "The log could not be read" */
  readonly what: string
  /** Rows of the skeleton. */
  readonly rows?: number
  readonly children: (data: Data) => ReactNode
}) {
  if (query.isLoadingError)
    return <Problem error={query.error} what={what} onRetry={() => void query.refetch()} />
  if (query.data === undefined) return <SkeletonRows rows={rows} />
  return children(query.data)
}
