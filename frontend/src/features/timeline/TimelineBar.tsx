/** The tools above the lanes: range, search, what moved, alignment, notes, export. */
import type { Ref } from 'react'
import type { Interval } from '@/charts/time'
import { formatDuration } from '@/format'
import type { Zone } from '@/state/incident'
import { Button } from '@/ui/Button'
import { ExportMenu } from '@/ui/ExportMenu'

type Props = {
  readonly range: Interval
  readonly zone: Zone
  readonly search: Ref<HTMLInputElement>
  readonly query: string
  readonly onQuery: (query: string) => void
  readonly moving: boolean
  readonly onMoved: () => void
  readonly onWhole: () => void
  readonly onFit: () => void
  /** Null: there are not several hosts, or not several onsets. */
  readonly byHost: { readonly on: boolean; readonly toggle: () => void } | null
  readonly aligned: { readonly on: boolean; readonly toggle: () => void } | null
  readonly beside: number
  readonly onBeside: () => void
  /** Null: may not write. */
  readonly onNote: (() => void) | null
  readonly exports: Parameters<typeof ExportMenu>[0]
  readonly table: boolean
  readonly onTable: () => void
  readonly onPick: () => void
}

export function TimelineBar({
  range,
  zone,
  search,
  query,
  onQuery,
  moving,
  onMoved,
  onWhole,
  onFit,
  byHost,
  aligned,
  beside,
  onBeside,
  onNote,
  exports,
  table,
  onTable,
  onPick,
}: Props) {
  return (
    <div className="timeline-bar">
      <div className="timeline-range mono" data-testid="timeline-range">
        {zone.format(range[0])} – {zone.format(range[1], 'clock')}{' '}
        <span className="unit">
          {zone.label} · {formatDuration((range[1] - range[0]) / 1000)}
        </span>
      </div>
      <span className="grow" />
      <input
        ref={search}
        type="search"
        className="tl-search"
        placeholder="Search lanes"
        aria-label="Search the lanes"
        value={query}
        onChange={(event) => onQuery(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur()
        }}
      />
      <Button
        size="small"
        busy={moving}
        title="Ranks every series of this window against the one before"
        onClick={onMoved}
      >
        Show what moved
      </Button>
      <Button size="small" onClick={onWhole} title="Everything captured (0)">
        Whole capture
      </Button>
      <Button size="small" onClick={onFit} title="The stall with some time around it (f)">
        Fit the stall
      </Button>
      {byHost && (
        <Button size="small" pressed={byHost.on} onClick={byHost.toggle}>
          By host
        </Button>
      )}
      {aligned && (
        <Button
          size="small"
          pressed={aligned.on}
          title="Each host is moved so that its onset lies on the first one"
          onClick={aligned.toggle}
        >
          Align onsets
        </Button>
      )}
      <Button
        size="small"
        pressed={beside > 0}
        title="Lanes of other incidents, moved so that the onsets coincide"
        onClick={onBeside}
      >
        Other incidents
      </Button>
      {onNote && (
        <Button size="small" onClick={onNote} title="Note on this range (Shift+n)">
          Note
        </Button>
      )}
      <ExportMenu {...exports} />
      <Button size="small" pressed={table} onClick={onTable}>
        Table
      </Button>
      <Button size="small" variant="primary" onClick={onPick}>
        Choose lanes
      </Button>
    </div>
  )
}
