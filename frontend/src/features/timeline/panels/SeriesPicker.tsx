/** Choose lanes: what moved most first, filter by name, meaning in words. */
import { useMemo, useState } from 'react'
import { formatRatio } from '@/format'
import { Button } from '@/ui/controls/Button'
import { Dialog } from '@/ui/panels/Dialog'
import type { Series } from '../model/documents'

const MOST_ROWS = 300

type Props = {
  open: boolean
  onOpenChange: (open: boolean) => void
  series: readonly Series[]
  shown: readonly string[]
  onChange: (next: readonly string[]) => void
  onAll: () => void
}

export function SeriesPicker({ open, onOpenChange, series, shown, onChange, onAll }: Props) {
  const [filter, setFilter] = useState('')
  const found = useMemo(() => {
    const words = filter.toLowerCase().split(/\s+/).filter(Boolean)
    return series
      .filter((s) =>
        words.every((word) =>
          `${s.title} ${s.detail} ${s.id} ${s.meaning ?? ''}`.toLowerCase().includes(word),
        ),
      )
      .sort((a, b) => (b.shift?.score ?? 0) - (a.shift?.score ?? 0) || a.id.localeCompare(b.id))
  }, [series, filter])
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Choose lanes"
      description={`${series.length} series; those that moved most in the stall come first.`}
      width={720}
      footer={
        <>
          <Button onClick={() => onChange([])}>Back to the proposed lanes</Button>
          <Button onClick={onAll}>All {series.length}</Button>
          <Button variant="primary" onClick={() => onOpenChange(false)}>
            Done
          </Button>
        </>
      }
    >
      <input
        type="search"
        className="picker-filter"
        placeholder="Filter by name or meaning"
        aria-label="Filter series"
        value={filter}
        onChange={(event) => setFilter(event.target.value)}
      />
      <ul className="picker scroll">
        {found.slice(0, MOST_ROWS).map((s) => {
          const checked = shown.includes(s.id)
          return (
            <li key={s.id}>
              <label>
                <input
                  type="checkbox"
                  checked={checked}
                  onChange={() =>
                    onChange(checked ? shown.filter((id) => id !== s.id) : [...shown, s.id])
                  }
                />
                <span className="ellipsis" title={s.id}>
                  {s.title}
                  <span className="faint">
                    {' '}
                    {[s.detail, s.unit, s.source].filter(Boolean).join(' · ')}
                  </span>
                </span>
                <span className="faint ellipsis" title={s.meaning ?? s.id}>
                  {s.meaning ?? s.id}
                </span>
                <span className="num">{s.shift?.ratio ? formatRatio(s.shift.ratio) : ''}</span>
              </label>
            </li>
          )
        })}
      </ul>
      {found.length > MOST_ROWS && (
        <p className="faint">
          {found.length - MOST_ROWS} more: type part of a name above to find them.
        </p>
      )}
      {found.length === 0 && <p className="faint">No series has this name or meaning.</p>}
    </Dialog>
  )
}
