/** The crosshair: a hairline over all lanes, the uncertainty of their clocks, the value of each. */
import { cellReach } from '@/charts/heatLane'
import { firstAfter, scaleOf } from '@/charts/laneBox'
import type { Palette } from '@/charts/palette'
import { valueAt, yOf } from '@/charts/tileLane'
import { formatMeasured, unitText } from '@/format'
import type { Lane, MetricLane, Placed } from '../model/laneTypes'
import { levelFor } from '../model/tiles'
import type { CanvasPair } from './canvasPair'
import type { LanePainter } from './lanePainter'
import type { Scene } from './scene'

export type LaneValue = { readonly text: string; readonly unit: string } | null

type Dot = { readonly x: number; readonly y: number }

export class Crosshair {
  private readonly listeners = new Map<string, (value: LaneValue) => void>()
  /** Lanes whose listeners hold a value now. */
  private valued = new Set<string>()

  constructor(private readonly painter: LanePainter) {}

  listen(lane: string, listener: (value: LaneValue) => void): () => void {
    this.listeners.set(lane, listener)
    return () => {
      if (this.listeners.get(lane) === listener) this.listeners.delete(lane)
    }
  }

  /** at: the instant under the pointer; shown: the lanes in sight, whose values are computed. */
  paint(
    canvases: CanvasPair,
    scene: Scene,
    shown: readonly Placed[],
    at: number | null,
    palette: Palette,
  ): void {
    const context = canvases.overContext
    if (!context) return
    const valued = new Set<string>()
    if (at !== null && at >= scene.range[0] && at <= scene.range[1]) {
      const toX = scaleOf(scene.range, { x: 0, w: scene.width })
      const px = Math.round(toX(at)) + 0.5
      const msPerPixel = (scene.range[1] - scene.range[0]) / scene.width
      for (const { lane, y } of shown) {
        const top = y - canvases.top
        const unsure = scene.clocks.uncertaintyOf(lane) / msPerPixel
        if (unsure >= 1) {
          context.fillStyle = palette['selected'] ?? ''
          context.globalAlpha = 0.7
          context.fillRect(px - unsure, top, 2 * unsure, lane.height)
          context.globalAlpha = 1
        }
        const value = this.valueOf(scene, lane, at, (dot) => {
          context.fillStyle = palette['bg'] ?? ''
          context.strokeStyle = palette[`cat-${lane.choice.colour}`] ?? ''
          context.lineWidth = 1.5
          context.beginPath()
          context.arc(dot.x, top + dot.y, 3, 0, 2 * Math.PI)
          context.fill()
          context.stroke()
        })
        if (!value) continue
        valued.add(lane.id)
        this.listeners.get(lane.id)?.(value)
      }
      context.fillStyle = palette['border'] ?? ''
      context.fillRect(px - 0.5, 0, 1, canvases.height)
    }
    for (const id of this.valued) if (!valued.has(id)) this.listeners.get(id)?.(null)
    this.valued = valued
  }

  private valueOf(scene: Scene, lane: Lane, at: number, drawDot: (dot: Dot) => void): LaneValue {
    const local = at - scene.clocks.shiftOf(lane)
    if (lane.kind === 'heat') {
      const index = firstAfter(lane.at, local) - 1
      const since = local - (lane.at[index] ?? -Infinity)
      if (index < 0 || since > cellReach(lane.at)) return null
      return { text: String(lane.counts[index] ?? 0), unit: 'waiting' }
    }
    return lane.kind === 'metric' ? this.metricValue(scene, lane, local, drawDot) : null
  }

  private metricValue(
    scene: Scene,
    lane: MetricLane,
    local: number,
    drawDot: (dot: Dot) => void,
  ): LaneValue {
    const shift = scene.clocks.shiftOf(lane)
    const [from, to] = [scene.range[0] - shift, scene.range[1] - shift]
    const { runs } = scene.tiles.runs(lane.id, levelFor(scene.range, scene.width), from, to)
    const point = valueAt(runs, local, Math.max(1500, (24 * (to - from)) / scene.width))
    if (!point) return null
    const domain = this.painter.domainOf(lane.id)
    if (domain && lane.choice.scale !== 'shared') {
      const box = { x: 0, y: 0, w: scene.width, h: lane.height }
      const toX = scaleOf(scene.range, box, shift)
      const toY = yOf(domain, box, lane.choice.scale === 'log')
      drawDot({ x: toX(point.at), y: toY(point.mid) })
    }
    const [low, high] = [formatMeasured(point.low), formatMeasured(point.high)]
    const text = low === high ? formatMeasured(point.mid) : `${low}–${high}`
    return { text, unit: unitText(lane.unit) }
  }
}
