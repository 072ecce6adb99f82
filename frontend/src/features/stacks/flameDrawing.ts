/** The flame graph as a file: SVG of the boxes, rows of the functions; and the colours of both. */
import { formatCount } from '@/format'
import { escapeXml, type Rows, svgDocument } from '@/charts/exportSvg'
import { layoutFlame } from '@/charts/flame'
import { change, type FlameDoc, type Frame, type Tree, functionRows } from './flame'
import { MODULE, moduleOf } from './modules'

const WIDTH = 1400
const ROW = 18
const HEAD = 28
const LETTER = 6.2

/** The most of a colour in a box, in percent: its name keeps 4.5:1 in both themes. */
const DIFF = 50

/** Blue where the range has fewer threads than before, orange where it has more. */
export function diffColour(moved: number): string {
  const side = moved < 0 ? 'var(--diff-less)' : 'var(--diff-more)'
  return `color-mix(in srgb, ${side} ${Math.round(Math.abs(moved) * DIFF)}%, var(--diff-none))`
}

const fillOf = (name: string) => {
  const { token, share } = MODULE[moduleOf(name)]
  return [token, share / 100] as const
}

/** What a box is coloured by: a trunk by its last function. */
export const innermost = (node: Frame | undefined, name: string): string =>
  node?.trunk?.at(-1) ?? name

export function flameSvg(doc: FlameDoc, tree: Tree, focus: number): string {
  const boxes = layoutFlame(tree, Math.min(focus, tree.nodes.length - 1), WIDTH)
  const depth = boxes.reduce((most, box) => Math.max(most, box.depth), 0)
  const drawn = boxes.map((box) => {
    const node = tree.nodes[box.index]
    const moved = node && doc.samples_b !== null ? change(node, doc.samples, doc.samples_b) : null
    const [token, share] =
      moved === null
        ? fillOf(innermost(node, box.name))
        : ([moved < 0 ? '--diff-less' : '--diff-more', (Math.abs(moved) * DIFF) / 100] as const)
    const y = HEAD + box.depth * ROW
    const letters = Math.floor((box.width - 8) / LETTER)
    const words = box.name.length <= letters ? box.name : `${box.name.slice(0, letters - 1)}…`
    const size = `x="${box.x.toFixed(1)}" y="${y}" width="${Math.max(1, box.width - 1).toFixed(1)}" height="${ROW - 1}"`
    return (
      `<g><title>${escapeXml(`${box.name}: ${box.total}`)}</title>` +
      `<rect ${size} fill="var(--diff-none)" fill-opacity="${moved === null ? 0.25 : 1}"/>` +
      `<rect ${size} fill="var(${token})" fill-opacity="${share.toFixed(2)}"/>` +
      (letters > 3
        ? `<text x="${(box.x + 4).toFixed(1)}" y="${y + 12.5}" font-size="11" font-family="JetBrains Mono, monospace" fill="var(--text)">${escapeXml(words)}</text>`
        : '') +
      '</g>'
    )
  })
  const title =
    doc.samples_b === null
      ? `Threads by stack, ${formatCount(doc.samples, 'sample')}`
      : `Threads by stack: ${formatCount(doc.samples_b, 'sample')} against ${doc.samples} (orange: more, blue: fewer)`
  return svgDocument(
    `<text x="4" y="18" font-size="13" fill="var(--text)">${escapeXml(title)}</text>${drawn.join('')}`,
    { width: WIDTH, height: HEAD + (depth + 1) * ROW + 4, title },
  )
}

export function flameRows(doc: FlameDoc, tree: Tree): Rows {
  const differs = doc.samples_b !== null
  return {
    columns: ['function', 'threads', 'self', ...(differs ? ['threads_b'] : [])],
    rows: functionRows(tree).map((row) => [
      row.name,
      row.total,
      row.self,
      ...(differs ? [row.totalB] : []),
    ]),
  }
}

const MOST_FRAMES = 40

/** Frames of one stack, given innermost first, drawn callers above callees: the picture of a pin. */
export function stackSvg(frames: readonly string[], title: string): string {
  const shown = frames.slice(0, MOST_FRAMES).toReversed()
  const width = Math.max(320, ...shown.map((name) => 24 + name.length * LETTER))
  const rows = shown.map((name, at) => {
    const [token, share] = fillOf(name)
    const y = HEAD + at * ROW
    return (
      `<rect x="8" y="${y}" width="${width - 16}" height="${ROW - 1}" fill="var(${token})" fill-opacity="${share}"/>` +
      `<text x="12" y="${y + 13}" font-size="11" font-family="JetBrains Mono, monospace" fill="var(--text)">${escapeXml(name)}</text>`
    )
  })
  const head = `<text x="8" y="18" font-size="12" fill="var(--text)">${escapeXml(title)}</text>`
  return svgDocument(head + rows.join(''), {
    ...{ width: Math.max(width, 16 + title.length * 6.6), height: HEAD + shown.length * ROW + 8 },
    title,
  })
}
