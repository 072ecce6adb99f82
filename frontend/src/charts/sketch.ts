/**
 * What drawing code draws on: a canvas, or an SVG that keeps the same strokes for export. Only the few
 * calls that our charts make.
 */
import { escapeXml } from './exportSvg'

export interface Sketch {
  fillStyle: string | CanvasGradient | CanvasPattern
  strokeStyle: string | CanvasGradient | CanvasPattern
  lineWidth: number
  globalAlpha: number
  font: string
  textAlign: CanvasTextAlign
  beginPath(): void
  moveTo(x: number, y: number): void
  lineTo(x: number, y: number): void
  closePath(): void
  fill(): void
  stroke(): void
  fillRect(x: number, y: number, width: number, height: number): void
  fillText(text: string, x: number, y: number, maxWidth?: number): void
  save(): void
  restore(): void
  /** Keeps what is drawn until restore() inside a box. */
  clipTo(x: number, y: number, width: number, height: number): void
  /** How wide a text is in the font set. */
  measure(text: string): number
  setLineDash(pattern: number[]): void
}

/** A canvas as a sketch. */
export function onCanvas(context: CanvasRenderingContext2D): Sketch {
  const sketch = context as CanvasRenderingContext2D & Pick<Sketch, 'clipTo' | 'measure'>
  sketch.clipTo = (x, y, width, height) => {
    context.beginPath()
    context.rect(x, y, width, height)
    context.clip()
  }
  sketch.measure = (text) => context.measureText(text).width
  return sketch
}

type State = Pick<
  Sketch,
  'fillStyle' | 'strokeStyle' | 'lineWidth' | 'globalAlpha' | 'font' | 'textAlign'
> & { dash: string; groups: number }

const ANCHOR: Readonly<Record<string, string>> = { center: 'middle', right: 'end', end: 'end' }

/** Collects SVG elements; `body()` is what was drawn. */
export class SvgSketch implements Sketch {
  fillStyle: Sketch['fillStyle'] = '#000'
  strokeStyle: Sketch['strokeStyle'] = '#000'
  lineWidth = 1
  globalAlpha = 1
  font = '11px sans-serif'
  textAlign: CanvasTextAlign = 'left'
  private dash = ''
  private path = ''
  private parts: string[] = []
  private stack: State[] = []
  private groups = 0
  private clips = 0
  private readonly prefix: string

  /** prefix: of the ids inside, when several bodies go into one document. */
  constructor(prefix = 'c') {
    this.prefix = prefix
  }

  body(): string {
    return this.parts.join('')
  }
  beginPath() {
    this.path = ''
  }
  moveTo(x: number, y: number) {
    this.path += `M${round(x)},${round(y)}`
  }
  lineTo(x: number, y: number) {
    this.path += `L${round(x)},${round(y)}`
  }
  closePath() {
    this.path += 'Z'
  }
  fill() {
    if (this.path) this.parts.push(`<path d="${this.path}" ${this.ink('fill')}/>`)
  }
  stroke() {
    if (!this.path) return
    const dash = this.dash ? ` stroke-dasharray="${this.dash}"` : ''
    this.parts.push(
      `<path d="${this.path}" fill="none" ${this.ink('stroke')} stroke-width="${this.lineWidth}"${dash}/>`,
    )
  }
  fillRect(x: number, y: number, width: number, height: number) {
    this.parts.push(
      `<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" ${this.ink('fill')}/>`,
    )
  }
  fillText(text: string, x: number, y: number, maxWidth?: number) {
    const size = /([\d.]+)px/.exec(this.font)?.[1] ?? '11'
    const mono = this.font.includes('mono') ? ' font-family="JetBrains Mono, monospace"' : ''
    const bold = /^(6|7)00/.test(this.font) ? ' font-weight="600"' : ''
    const fit = maxWidth === undefined ? text : cut(text, maxWidth, (part) => this.measure(part))
    this.parts.push(
      `<text x="${round(x)}" y="${round(y)}" font-size="${size}" text-anchor="${ANCHOR[this.textAlign] ?? 'start'}"${mono}${bold} ${this.ink('fill')}>${escapeXml(fit)}</text>`,
    )
  }
  save() {
    const { fillStyle, strokeStyle, lineWidth, globalAlpha, font, textAlign, dash } = this
    this.stack.push({
      ...{ fillStyle, strokeStyle, lineWidth, globalAlpha, font, textAlign, dash },
      groups: this.groups,
    })
    this.groups = 0
  }
  restore() {
    this.parts.push('</g>'.repeat(this.groups))
    const before = this.stack.pop()
    if (before) Object.assign(this, before)
  }
  clipTo(x: number, y: number, width: number, height: number) {
    this.clips += 1
    const id = `${this.prefix}${this.clips}`
    this.parts.push(
      `<clipPath id="${id}"><rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}"/></clipPath><g clip-path="url(#${id})">`,
    )
    this.groups += 1
  }
  measure(text: string): number {
    const size = Number(/([\d.]+)px/.exec(this.font)?.[1] ?? 11)
    return text.length * size * (this.font.includes('mono') ? 0.6 : 0.54)
  }
  setLineDash(pattern: number[]) {
    this.dash = pattern.join(' ')
  }

  private ink(what: 'fill' | 'stroke'): string {
    const colour = what === 'fill' ? this.fillStyle : this.strokeStyle
    const alpha = this.globalAlpha < 1 ? ` ${what}-opacity="${this.globalAlpha}"` : ''
    return `${what}="${typeof colour === 'string' ? escapeXml(colour) : '#000'}"${alpha}`
  }
}

/** A text that fits a width, its end cut off with "…"; empty where not even two letters fit. */
export function cut(text: string, width: number, measure: (text: string) => number): string {
  if (measure(text) <= width) return text
  let low = 0
  let high = text.length
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (measure(`${text.slice(0, middle)}…`) <= width) low = middle
    else high = middle - 1
  }
  return low < 2 ? '' : `${text.slice(0, low)}…`
}

const round = (value: number) => Math.round(value * 10) / 10
