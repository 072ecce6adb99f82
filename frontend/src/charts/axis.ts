/** The time axis, drawn by d3-axis: clock labels, the date above where a day begins. */
import { axisTop } from 'd3-axis'
import { select } from 'd3-selection'
import type { Interval } from './range'
import { type Tick, timeTicks, zonedRange } from './ticks'
import { timeScale } from './time'

/** A label near an edge is set inwards. */
const anchorAt = (x: number, width: number) =>
  x < 24 ? 'start' : x > width - 24 ? 'end' : 'middle'

/**
 * Draw the axis of a range into a group whose origin is its left end; call again for another range.
 * Colours come from the custom properties --text-2, --text-3 and --axis.
 */
export function drawTimeAxis(
  group: SVGGElement,
  range: Interval,
  width: number,
  zone: string,
): void {
  const shown = zonedRange(range, zone)
  const scale = timeScale(shown, width)
  const ticks = new Map(timeTicks(shown, width).map((tick) => [tick.at, tick]))
  const axis = axisTop<Date>(scale)
    .tickValues([...ticks.keys()].map((at) => new Date(at)))
    .tickFormat((at) => ticks.get(at.getTime())?.label ?? '')
    .tickSize(5)
    .tickPadding(4)
  const root = select(group).call(axis)
  root.attr('font-family', null).attr('font-size', 11)
  root.select('.domain').remove()
  const tick = root.selectAll<SVGGElement, Date>('.tick')
  tick.select('line').attr('stroke', 'var(--axis)')
  tick
    .select('text')
    .attr('fill', 'var(--text-2)')
    .attr('text-anchor', (at) => anchorAt(scale(at), width))
  tick
    .selectAll<SVGTextElement, Tick>('.date')
    .data((at) => [ticks.get(at.getTime())].flatMap((tick) => (tick?.date ? [tick] : [])))
    .join('text')
    .attr('class', 'date')
    .attr('y', -23)
    .attr('fill', 'var(--text-3)')
    .attr('text-anchor', ({ x }) => anchorAt(x, width))
    .text(({ date }) => date)
}
