import { describe, expect, it } from 'vitest'
import { cellReach, heatStep } from './heatLane'
import { scaleOf } from './laneBox'
import { cut, SvgSketch } from './sketch'
import {
  drawMetric,
  extremes,
  type MetricStyle,
  type Run,
  type Tile,
  valueAt,
  yOf,
} from './tileLane'
import { axisOf } from './laneBox'

const tile = (points: [number, number, number, number][], plain = false): Tile => ({
  start: 0,
  end: 1000,
  at: Float64Array.from(points, (p) => p[0]),
  low: Float64Array.from(points, (p) => p[1]),
  mid: Float64Array.from(points, (p) => p[2]),
  high: Float64Array.from(points, (p) => p[3]),
  plain,
  own: [0, points.length],
})
const run = (tile: Tile): Run => ({ tiles: [tile], from: 0, to: 1000 })
const lane: MetricStyle = { choice: { scale: 'linear', colour: 1 } }
const box = { x: 0, y: 0, w: 1000, h: 56 }
const palette = { 'cat-1': '#00f', grid: '#eee' }
const drawn = (tile: Tile) => {
  const sketch = new SvgSketch()
  drawMetric(sketch, lane, [run(tile)], box, scaleOf([0, 1000], box), [0, 10], palette, [0, 1000])
  return sketch.body()
}

describe('a metric lane', () => {
  it('draws a line, and a band where a point summarizes several samples', () => {
    const body = drawn(tile([[0, 1, 2, 3], [100, 2, 5, 9]])) // prettier-ignore
    expect(body).toContain('fill-opacity="0.2"')
    expect(body).toContain('fill="none"')
  })
  it('leaves a gap open and shows a lone point', () => {
    const gap: [number, number, number, number] = [200, NaN, NaN, NaN]
    const body = drawn(tile([[0, 1, 1, 1], [100, 2, 2, 2], gap, [300, 3, 3, 3]], true)) // prettier-ignore
    expect(body.match(/M/g)).toHaveLength(2)
    expect(body).toContain('<rect')
  })
  it('crosses no gap between captures, not even from a point a little inside of it', () => {
    const points = tile([[0, 1, 1, 1], [100, 2, 2, 2], [405, 3, 3, 3], [500, 4, 4, 4]]) // prettier-ignore
    const pieces = (...gaps: [number, number][]) => {
      const sketch = new SvgSketch()
      const toX = scaleOf([0, 1000], box)
      drawMetric(sketch, lane, [run(points)], box, toX, [0, 10], palette, [0, 1000], gaps)
      return /d="([^"]*)" fill="none"/.exec(sketch.body())?.[1]?.match(/M/g)?.length
    }
    expect(pieces()).toBe(1)
    expect(pieces([100, 405])).toBe(2)
    expect(pieces([95, 410])).toBe(2)
    expect(pieces([10, 90], [120, 400])).toBe(3)
    expect(pieces([600, 900])).toBe(1)
  })
  it('draws few samples as steps', () => {
    expect(drawn(tile([[0, 1, 1, 1], [100, 2, 2, 2]], true)).match(/L/g)).toHaveLength(2) // prettier-ignore
  })
})

describe('axes', () => {
  it('go from zero to the maximum and never divide by nothing', () => {
    expect(axisOf([3, 9])).toEqual([0, 9])
    expect(axisOf([-2, -1])).toEqual([-2, 0])
    expect(axisOf([0, 0])).toEqual([0, 1])
    expect(axisOf(null)).toEqual([0, 1])
    expect(yOf([0, 10], box, false)(10)).toBe(5)
    expect(yOf([0, 10], box, true)(0)).toBe(51)
  })
  it('know the extremes inside the window only', () => {
    const item = run(tile([[0, 1, 2, 3], [500, -4, 5, 90], [900, 0, 1, 2]])) // prettier-ignore
    expect(extremes([item], 0, 400)).toEqual([1, 3])
    expect(extremes([item], 0, 1000)).toEqual([-4, 90])
    expect(extremes([item], 950, 1000)).toBeNull()
  })
})

it('tells the value nearest to the pointer, not a gap', () => {
  const item = run(tile([[0, 1, 1, 1], [100, NaN, NaN, NaN], [200, 3, 3, 3]])) // prettier-ignore
  expect(valueAt([item], 20, 50)?.mid).toBe(1)
  expect(valueAt([item], 110, 50)).toBeNull()
  expect(valueAt([item], 180, 50)?.mid).toBe(3)
})

it('shows one waiter among hundreds, and lets no cell reach over a hole', () => {
  expect(heatStep(1, 300)).toBe(0)
  expect(heatStep(300, 300)).toBe(4)
  expect(cellReach(Float64Array.from([0, 1000, 2000, 500_000]))).toBe(3000)
})

it('cuts labels to their room', () => {
  const measure = (text: string) => text.length
  expect(cut('transaction', 20, measure)).toBe('transaction')
  expect(cut('transaction', 6, measure)).toBe('trans…')
  expect(cut('transaction', 1, measure)).toBe('')
})
