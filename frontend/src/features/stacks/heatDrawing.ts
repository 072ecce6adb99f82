/** The heat map as a file: SVG with the numbers in the cells, rows of functions by samples. */
import { escapeXml, type Rows, svgDocument } from '@/charts/exportSvg'
import { formatCount, formatNumber } from '@/format'

export type Heat = {
  readonly functions: readonly string[]
  /** By function, then by sample; threads. */
  readonly counts: readonly (readonly number[])[]
  /** Of the samples, as the screen words them. */
  readonly times: readonly string[]
}

const ROW = 20
const NAMES = 280
const HEAD = 52
const LETTERS = 42
const [NARROW, WIDE] = [14, 96]
/** A cell from here on has room for its number, a column for its time. */
const ROOM = 44

/** Which of the six shades of one hue a share of the most has. */
export function shade(share: number): string {
  return `var(--heat-${share === 0 ? 0 : Math.max(1, Math.ceil(share * 5))})`
}

export function heatSvg({ functions, counts, times }: Heat): string {
  const cell = Math.min(WIDE, Math.max(NARROW, 1100 / Math.max(1, times.length)))
  const most = Math.max(1, ...counts.flat())
  const x = (column: number) => NAMES + column * cell
  const every = Math.ceil(72 / cell)
  const heads = times.map((time, column) =>
    column % every ? '' : text(x(column) + 2, HEAD - 8, time.split(' ').at(-1) ?? time, 'text-2'),
  )
  const rows = functions.map((name, row) => {
    const y = HEAD + row * ROW
    const label = name.length > LETTERS ? `${name.slice(0, LETTERS - 1)}…` : name
    const cells = (counts[row] ?? []).map((count, column) => {
      const share = count / most
      const number =
        cell >= ROOM ? text(x(column) + 4, y + 14, formatNumber(count), inkOn(share)) : ''
      return (
        `<g><title>${escapeXml(`${name}: ${count}, ${times[column] ?? ''}`)}</title>` +
        `<rect x="${x(column).toFixed(1)}" y="${y}" width="${(cell - 1).toFixed(1)}" height="${ROW - 1}" fill="${shade(share)}"/>${number}</g>`
      )
    })
    return text(8, y + 14, label, 'text') + cells.join('')
  })
  return svgDocument(
    `<text x="8" y="20" font-weight="600" fill="var(--text)">Threads in each function, by sample</text>` +
      `<text x="8" y="${HEAD - 8}" font-size="11" fill="var(--text-2)">Function</text>` +
      heads.join('') +
      rows.join(''),
    {
      width: x(times.length) + 8,
      height: HEAD + functions.length * ROW + 8,
      title: 'Threads in each function, by sample',
      description: `${formatCount(functions.length, 'function')} in ${formatCount(times.length, 'sample')}, ${times[0] ?? ''} to ${times.at(-1) ?? ''}; at most ${most} threads.`,
    },
  )
}

export const heatRows = ({ functions, counts, times }: Heat): Rows => ({
  columns: ['function', ...times],
  rows: functions.map((name, row) => [name, ...(counts[row] ?? [])]),
})

/** Numbers on the darker shades are drawn in the colour of the ground. */
const inkOn = (share: number) => (share > 0.6 ? 'bg' : 'text')

const text = (x: number, y: number, words: string, ink: string) =>
  `<text x="${x.toFixed(1)}" y="${y}" font-size="11" font-family="JetBrains Mono, monospace" fill="var(--${ink})">${escapeXml(words)}</text>`
