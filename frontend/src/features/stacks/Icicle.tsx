/** Merged stacks as boxes: callers above callees, width by threads; a click widens a frame. */
import { interpolateNumber } from 'd3-interpolate'
import { select } from 'd3-selection'
import { interrupt } from 'd3-transition'
import { type RefObject, useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { type FlameBox, layoutFlame, stepFlame, weight, zoomStarts } from '@/charts/flame'
import { motionMs } from '@/charts/motion'
import { useWidth } from '@/charts/useWidth'
import { formatNumber, formatShare } from '@/format'
import { Tooltip, useTip } from '@/ui/display/Tooltip'
import { change, type FlameDoc, type Frame, type Tree } from './flame'
import { diffColour, innermost } from './flameDrawing'
import { MODULE, moduleOf } from './modules'

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
  name = 'Merged stacks, callers above callees',
}: {
  readonly doc: FlameDoc
  readonly tree: Tree
  readonly focus: number
  readonly hit: ReadonlySet<number> | null
  readonly onPick?: (box: FlameBox) => void
  readonly onSandwich?: (box: FlameBox) => void
  readonly name?: string
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
  const { tip, show, hide } = useTip<FlameBox>()
  const [focused, setFocused] = useState(focus)
  // One frame is in the order of Tab; the arrows go on from it.
  const stop = boxes.some((box) => box.index === focused) ? focused : boxes[0]?.index
  const describe = (box: FlameBox) => {
    const node = tree.nodes[box.index]
    if (!node) return ''
    return `${box.name}: ${countText(doc, node)}, ${formatShare(box.total / Math.max(1, all))}`
  }
  return (
    <div className="flame-picture">
      <div
        ref={attach}
        className="flame-boxes"
        style={{ height: (depth + 1) * ROW }}
        role="tree"
        aria-label={name}
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
              data-module={moved === null ? moduleOf(innermost(node, box.name)) : undefined}
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
              onPointerEnter={(event) => show(box, event.currentTarget)}
              onPointerLeave={hide}
              onBlur={hide}
              onFocus={(event) => {
                setFocused(box.index)
                if (event.currentTarget.matches(':focus-visible')) show(box, event.currentTarget, 0)
              }}
            >
              {box.width > 36 ? box.name : ''}
            </button>
          )
        })}
      </div>
      <Tooltip tip={tip} onHide={hide}>
        {(box) => {
          const node = tree.nodes[box.index]
          return node && <FrameTip doc={doc} node={node} all={all} />
        }}
      </Tooltip>
    </div>
  )
}

/** "12.5 threads per sample"; of a difference, before and in the range. */
function countText(doc: FlameDoc, node: Frame): string {
  const per = (total: number, samples: number) => formatNumber(total / Math.max(1, samples), 1)
  const unit = doc.event === null ? 'threads per sample' : 'CPUs at once'
  if (doc.samples_b === null) return `${per(node.total, doc.samples)} ${unit}`
  const now = per(node.total_b ?? 0, doc.samples_b)
  return `${per(node.total, doc.samples)} before, ${now} in the range (${unit})`
}

/** The tooltip of a frame: the whole name, where it belongs, how many threads are in it, which share. */
function FrameTip({
  doc,
  node,
  all,
}: {
  readonly doc: FlameDoc
  readonly node: Frame
  readonly all: number
}) {
  const own = node.self + (node.self_b ?? 0)
  const share = (part: number) => formatShare(part / Math.max(1, all))
  return (
    <div className="flame-tip">
      <p className="mono">
        <strong>{node.name}</strong>
      </p>
      {node.trunk ? (
        <p className="mono flame-trunk">{node.trunk.join(' › ')}</p>
      ) : (
        node.parent >= 0 && <p className="muted">{MODULE[moduleOf(node.name)].name}</p>
      )}
      <p>
        {countText(doc, node)}, {share(weight(node))} of all
      </p>
      {own > 0 && <p className="muted">innermost in {share(own)}</p>}
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
