/** The time axis above stacked lanes. */
import { useLayoutEffect, useRef } from 'react'
import { drawTimeAxis } from './axis'
import type { Interval } from './range'

type Props = {
  readonly range: Interval
  readonly width: number
  readonly zone: string
  readonly height?: number
}

export const AXIS_HEIGHT = 34

export function TimeAxis({ range, width, zone, height = AXIS_HEIGHT }: Props) {
  const group = useRef<SVGGElement>(null)
  useLayoutEffect(() => {
    if (group.current) drawTimeAxis(group.current, range, width, zone)
  }, [range, width, zone])
  return (
    <svg width={width} height={height} aria-hidden="true" style={{ display: 'block' }}>
      <line x1={0} x2={width} y1={height - 0.5} y2={height - 0.5} stroke="var(--line)" />
      <g ref={group} transform={`translate(0,${height})`} />
    </svg>
  )
}
