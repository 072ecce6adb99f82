/** The tools above the lanes: range, search, what moved, alignment, notes, export. */
import type { Ref } from 'react'
import type { Interval } from '@/charts/range'
import { formatDuration } from '@/format'
import type { Zone } from '@/state/incident'
import { Button } from '@/ui/controls/Button'
import { ExportMenu } from '@/ui/controls/ExportMenu'
import { DownIcon } from '@/ui/controls/icons'
import { Menu, MenuChoice, MenuItem, MenuLabel, MenuLine, MenuToggle } from '@/ui/controls/Menu'
import { SearchInput } from '@/ui/controls/SearchInput'
import { type Times, useTimes } from '@/ui/controls/TimesToggle'
import { type Field, FIELDS } from '../model/laneTypes'

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
  /** Groups the lanes by host, file, ...; null: not grouped. */
  readonly by: Field | null
  readonly onBy: (by: Field | null) => void
  /** Null: there are fewer than two onsets. */
  readonly aligned: { readonly on: boolean; readonly toggle: () => void } | null
  readonly otherIncidents: number
  readonly onOtherIncidents: () => void
  /** Goes to where notes and runs are by their other time; null: there are none. */
  readonly onTimes: ((times: Times) => void) | null
  /** Null: may not write. */
  readonly onNote: (() => void) | null
  readonly exports: Parameters<typeof ExportMenu>[0]
  readonly table: boolean
  readonly onTable: () => void
  /** Whether the stalls and runs are shown, aligned at their onset. */
  readonly stalls: boolean
  readonly onStalls: () => void
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
  by,
  onBy,
  aligned,
  otherIncidents,
  onOtherIncidents,
  onTimes,
  onNote,
  exports,
  table,
  onTable,
  stalls,
  onStalls,
  onPick,
}: Props) {
  const [times, setTimes] = useTimes()
  return (
    <div className="timeline-bar">
      <div className="timeline-range mono" data-testid="timeline-range">
        {zone.format(range[0])} – {zone.format(range[1], 'clock')}{' '}
        <span className="unit">
          {zone.label} · {formatDuration((range[1] - range[0]) / 1000)}
        </span>
      </div>
      <span className="grow" />
      <SearchInput
        ref={search}
        className="tl-search"
        placeholder="Search lanes"
        title="Lanes by name, label, host, file or meaning; marks by what they say (q)"
        aria-label="Search the lanes"
        value={query}
        onSearch={onQuery}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur()
        }}
      />
      <Button
        size="small"
        busy={moving}
        title="Rank all series by how much they changed since the window before"
        onClick={onMoved}
      >
        Show what moved
      </Button>
      <Button size="small" onClick={onWhole} title="Everything captured (0)">
        Whole capture
      </Button>
      <Button size="small" onClick={onFit} title="The stall with some time around it">
        Fit the stall
      </Button>
      <Menu
        trigger={
          <Button
            size="small"
            pressed={by !== null || aligned?.on === true || otherIncidents > 0}
            title="Group, order and align the lanes"
          >
            {by ? `By ${by}` : 'Arrange'}
            <DownIcon size={12} />
          </Button>
        }
      >
        <MenuLabel>Lanes</MenuLabel>
        <MenuChoice<Field | ''>
          value={by ?? ''}
          onChange={(field) => onBy(field || null)}
          options={[
            { value: '', label: 'Not grouped' },
            ...FIELDS.map((field) => ({ value: field, label: `By ${field}` })),
          ]}
        />
        {(aligned ?? onTimes) && <MenuLine />}
        {aligned && (
          <MenuToggle on={aligned.on} onToggle={aligned.toggle}>
            Align hosts at their onsets
          </MenuToggle>
        )}
        {onTimes && (
          <MenuToggle
            on={times === 'recorded'}
            onToggle={() => {
              const other = times === 'recorded' ? 'happened' : 'recorded'
              setTimes(other)
              onTimes(other)
            }}
          >
            In the order of recording
          </MenuToggle>
        )}
        <MenuLine />
        <MenuItem onSelect={onOtherIncidents}>Other incidents…</MenuItem>
      </Menu>
      {onNote && (
        <Button size="small" onClick={onNote} title="Note on this range (Shift+n)">
          Note
        </Button>
      )}
      <ExportMenu {...exports} />
      <Button size="small" pressed={table} onClick={onTable}>
        Table
      </Button>
      <Button
        size="small"
        pressed={stalls}
        title="Every stall of the incident and its runs, aligned at the onset (3)"
        onClick={onStalls}
      >
        Runs
      </Button>
      <Button size="small" variant="primary" onClick={onPick}>
        Choose lanes
      </Button>
    </div>
  )
}
