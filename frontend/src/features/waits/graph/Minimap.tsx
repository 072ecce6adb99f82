/** Where one is in a tall graph: its rows as a strip, the view as a frame; a click goes there. */
import type { PointerEvent } from 'react'
import type { GraphLayout } from './layout'

const WIDTH = 56
const HEIGHT = 220

export function Minimap({
  layout,
  top,
  height,
  onGo,
}: {
  readonly layout: GraphLayout
  /** Of the view, in the layout's pixels. */
  readonly top: number
  readonly height: number
  readonly onGo: (top: number) => void
}) {
  const scale = HEIGHT / layout.height
  const go = (event: PointerEvent<SVGSVGElement>) => {
    const y = event.clientY - event.currentTarget.getBoundingClientRect().top
    onGo(Math.max(0, y / scale - height / 2))
  }
  return (
    <svg
      className="graph-minimap"
      width={WIDTH}
      height={HEIGHT}
      aria-hidden="true"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        go(event)
      }}
      onPointerMove={(event) => event.buttons === 1 && go(event)}
    >
      {layout.columns.map((column, index) => {
        const first = column[0]
        const last = column.at(-1)
        if (!first || !last) return null
        const wide = WIDTH / layout.columns.length
        return (
          <rect
            key={index}
            className="graph-minimap-column"
            x={index * wide + 1}
            y={first.y * scale}
            width={wide - 2}
            height={Math.max(2, (last.y + last.height - first.y) * scale)}
          />
        )
      })}
      <rect
        className="graph-minimap-view"
        x={0.5}
        y={Math.min(HEIGHT - 3, top * scale)}
        width={WIDTH - 1}
        height={Math.max(3, Math.min(HEIGHT, height * scale))}
      />
    </svg>
  )
}
