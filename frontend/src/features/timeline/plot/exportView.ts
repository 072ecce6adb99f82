/** The timeline as a drawing and as rows: what is on the screen, all its lanes, in the theme shown. */
import { type Rows, svgDocument } from '@/charts/exportSvg'
import { readPalette } from '@/charts/palette'
import { SvgSketch } from '@/charts/sketch'
import { iso, timeScale } from '@/charts/time'
import { zonedTicks } from '@/charts/ticks'
import type { Stall } from '../model/documents'
import type { Lane } from '../model/laneTypes'
import { formatNumber } from '@/format'
import { RIGHT } from './layout'
import { layoutStalls } from '../model/marks'
import { levelFor } from '../model/tiles'
import type { TimelineView } from './view'

const HEADS = 230
const TOP = 64
/** More make a file that no spreadsheet opens. */
const MOST_ROWS = 1_000_000

type About = {
  readonly title: string
  readonly summary: string
  readonly zone: { name: string; label: string }
}

/** All lanes as one drawing, those out of sight too. */
export async function timelineSvg(
  view: TimelineView,
  stalls: readonly Stall[],
  about: About,
): Promise<string> {
  await view.loadAll()
  const palette = readPalette()
  const { placed } = view
  const last = placed[placed.length - 1]
  const height = last ? last.y + last.lane.height : 0
  const bands = new SvgSketch('b')
  for (const band of layoutStalls(stalls, timeScale(view.range, view.width), view.width)) {
    bands.fillStyle = palette['stall-band'] ?? ''
    bands.fillRect(band.x, 0, band.width, height)
    bands.fillStyle = palette['holding'] ?? ''
    bands.fillRect(band.x, 0, 1, height)
  }
  for (const [from, to] of view.captured.gaps) {
    const [left, right] = [Math.max(0, view.x(from)), Math.min(view.width, view.x(to))]
    bands.fillStyle = palette['line'] ?? ''
    if (right > left) bands.fillRect(left, 0, right - left, height)
  }
  const lanes = new SvgSketch('l')
  view.drawLanes(lanes, placed, 0, palette)
  const heads = new SvgSketch('h')
  for (const { lane, y } of placed) {
    heads.font = `${lane.kind === 'group' ? 600 : 400} 11px sans-serif`
    heads.fillStyle = palette['text'] ?? ''
    const middle = lane.height < 34 ? y + lane.height / 2 + 4 : y + 16
    heads.fillText(lane.title, 8, middle, HEADS - 16)
    if (lane.height >= 34) {
      heads.font = '11px sans-serif'
      heads.fillStyle = palette['text-3'] ?? ''
      const unit = lane.kind === 'metric' ? (lane.unit ?? '') : ''
      heads.fillText(
        [unit, lane.sub, lane.host ?? ''].filter(Boolean).join(' · '),
        8,
        y + 31,
        HEADS - 16,
      )
    }
  }
  const axis = new SvgSketch('a')
  axis.font = '11px sans-serif'
  for (const tick of zonedTicks(view.range, view.width, about.zone.name)) {
    axis.fillStyle = palette['text-2'] ?? ''
    axis.textAlign = tick.x < 24 ? 'left' : tick.x > view.width - 24 ? 'right' : 'center'
    axis.fillText(tick.date ? `${tick.date} ${tick.label}` : tick.label, tick.x, TOP - 8)
    axis.fillStyle = palette['axis'] ?? ''
    axis.fillRect(tick.x, TOP - 4, 1, 4)
  }
  const text = new SvgSketch('t')
  text.font = '600 15px sans-serif'
  text.fillStyle = palette['text'] ?? ''
  text.fillText(about.title, 8, 20)
  text.font = '12px sans-serif'
  text.fillStyle = palette['text-2'] ?? ''
  text.fillText(`${about.summary} Times in ${about.zone.label}.`, 8, 38)
  const group = (x: number, y: number, body: string) =>
    `<g transform="translate(${x},${y})">${body}</g>`
  return svgDocument(
    text.body() +
      group(HEADS, 0, axis.body()) +
      group(HEADS, TOP, bands.body() + lanes.body()) +
      group(0, TOP, heads.body()),
    {
      width: HEADS + view.width + RIGHT,
      height: TOP + height + 8,
      title: about.title,
      description: about.summary,
    },
  )
}

/** Draw one lane for the picture of a pin. */
export function laneSvg(view: TimelineView, lane: Lane, title: string): string {
  const palette = readPalette()
  const sketch = new SvgSketch()
  view.drawLanes(sketch, [{ lane, y: 0 }], 0, palette)
  return svgDocument(sketch.body(), {
    ...{ width: view.width + RIGHT, height: lane.height, title },
  })
}

/** One row per drawn point or mark of every lane; a point of several samples has its extremes. */
export async function timelineRows(view: TimelineView): Promise<Rows> {
  await view.loadAll()
  const level = levelFor(view.range, view.width)
  const [start, end] = view.range
  const rows = view.placed.flatMap(({ lane }) => laneRows(view, lane, level, start, end))
  if (rows.length > MOST_ROWS) {
    throw new Error(
      `${formatNumber(rows.length, 0)} rows are more than a file takes: choose fewer lanes`,
    )
  }
  return {
    columns: ['lane', 'host', 'unit', 'time', 'until', 'min', 'mean', 'max', 'text'],
    rows,
  }
}

function laneRows(
  view: TimelineView,
  lane: Lane,
  level: number,
  start: number,
  end: number,
): (string | number | null)[][] {
  const shift = view.shiftOf(lane)
  const inside = (at: number) => at + shift >= start && at + shift <= end
  if (lane.kind === 'metric') {
    const { runs } = view.tiles.runs(lane.id, level, start - shift, end - shift)
    return runs.flatMap((run) =>
      run.tiles.flatMap(
        (tile) =>
        Array.from({ length: tile.own[1] - tile.own[0] }, (_, i) => i + tile.own[0])
          .filter((i) => inside(tile.at[i] as number) && !Number.isNaN(tile.mid[i]))
          .map((i) => [
            lane.series.id, lane.otherIncident?.title ?? lane.host, lane.unit, iso(tile.at[i] as number), null,
            tile.low[i] as number, tile.mid[i] as number, tile.high[i] as number, null,
          ]), // prettier-ignore
      ),
    )
  }
  if (lane.kind === 'heat') {
    return Array.from(lane.at, (at, i) => [at, lane.counts[i] as number] as const)
      .filter(([at]) => inside(at))
      .map(([at, n]) => [lane.title, lane.host, 'waiting', iso(at), null, n, n, n, lane.sub])
  }
  if (lane.kind === 'group') return []
  return lane.items
    .filter((item) => inside(item.start) || inside(item.end))
    .map((item) => [
      lane.title, lane.host, null, iso(item.start), item.end > item.start ? iso(item.end) : null,
      null, null, null, item.label,
    ]) // prettier-ignore
}
