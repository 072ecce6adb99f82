/** Merged stacks as boxes: callers above callees, width by threads; a click widens a frame. */
import { interpolateNumber } from 'd3-interpolate'
import { select } from 'd3-selection'
import { interrupt } from 'd3-transition'
import { type RefObject, useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { type FlameBox, layoutFlame, stepFlame, weight, zoomStarts } from '@/charts/flame'
import { motionMs } from '@/charts/motion'
import { useWidth } from '@/charts/useWidth'
import { formatNumber, formatShare } from '@/format'
import { change, type FlameDoc, toneOf, type Tree } from './flame'
import { diffColour } from './flameDrawing'

const ROW = 18

/** A hairline stays free between neighbours. */
const drawnWidth = ({ width }: Pick<FlameBox, 'width'>) => Math.max(1, width - 1)

export function Icicle({
  doc,
  tree,
  focus,
  hit,
  onPick,
  onSandwich,
}: {
  readonly doc: FlameDoc
  readonly tree: Tree
  readonly focus: number
  readonly hit: ReadonlySet<number> | null
  readonly onPick?: (box: FlameBox) => void
  readonly onSandwich?: (box: FlameBox) => void
}) {
  const [measure, width] = useWidth<HTMLDivElement>(800)
  const frame = useRef<HTMLDivElement>(null)
  const attach = useCallback(
    (element: HTMLDivElement | null) => {
      frame.current = element
      measure(element)
    },
    [measure],
  )
  const boxes = useMemo(() => layoutFlame(tree, focus, width), [tree, focus, width])
  useZoomMotion(frame, tree, focus, boxes)
  const depth = boxes.reduce((most, box) => Math.max(most, box.depth), 0)
  const all = tree.nodes[0] ? weight(tree.nodes[0]) : 1
  const [hovered, setHovered] = useState<FlameBox | null>(null)
  const [focused, setFocused] = useState(focus)
  // One frame is in the order of Tab; the arrows go on from it.
  const stop = boxes.some((box) => box.index === focused) ? focused : boxes[0]?.index
  const samples = doc.samples + (doc.samples_b ?? 0)
  const describe = (box: FlameBox) => {
    const node = tree.nodes[box.index]
    if (!node) return ''
    const share = formatShare(box.total / Math.max(1, all))
    if (doc.samples_b === null) {
      return `${box.name}: ${formatNumber(box.total / Math.max(1, samples), 1)} threads per sample, ${share}`
    }
    const a = node.total / Math.max(1, doc.samples)
    const b = (node.total_b ?? 0) / Math.max(1, doc.samples_b)
    return `${box.name}: ${formatNumber(a, 1)} before, ${formatNumber(b, 1)} in the range (threads per sample)`
  }
  return (
    <div className="flame-picture">
      <div
        ref={attach}
        className="flame-boxes"
        style={{ height: (depth + 1) * ROW }}
        role="tree"
        aria-label="Merged stacks, callers above callees"
      >
        {boxes.map((box) => {
          const node = tree.nodes[box.index]
          const moved =
            node && doc.samples_b !== null ? change(node, doc.samples, doc.samples_b) : null
          return (
            <button
              key={box.index}
              type="button"
              role="treeitem"
              aria-level={box.depth + 1}
              aria-label={describe(box)}
              tabIndex={box.index === stop ? 0 : -1}
              data-index={box.index}
              className="flame-box mono"
              data-tone={moved === null ? toneOf(box.name) : undefined}
              data-dim={hit !== null && !hit.has(box.index) ? '' : undefined}
              style={{
                left: box.x,
                width: drawnWidth(box),
                top: box.depth * ROW,
                ...(moved === null ? {} : { background: diffColour(moved) }),
              }}
              onClick={() => onPick?.(box)}
              onDoubleClick={() => onSandwich?.(box)}
              onKeyDown={(event) => {
                if (event.key === 's') onSandwich?.(box)
                const next = stepFlame(tree, boxes, box, event.key)
                if (!next) return
                event.preventDefault()
                event.currentTarget.parentElement
                  ?.querySelector<HTMLElement>(`[data-index="${next.index}"]`)
                  ?.focus()
              }}
              onMouseEnter={() => setHovered(box)}
              onMouseLeave={() => setHovered(null)}
              onFocus={() => {
                setHovered(box)
                setFocused(box.index)
              }}
            >
              {box.width > 36 ? box.name : ''}
            </button>
          )
        })}
      </div>
      <p className="flame-hover mono" role="status">
        {hovered
          ? describe(hovered)
          : 'Click a frame to widen it; double click (or s) shows its callers and what it calls; arrows go from frame to frame.'}
      </p>
    </div>
  )
}

/** Boxes of another focus grow from where they were: d3 moves what React has placed. */
function useZoomMotion(
  frame: RefObject<HTMLDivElement | null>,
  tree: Tree,
  focus: number,
  boxes: readonly FlameBox[],
): void {
  const shown = useRef({ tree, focus, boxes })
  useLayoutEffect(() => {
    const before = shown.current
    shown.current = { tree, focus, boxes }
    if (!frame.current || before.boxes === boxes) return
    const jumps = before.tree === tree && before.focus !== focus && motionMs() > 0
    const starts = jumps ? zoomStarts(before, { focus, boxes }) : null
    const ends = new Map(boxes.map((box) => [box.index, box]))
    for (const element of frame.current.querySelectorAll<HTMLElement>('[data-index]')) {
      const index = Number(element.dataset['index'])
      const end = ends.get(index)
      if (end) moveBox(element, starts?.get(index) ?? end, end)
    }
  }, [frame, tree, focus, boxes])
}

type Place = Pick<FlameBox, 'x' | 'width'>

/** Move a box to its end; at once where it is there already. */
function moveBox(element: HTMLElement, start: Place, end: Place): void {
  const left = interpolateNumber(start.x, end.x)
  const width = interpolateNumber(drawnWidth(start), drawnWidth(end))
  const place = (share: number) => {
    element.style.left = `${left(share)}px`
    element.style.width = `${width(share)}px`
  }
  interrupt(element)
  if (start.x === end.x && start.width === end.width) place(1)
  else {
    place(0)
    select(element)
      .transition()
      .duration(motionMs())
      .tween('place', () => place)
  }
}
