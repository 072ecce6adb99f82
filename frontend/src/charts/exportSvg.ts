/**
 * Exports a view as a self-contained SVG, as a PNG of it, and its rows as CSV.
 *
 * A drawing on the screen takes colours and type from the page by CSS variables and classes; outside
 * of the page it has neither, so both are written into it before it leaves.
 */

/** The table behind a view; null is what is not known and stays an empty cell. */
export type Rows = {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly (string | number | null)[])[]
}

/** What a drawn element takes from style sheets and a file must carry itself. */
const CARRIED = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'stroke-opacity',
  'paint-order',
  'opacity',
  'font-family',
  'font-size',
  'font-weight',
  'font-style',
  'text-anchor',
  'dominant-baseline',
  'visibility',
  'display',
] as const

/** Text that is safe between tags and in attributes; what XML cannot hold is left out. */
export function escapeXml(text: string): string {
  return (
    text
      // eslint-disable-next-line no-control-regex
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
      .replace(/&/g, '&amp;')
      .replace(/</g, '&lt;')
      .replace(/>/g, '&gt;')
      .replace(/"/g, '&quot;')
  )
}

type Page = {
  readonly width: number
  readonly height: number
  /** For screen readers and as the file's title. */
  readonly title: string
  /** One sentence below the title of the file: what is shown and from when to when. */
  readonly description?: string
  readonly background?: string
}

/** An SVG document around a body of SVG elements; `var(--x)` in it becomes the theme's value. */
export function svgDocument(body: string, page: Page): string {
  const size = `width="${Math.ceil(page.width)}" height="${Math.ceil(page.height)}"`
  const box = `viewBox="0 0 ${Math.ceil(page.width)} ${Math.ceil(page.height)}"`
  const back = page.background ?? 'var(--bg)'
  return withTokens(
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} ${box} font-family="Inter, system-ui, sans-serif" font-size="12" role="img">` +
      `<title>${escapeXml(page.title)}</title>` +
      (page.description ? `<desc>${escapeXml(page.description)}</desc>` : '') +
      `<rect width="100%" height="100%" fill="${back}"/>${body}</svg>`,
  )
}

/** Replaces var(--name) by what the page's theme has for it. */
export function withTokens(svg: string, styles = tokenReader(document.documentElement)): string {
  return svg.replace(/var\((--[\w-]+)(?:,[^()]*)?\)/g, (whole, name: string) => {
    const value = styles(name)
    return value ? escapeXml(value) : whole
  })
}

/**
 * A drawn <svg> of the page as a document: a copy with the computed colours and type written in, below
 * `head` (what the page says around the drawing), without what is marked data-live.
 */
export function svgOfElement(
  element: SVGSVGElement,
  page: Pick<Page, 'title' | 'description'> & {
    readonly head?: { readonly body: string; readonly height: number }
  },
): string {
  const copy = element.cloneNode(true) as SVGSVGElement
  const sources = [element, ...element.querySelectorAll<SVGElement>('*')]
  const copies = [copy, ...copy.querySelectorAll<SVGElement>('*')]
  sources.forEach((source, index) => {
    const target = copies[index]
    if (!target || !(source instanceof SVGElement)) return
    const style = getComputedStyle(source)
    for (const name of CARRIED) {
      const value = style.getPropertyValue(name)
      if (value) target.setAttribute(name, value)
    }
    target.removeAttribute('class')
    target.removeAttribute('style')
  })
  for (const live of copy.querySelectorAll('[data-live]')) live.remove()
  const box = element.getBoundingClientRect()
  const body = copies.slice(1).length > 0 ? copy.innerHTML : ''
  const group = copy.getAttribute('viewBox')
    ? `<svg viewBox="${copy.getAttribute('viewBox') ?? ''}" width="${box.width}" height="${box.height}">${body}</svg>`
    : body
  const { head, ...rest } = page
  if (!head) return svgDocument(group, { width: box.width, height: box.height, ...rest })
  return svgDocument(`${head.body}<g transform="translate(0,${head.height})">${group}</g>`, {
    ...{ width: box.width, height: box.height + head.height, ...rest },
  })
}

/** RFC 4180; a text that a spreadsheet would run as a formula is set behind an apostrophe. */
export function csv({ columns, rows }: Rows): string {
  const cell = (value: string | number | null) => {
    if (value === null) return ''
    if (typeof value === 'number') return String(value)
    const tame = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
    return /[",\r\n]/.test(tame) ? `"${tame.replace(/"/g, '""')}"` : tame
  }
  return [columns, ...rows].map((row) => row.map(cell).join(',')).join('\r\n') + '\r\n'
}

/** A Markdown table; marks that would end a cell or open a tag are escaped. */
export function markdown({ columns, rows }: Rows): string {
  const cell = (value: string | number | null) =>
    String(value ?? '')
      .replace(/[\\|<`]/g, '\\$&')
      .replace(/\s+/g, ' ')
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`
  return (
    line(columns.map(cell)) +
    line(columns.map(() => '---')) +
    rows.map((row) => line(row.map(cell))).join('')
  )
}

/** A PNG of an SVG document, twice as fine as the screen's CSS pixels by default. */
export async function pngOf(svg: string, scale = 2): Promise<Blob> {
  const image = new Image()
  image.decoding = 'async'
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`
  await image.decode()
  // Browsers refuse canvases beyond some 16 000 pixels a side and 256 million in all.
  const most = Math.min(
    16_000 / Math.max(image.width, image.height),
    Math.sqrt(2e8 / (image.width * image.height)),
  )
  const factor = Math.min(scale, most)
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.floor(image.width * factor))
  canvas.height = Math.max(1, Math.floor(image.height * factor))
  const context = canvas.getContext('2d')
  if (!context) throw new Error('This browser gives no canvas to draw the PNG on: export the SVG')
  context.drawImage(image, 0, 0, canvas.width, canvas.height)
  return new Promise((done, fail) => {
    canvas.toBlob((blob) => {
      if (blob) done(blob)
      else fail(new Error('The browser made no PNG of the view: export the SVG'))
    }, 'image/png')
  })
}

/** Offers a file for download. */
export function download(name: string, content: Blob): void {
  const url = URL.createObjectURL(content)
  follow(url, name)
  // The browser reads the address after the click returns.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

/** Saves what an address gives as a file. */
export function follow(url: string, name: string): void {
  const link = document.createElement('a')
  link.href = url
  link.download = name
  document.body.append(link)
  link.click()
  link.remove()
}

/** "Ad clicks stall" and "timeline" as the stem of a file name. */
export function fileStem(...parts: readonly string[]): string {
  const stem = parts
    .join(' ')
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
  return stem.slice(0, 80) || 'pileup'
}

/** Tokens as plain colours: mixed ones too, which drawing programs do not know. */
export function tokenReader(element: Element): (name: string) => string {
  const probe = document.createElement('span')
  probe.hidden = true
  document.body.append(probe)
  const known = new Map<string, string>()
  queueMicrotask(() => probe.remove())
  return (name) => {
    const before = known.get(name)
    if (before !== undefined) return before
    const raw = getComputedStyle(element).getPropertyValue(name).trim()
    probe.style.color = ''
    probe.style.color = `var(${name})`
    const isColour = raw !== '' && CSS.supports('color', raw)
    const value = isColour ? plainColour(getComputedStyle(probe).color) : raw
    known.set(name, value)
    return value
  }
}

/** "color(srgb 0.1 0.2 0.3 / 0.5)" as "rgba(26, 51, 77, 0.5)"; anything else as it is. */
export function plainColour(text: string): string {
  const match = /^color\(srgb ([\d.e-]+) ([\d.e-]+) ([\d.e-]+)(?: \/ ([\d.e-]+))?\)$/.exec(text)
  if (!match) return text
  const [r, g, b] = match.slice(1, 4).map((part) => Math.round(Number(part) * 255))
  return match[4] ? `rgba(${r}, ${g}, ${b}, ${match[4]})` : `rgb(${r}, ${g}, ${b})`
}
