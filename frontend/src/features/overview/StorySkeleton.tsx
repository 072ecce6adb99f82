/** The story while the first analysis runs: grey blocks where sentence, chart and chain will be. */
import { Skeleton } from '@/ui/display/States'

export function StorySkeleton() {
  return (
    <div className="answer-skeleton" role="status" aria-label="The analysis is running">
      <Skeleton width="62%" height={24} />
      <Skeleton height={180} />
      <div className="answer-skeleton-parts">
        <Skeleton height={96} />
        <Skeleton height={96} />
        <Skeleton height={96} />
      </div>
    </div>
  )
}
