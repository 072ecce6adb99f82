/** What the colours of the boxes mean: the modules that a picture shows, or more and fewer. */
import { useMemo } from 'react'
import type { Tree } from './flame'
import { diffColour, innermost } from './flameDrawing'
import { MODULE, moduleOf, MODULES } from './modules'

const CHANGES = [
  [-1, 'fewer threads than before'],
  [0, 'as many'],
  [1, 'more threads than before'],
] as const

export function FlameLegend({ tree, differs }: { readonly tree: Tree; readonly differs: boolean }) {
  const shown = useMemo(
    () => new Set(tree.nodes.slice(1).map((node) => moduleOf(innermost(node, node.name)))),
    [tree],
  )
  return (
    <div className="flame-legend">
      <ul aria-label="Colours">
        {differs
          ? CHANGES.map(([moved, words]) => (
              <li key={words}>
                <span className="flame-swatch" style={{ background: diffColour(moved) }} />
                {words}
              </li>
            ))
          : MODULES.filter((module) => shown.has(module)).map((module) => (
              <li key={module}>
                <span className="flame-swatch" data-module={module} />
                {MODULE[module].name}
              </li>
            ))}
      </ul>
      <span className="faint">
        Click a frame to widen it; double-click (or s) for its callers and callees
      </span>
    </div>
  )
}
