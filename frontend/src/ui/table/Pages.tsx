/** Buttons and the place of a page among all rows; nothing when one page holds all. */
import { formatNumber } from '@/format'
import { Button } from '@/ui/controls/Button'
import './pages.css'

export function Pages({
  page,
  size,
  total,
  onPage,
  what,
}: {
  readonly page: number
  readonly size: number
  readonly total: number
  readonly onPage: (page: number) => void
  readonly what: string
}) {
  const last = Math.max(0, Math.ceil(total / size) - 1)
  if (last === 0) return null
  const first = page * size
  return (
    <span className="pages" role="group" aria-label="Pages">
      <Button size="small" disabled={page <= 0} onClick={() => onPage(page - 1)}>
        Earlier
      </Button>
      <span className="muted">
        {what} {formatNumber(first + 1, 0)} to {formatNumber(Math.min(total, first + size), 0)} of{' '}
        {formatNumber(total, 0)}
      </span>
      <Button size="small" disabled={page >= last} onClick={() => onPage(page + 1)}>
        Later
      </Button>
    </span>
  )
}
