/** Paints lanes with their extremes at the right: on the screen, and for an export. */
import { drawHeat } from '@/charts/heatLane'
import { clippedDomain, drawOverflow, overflows } from '@/charts/clipped'
import { axisOf, type Box, type Domain, drawFoot, scaleOf } from '@/charts/laneBox'
import { drawMarks } from '@/charts/markLane'
import type { Palette } from '@/charts/palette'
import type { Sketch } from '@/charts/sketch'
import { drawMetric, extremes, type Run } from '@/charts/tileLane'
import { formatMeasured } from '@/format'
import { heatPeak, unitOf } from '../model/units'
import type { MetricLane, Placed } from '../model/laneTypes'
import { levelFor } from '../model/tiles'
import { RIGHT } from './layout'
import type { Scene } from './scene'

const FONT = '11px "Inter Variable", Inter, sans-serif'
/** A lane of at most this height has no room for words inside. */
const SMALL = 24

export class LanePainter {
  /** The value axis that each metric lane was drawn with last. */
  private domains = new Map<string, Domain>()

  domainOf(id: string): Domain | undefined {
    return this.domains.get(id)
  }

  forgetDomains(): void {
    this.domains.clear()
  }

  /** dy: added to the place of each lane in the stack. */
  paint(
    sketch: Sketch,
    scene: Scene,
    shown: readonly Placed[],
    dy: number,
    palette: Palette,
  ): void {
    const level = levelFor(scene.range, scene.width)
    const shared = sharedDomains(scene, shown, level)
    for (const { lane, y } of shown) {
      const box: Box = { x: 0, y: y + dy, w: scene.width, h: lane.height }
      drawFoot(sketch, lane, box, palette)
      if (lane.kind === 'group') continue
      if (lane.kind === 'metric') {
        this.paintMetric(sketch, scene, lane, box, level, shared, palette)
        continue
      }
      const shift = scene.clocks.shiftOf(lane)
      const toX = scaleOf(scene.range, box, shift)
      sketch.save()
      sketch.clipTo(box.x, box.y, box.w, box.h)
      if (lane.kind === 'heat')
        drawHeat(
          sketch,
          lane,
          box,
          toX,
          scene.range[0] - shift,
          palette,
          scene.captured.gapsOf(lane.host),
        )
      else
        drawMarks(sketch, lane, box, toX, palette, scene.chosen, scene.captured.gapsOf(lane.host))
      sketch.restore()
      if (lane.kind === 'heat') {
        sketch.font = FONT
        sketch.fillStyle = palette['text-3'] ?? ''
        sketch.fillText(heatPeak(lane), box.w + 6, box.y + box.h / 2 + 4, RIGHT - 8)
      }
    }
  }

  private paintMetric(
    sketch: Sketch,
    scene: Scene,
    lane: MetricLane,
    box: Box,
    level: number,
    shared: ReadonlyMap<string, Domain>,
    palette: Palette,
  ): void {
    const shift = scene.clocks.shiftOf(lane)
    const [from, to] = [scene.range[0] - shift, scene.range[1] - shift]
    const { runs, whole } = scene.tiles.runs(lane.id, level, from, to)
    const domain =
      lane.choice.scale === 'shared'
        ? (shared.get(lane.unit ?? '') ?? [0, 1])
        : this.domain(lane.id, ownDomain(scene, lane, runs, [from, to]), scene.moving)
    sketch.save()
    sketch.clipTo(box.x, box.y, box.w, box.h)
    const toX = scaleOf(scene.range, box, shift)
    const gaps = scene.captured.gapsOf(lane.host)
    drawMetric(sketch, lane, runs, box, toX, domain, palette, [from, to], gaps)
    sketch.font = FONT
    if (lane.choice.scale === 'linear') {
      const colours = { mark: palette['holding'] ?? '', text: palette['text-2'] ?? '' }
      const peaks = overflows(runs, [from, to], domain[1], toX)
      drawOverflow(sketch, peaks, box, colours, formatMeasured)
    }
    sketch.restore()
    sketch.fillStyle = palette['text-3'] ?? ''
    if (runs.length > 0) labelDomain(sketch, lane, box, domain)
    else if (lane.height > SMALL) {
      sketch.fillText(whole ? 'no data in this window' : 'loading', 8, box.y + box.h / 2 + 4)
    }
  }

  /** While the plot moves a domain only grows: an axis that jumps each frame cannot be read. */
  private domain(id: string, drawn: Domain | null, moving: boolean): Domain {
    const before = this.domains.get(id)
    const now = axisOf(drawn)
    const next: Domain =
      before && (moving || !drawn)
        ? [Math.min(before[0], now[0]), drawn ? Math.max(before[1], now[1]) : before[1]]
        : now
    if (drawn) this.domains.set(id, next)
    return next
  }
}

/** What the axis of a lane spans before it starts at zero. */
function ownDomain(
  scene: Scene,
  lane: MetricLane,
  runs: readonly Run[],
  window: Domain,
): Domain | null {
  if (lane.choice.scale !== 'linear' || lane.otherIncident) return extremes(runs, ...window)
  const stretches = scene.focus.flatMap(({ host, span }) =>
    host === null || lane.host === null || host === lane.host ? [span] : [],
  )
  return clippedDomain(runs, window, stretches)
}

/** One domain per unit for the lanes that share theirs. */
function sharedDomains(
  scene: Scene,
  shown: readonly Placed[],
  level: number,
): ReadonlyMap<string, Domain> {
  const byUnit = new Map<string, Domain>()
  for (const { lane } of shown) {
    if (lane.kind !== 'metric' || lane.choice.scale !== 'shared') continue
    const shift = scene.clocks.shiftOf(lane)
    const [from, to] = [scene.range[0] - shift, scene.range[1] - shift]
    const own = extremes(scene.tiles.runs(lane.id, level, from, to).runs, from, to)
    if (!own) continue
    const [low, high] = byUnit.get(lane.unit ?? '') ?? own
    byUnit.set(lane.unit ?? '', [Math.min(low, own[0]), Math.max(high, own[1])])
  }
  return new Map([...byUnit].map(([unit, domain]) => [unit, axisOf(domain)]))
}

/** Write the extremes of a lane to the right of it. */
function labelDomain(sketch: Sketch, lane: MetricLane, box: Box, domain: Domain): void {
  const left = box.w + 6
  const room = RIGHT - 8
  const unit = unitOf(lane)
  if (lane.height < 40) {
    sketch.fillText(`${formatMeasured(domain[1])} ${unit}`, left, box.y + box.h / 2 + 4, room)
    return
  }
  const { scale } = lane.choice
  const kind = scale === 'log' || scale === 'shared' ? `${scale} ` : ''
  sketch.fillText(formatMeasured(domain[1]), left, box.y + 12, room)
  sketch.fillText(`${kind}${unit}`, left, box.y + box.h / 2 + 4, room)
  sketch.fillText(formatMeasured(domain[0]), left, box.y + box.h - 5, room)
}
