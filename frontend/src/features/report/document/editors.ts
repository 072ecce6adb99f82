/** The open editors of the document: panels insert into them, checks lead to their lines, blocks move between them. */
import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete'
import { type Extension, Prec, type Text } from '@codemirror/state'
import { EditorView, keymap, ViewPlugin } from '@codemirror/view'
import { Store } from '@/state/store'
import type { Insertable, PageSection } from '../queries'
import { blockAt, blocksIn, insertion, removal } from './blocks'
import { showPage } from './rendered'

/** Texts that `/` offers besides the live blocks, with where the cursor goes. */
const TEXTS: readonly (readonly [name: string, title: string, detail: string, text: string])[] = [
  ['heading', 'Heading', 'within the section', '### '],
  ['list', 'List', 'of points', '- '],
  ['numbers', 'Numbered list', 'of steps', '1. '],
  ['quote', 'Quote', 'what somebody wrote', '> '],
  ['code', 'Code', 'a statement or output', '```\n\n```'],
  ['columns', 'Table of your own', 'two columns', '| what | value |\n|---|--:|\n|  |  |\n'],
]

/** Complete `/word`: pins after a sentence, other blocks in their own paragraph. */
export function offered(
  context: CompletionContext,
  all: readonly Insertable[],
): CompletionResult | null {
  const typed = context.matchBefore(/\/[\w-]*/)
  if (!typed) return null
  const line = context.state.doc.lineAt(typed.from)
  const start = line.text.slice(0, typed.from - line.from)
  const alone = start.trim() === ''
  if (!alone && !start.endsWith(' ')) return null
  const live = all
    .filter((item) => alone || item.kind === 'pin')
    .map((item): Completion => ({
      label: `/${item.kind === 'pin' ? `pin ${item.title}` : item.text.slice(2)}`,
      displayLabel: item.title,
      detail: item.detail,
      type: item.kind,
      apply: item.text,
    }))
  const texts = alone
    ? TEXTS.map(([name, title, detail, text]): Completion => ({
        label: `/${name}`,
        displayLabel: title,
        detail,
        type: 'text',
        apply: text,
        boost: -1,
      }))
    : []
  const options = [...live, ...texts]
  return options.length ? { from: typed.from, options, validFor: /^\/[^\n]*$/ } : null
}

/** The line that says `quote`, nearest to the wanted one; the wanted one if no line does. */
function lineWith(doc: Text, wanted: number, quote: string) {
  const number = Math.min(Math.max(wanted, 1), doc.lines)
  for (let away = 0; quote && away < doc.lines; away++) {
    for (const at of [number - away, number + away]) {
      if (at >= 1 && at <= doc.lines && doc.line(at).text.includes(quote)) return doc.line(at)
    }
  }
  return doc.line(number)
}

/** A line that is no sentence: of a live block, a table or code. */
const NO_SENTENCE = /^\s*(::|\||```|~~~)/

/** Where a pin goes: at the cursor or, from a block on, after the text before it; null where there is none. */
function sentenceEnd(doc: Text, from: number, cursor: number): number | null {
  if (!NO_SENTENCE.test(doc.line(from).text)) return cursor
  for (let number = from - 1; number > 0; number -= 1) {
    const line = doc.line(number)
    if (line.text.trim() !== '') return NO_SENTENCE.test(line.text) ? null : line.to
  }
  return null
}

/** A block that went from one section to another; the texts as they were then. */
type Move = {
  readonly from: { readonly key: string; readonly index: number; readonly text: Text }
  readonly to: { readonly key: string; readonly index: number; readonly text: Text }
}

export class Editors {
  readonly #views = new Map<string, EditorView>()
  readonly #pages = new Map<string, PageSection>()
  #last: EditorView | null = null
  #wanted: { readonly key: string; readonly line: number; readonly quote: string } | null = null
  #all: readonly Insertable[] = []
  #order: readonly string[] = []
  /** The last move to another section, until one of the two texts changes. */
  #across: Move | null = null
  /** The section that a block moved to last. */
  readonly moved = new Store('')

  /** Set what can be inserted, and the keys of the sections in their order. */
  offer(all: readonly Insertable[], order: readonly string[]) {
    this.#all = all
    this.#order = order
  }

  /** What the editor of a section needs: insertion after `/`, keys that move blocks, and its place here. */
  extension(key: string): Extension {
    return [
      ViewPlugin.define((view) => {
        this.#views.set(key, view)
        queueMicrotask(() => {
          // The view accepts changes once it is made.
          const page = this.#pages.get(key)
          if (page && this.#views.get(key) === view) view.dispatch({ effects: showPage.of(page) })
          if (this.#wanted?.key === key) this.#goThere()
        })
        return {
          destroy: () => {
            if (this.#views.get(key) === view) this.#views.delete(key)
            if (this.#last === view) this.#last = null
          },
        }
      }),
      EditorView.domEventHandlers({
        focus: (_, view) => {
          this.#last = view
        },
      }),
      autocompletion({
        override: [(context) => offered(context, this.#all)],
        icons: false,
        interactionDelay: 0, // after `/`, Enter means the list, however fast it follows
      }),
      Prec.high(
        keymap.of([
          { key: 'Alt-ArrowUp', run: () => this.#step(key, -1), preventDefault: true },
          { key: 'Alt-ArrowDown', run: () => this.#step(key, 1), preventDefault: true },
        ]),
      ),
      // Before the editor's own undo, which knows one of the two texts.
      Prec.highest(keymap.of([{ key: 'Mod-z', run: () => this.#moveBack(key) }])),
    ]
  }

  /** Show what the server rendered of a section, now and when its editor opens. */
  show(page: PageSection) {
    this.#pages.set(page.key, page)
    this.#views.get(page.key)?.dispatch({ effects: showPage.of(page) })
  }

  /** Insert at the cursor of the text that was edited last: a block on its own lines, a pin inline. */
  insert(what: Insertable, section: string) {
    const view = this.#last ?? this.#views.get(section)
    if (!view || view.state.readOnly) return
    const { to } = view.state.selection.main
    const line = view.state.doc.lineAt(to)
    const sentence = what.kind === 'pin' ? sentenceEnd(view.state.doc, line.number, to) : null
    const at = sentence ?? line.to
    const text = sentence === null ? `${line.text.trim() ? '\n\n' : ''}${what.text}\n` : what.text
    view.dispatch({
      changes: { from: at, insert: text },
      selection: { anchor: at + text.length },
      scrollIntoView: true,
      userEvent: 'input.complete',
    })
    view.focus()
  }

  /**
   * Select a line (1-based) of a section and scroll to it, now or when its editor opens. Somebody may have
   * moved it since: `quote` is what the line says.
   */
  goTo(key: string, line: number, quote = '') {
    this.#wanted = { key, line, quote }
    if (this.#views.has(key)) this.#goThere()
  }

  #goThere() {
    const view = this.#views.get(this.#wanted?.key ?? '')
    if (!view || !this.#wanted) return
    const line = lineWith(view.state.doc, this.#wanted.line, this.#wanted.quote)
    this.#wanted = null
    view.focus()
    view.dispatch({
      selection: { anchor: line.from, head: line.to },
      effects: EditorView.scrollIntoView(line.from, { y: 'center' }),
    })
  }

  /** The section of an open editor; null for any other text. */
  keyOf(view: EditorView): string | null {
    for (const [key, each] of this.#views) if (each === view) return key
    return null
  }

  /** Move a block of one section before a block of the same or another section. */
  move(from: string, index: number, to: string, before: number) {
    const source = this.#views.get(from)
    const target = this.#views.get(to)
    if (!source || !target || source.state.readOnly) return
    if (source === target && (before === index || before === index + 1)) return
    const text = source.state.doc.toString()
    const range = blocksIn(source.state.doc)[index]
    if (!range) return
    const block = text.slice(range.from, range.to)
    const out = removal(text, index)
    if (source === target) {
      const changes = source.state.changes([out, insertion(text, before, block)])
      source.dispatch({ changes, userEvent: 'move.block' })
    } else {
      source.dispatch({ changes: out, userEvent: 'move.block' })
      const into = insertion(target.state.doc.toString(), before, block)
      target.dispatch({ changes: into, userEvent: 'move.block' })
      this.moved.set(to)
    }
    const now = before > index && source === target ? before - 1 : before
    const placed = blocksIn(target.state.doc)[now]
    this.#across =
      source === target
        ? null
        : {
            from: { key: from, index, text: source.state.doc },
            to: { key: to, index: now, text: target.state.doc },
          }
    target.focus()
    if (placed) target.dispatch({ selection: { anchor: placed.from }, scrollIntoView: true })
  }

  /** Undo a move from or into this section: the block goes back to the section it came from. */
  #moveBack(key: string): boolean {
    const last = this.#across
    if (!last || (key !== last.from.key && key !== last.to.key)) return false
    this.#across = null
    for (const { key, text } of [last.from, last.to])
      if (!this.#views.get(key)?.state.doc.eq(text)) return false
    this.move(last.to.key, last.to.index, last.from.key, last.from.index)
    this.#across = null
    return true
  }

  /** Move the block at the cursor past its neighbour, or into the next open section. */
  #step(key: string, by: -1 | 1): boolean {
    const view = this.#views.get(key)
    if (!view || view.state.readOnly) return false
    const blocks = blocksIn(view.state.doc)
    const index = blockAt(blocks, view.state.selection.main.head)
    if (index < 0) return true
    const before = by < 0 ? index - 1 : index + 2
    if (before >= 0 && before <= blocks.length) {
      this.move(key, index, key, before)
      return true
    }
    const next = this.#order[this.#order.indexOf(key) + by]
    const target = next === undefined ? undefined : this.#views.get(next)
    if (next === undefined || !target) return true
    const size = blocksIn(target.state.doc).length
    this.move(key, index, next, by < 0 ? size : 0)
    return true
  }
}
