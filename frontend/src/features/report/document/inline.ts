/** Inline Markdown shown as it will read: marks are hidden outside of the cursor's line, sources are numbers. */
import { ensureSyntaxTree, syntaxTree } from '@codemirror/language'
import { type Extension, type Range, RangeSet } from '@codemirror/state'
import {
  Decoration,
  type DecorationSet,
  EditorView,
  ViewPlugin,
  type ViewUpdate,
  WidgetType,
} from '@codemirror/view'
import { NUMBER_WITH_UNIT } from '@/format'
import { isFocused, type Sources, sourcesOf } from './rendered'

const REFERENCE = /\[\^([A-Za-z0-9][A-Za-z0-9-]*)\](?!:)/g
const STYLES: Readonly<Record<string, string>> = {
  StrongEmphasis: 'doc-strong',
  Emphasis: 'doc-emphasis',
  InlineCode: 'doc-code',
  Link: 'doc-link',
}
const MARKS = new Set(['EmphasisMark', 'CodeMark', 'HeaderMark', 'LinkMark', 'URL', 'QuoteMark'])

class SourceNumber extends WidgetType {
  constructor(
    readonly label: string,
    readonly number: number | null,
    readonly title: string,
    readonly link: string | null,
    /** Whether it comes directly after another number: 1, 2 and not 12. */
    readonly follows: boolean,
  ) {
    super()
  }
  override eq(other: SourceNumber): boolean {
    return (
      other.label === this.label &&
      other.number === this.number &&
      other.link === this.link &&
      other.follows === this.follows
    )
  }
  override toDOM(): HTMLElement {
    const dom = document.createElement('sup')
    dom.className = 'doc-source'
    const link = document.createElement('a')
    link.textContent = this.number === null ? '…' : String(this.number)
    link.title = this.title
    if (this.link) link.href = this.link
    if (this.follows) dom.append(', ')
    dom.append(link)
    return dom
  }
  override ignoreEvent(): boolean {
    return true
  }
}

class Bullet extends WidgetType {
  override eq(): boolean {
    return true
  }
  override toDOM(): HTMLElement {
    const dom = document.createElement('span')
    dom.className = 'doc-bullet'
    dom.textContent = '•'
    return dom
  }
}
const UNIT = Decoration.mark({ class: 'doc-unit' })
const BULLET = Decoration.replace({ widget: new Bullet() })

/** Milliseconds that reading the visible text may take. */
const PARSE_MS = 100

type Shown = { readonly all: DecorationSet; readonly sources: DecorationSet }

function show(view: EditorView): Shown {
  const { state } = view
  const cursor = state.doc.lineAt(state.selection.main.head).number
  const open = isFocused(state) ? cursor : -1
  const all: Range<Decoration>[] = []
  const numbers: Range<Decoration>[] = []
  const sources = sourcesOf(state)
  for (const { from, to } of view.visibleRanges) {
    for (let at = from; at <= to;) {
      const line = state.doc.lineAt(at)
      all.push(...ofLine(line.text, line.from, line.number === open))
      numbers.push(...references(line.text, line.from, sources))
      all.push(...units(line.text, line.from))
      at = line.to + 1
    }
    // Parsed at once: the parser goes on when the browser is idle, and shows marks until then.
    const tree = ensureSyntaxTree(state, to, PARSE_MS) ?? syntaxTree(state)
    tree.iterate({
      from,
      to,
      enter: ({ name, from: start, to: end }) => {
        const style = STYLES[name]
        // A reference is a link to the parser.
        if (name === 'Link' && state.sliceDoc(start, start + 2) === '[^') return false
        if (style) all.push(Decoration.mark({ class: style }).range(start, end))
        if (MARKS.has(name) && start < end && state.doc.lineAt(start).number !== open) {
          const after = name === 'HeaderMark' && state.sliceDoc(end, end + 1) === ' ' ? 1 : 0
          all.push(Decoration.replace({}).range(start, end + after))
        }
        const isBullet = name === 'ListMark' && /^[-*+] /.test(state.sliceDoc(start, end + 1))
        if (isBullet && state.doc.lineAt(start).number !== open) {
          all.push(BULLET.range(start, end + 1))
        }
        return true
      },
    })
  }
  return {
    all: RangeSet.join([Decoration.set(all, true), Decoration.set(numbers, true)]),
    sources: Decoration.set(numbers, true),
  }
}

function ofLine(text: string, from: number, isOpen: boolean): Range<Decoration>[] {
  const heading = /^ {0,3}#{1,6}\s/.test(text)
  const name = heading
    ? 'doc-line-heading'
    : text.startsWith('>')
      ? 'doc-line-quote'
      : /^(?:[-*+]|\d{1,9}[.)])\s/.test(text)
        ? 'doc-line-item'
        : text.trim() === '' && !isOpen
          ? 'doc-line-blank'
          : /^(::|\||```|~~~|Table: )/.test(text)
            ? 'doc-line-source'
            : null
  return name ? [Decoration.line({ class: name }).range(from)] : []
}

/** A number stays on the line of its unit. */
function units(text: string, from: number): Range<Decoration>[] {
  return [...text.matchAll(NUMBER_WITH_UNIT)].map((match) =>
    UNIT.range(from + match.index, from + match.index + match[0].length),
  )
}

function references(text: string, from: number, sources: Sources): Range<Decoration>[] {
  return [...text.matchAll(REFERENCE)].map((match) => {
    const note = sources.get(match[1] ?? '')
    const widget = new SourceNumber(
      match[1] ?? '',
      note?.number ?? null,
      note?.text ?? 'Source',
      note?.link ?? null,
      text.charAt(match.index - 1) === ']',
    )
    return Decoration.replace({ widget }).range(
      from + match.index,
      from + match.index + match[0].length,
    )
  })
}

const plugin = ViewPlugin.define(
  (view) => {
    const value = {
      shown: show(view),
      update(update: ViewUpdate) {
        const changed =
          update.docChanged ||
          update.viewportChanged ||
          update.selectionSet ||
          update.transactions.some((transaction) => transaction.effects.length > 0) ||
          syntaxTree(update.startState) !== syntaxTree(update.state)
        if (changed) value.shown = show(update.view)
      },
    }
    return value
  },
  { decorations: (value) => value.shown.all },
)

/** Styles instead of marks, and the number of each source instead of its label. */
export const inline: Extension = [
  plugin,
  EditorView.atomicRanges.of((view) => view.plugin(plugin)?.shown.sources ?? Decoration.none),
]
