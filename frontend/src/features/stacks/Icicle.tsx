/** Merged stacks as boxes: callers above callees, width by threads; a click widens a frame. */
import { useMemo, useState } from 'react'
import { type FlameBox, layoutFlame, stepFlame, weight } from '@/charts/flame'
import { useWidth } from '@/charts/useWidth'
import { formatNumber, formatShare } from '@/format'
import { change, type FlameDoc, toneOf, type Tree } from './flame'
import { diffColour } from './flameDrawing'

const ROW = 18

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
  const [ref, width] = useWidth<HTMLDivElement>(800)
  const boxes = useMemo(() => layoutFlame(tree, focus, width), [tree, focus, width])
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
        ref={ref}
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
                width: Math.max(1, box.width - 1),
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
