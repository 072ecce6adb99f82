/** One line below the tools: what changed in this window against the one before, or the chosen mark. */
import { formatDuration, formatMeasured, formatRatio } from '@/format'
import { useZone } from '@/state/incident'
import { Button } from '@/ui/controls/Button'
import { HeatLegend } from '@/ui/display/HeatLegend'
import type { Series, WindowLane } from '../model/documents'
import type { Item } from '../model/laneTypes'

type Props = {
  readonly span: number
  /** Of lanes before and in this window; empty: nothing was captured before it. */
  readonly lanes: readonly WindowLane[]
  readonly series: ReadonlyMap<string, Series>
  readonly chosen: Item | null
  readonly onOpen: (item: Item) => void
  readonly onLane: (id: string) => void
  readonly summary: string
  /** The kinds of heat cells among the lanes. */
  readonly heats: readonly { readonly noun: string; readonly peak: number }[]
}

const MOST = 5

export function WindowBar({ span, lanes, series, chosen, onOpen, onLane, summary, heats }: Props) {
  const zone = useZone()
  if (chosen) {
    return (
      <div className="tl-window" role="status" data-testid="timeline-chosen">
        <span className="mono">
          {zone.format(chosen.start)}
          {chosen.end > chosen.start ? ` – ${zone.format(chosen.end, 'clock')}` : ''}
        </span>
        <span className="ellipsis">{chosen.label}</span>
        {chosen.opens && (
          <Button size="small" onClick={() => onOpen(chosen)}>
            {OPENS[chosen.opens.kind]}
          </Button>
        )}
      </div>
    )
  }
  const changes = ranked(lanes).slice(0, MOST)
  return (
    <div className="tl-window" data-testid="timeline-window">
      <span className="tl-summary ellipsis" title={summary}>
        {summary}
      </span>
      <div className="tl-deltas">
        {changes.length > 0 && (
          <span className="faint">Compared with the {formatDuration(span / 1000)} before</span>
        )}
        {changes.map(({ lane, text }) => (
          <button
            key={lane.id}
            type="button"
            className="tl-delta"
            title={`${series.get(lane.id)?.title ?? lane.id}: mean over time ${formatMeasured(lane.before)} before, ${formatMeasured(lane.now)} now`}
            onClick={() => onLane(lane.id)}
          >
            <span className="ellipsis">{series.get(lane.id)?.title ?? lane.id}</span>{' '}
            <b className="num">{text}</b>
          </button>
        ))}
      </div>
      {heats.map(({ noun, peak }) => (
        <HeatLegend key={noun} noun={noun} peak={peak} scale="square root" />
      ))}
    </div>
  )
}

export const OPENS = {
  moment: 'Wait graph',
  note: 'Open the note',
  experiment: 'Experiment',
  lines: 'Raw lines',
} as const

/** Lanes whose mean changed, by the logarithm of how many times. */
export function ranked(lanes: readonly WindowLane[]): { lane: WindowLane; text: string }[] {
  return lanes
    .flatMap((lane) => {
      const { before, now } = lane
      if (before === null || now === null || before === now) return []
      if (before <= 0 || now <= 0) {
        const text = `${formatMeasured(before)} → ${formatMeasured(now)}`
        const weight = before === 0 || now === 0 ? Math.log2(1 + Math.abs(now - before)) : 1
        return [{ lane, text, weight }]
      }
      const weight = Math.abs(Math.log2(now / before))
      return weight < 0.2 ? [] : [{ lane, text: formatRatio(now / before), weight }]
    })
    .sort((a, b) => b.weight - a.weight)
}
