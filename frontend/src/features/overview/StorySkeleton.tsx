/** The story before it is here: grey blocks where sentence, chart and chain will be. */
import { Skeleton } from '@/ui/display/States'

export function StorySkeleton({ label }: { readonly label: string }) {
  return (
    <div className="answer-skeleton" role="status" aria-label={label}>
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
