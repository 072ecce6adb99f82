/** Insertion of live blocks: completions after `/` at the start of a line, and the insert panel. */
import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete'
import type { Extension } from '@codemirror/state'
import { EditorView, ViewPlugin } from '@codemirror/view'
import type { Insertable } from './queries'

const WORDS: Readonly<Record<Insertable['kind'], string>> = {
  pin: 'pin',
  figure: 'figure',
  table: 'table',
}

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
  const options = all
    .filter((item) => alone || item.kind === 'pin')
    .map((item): Completion => ({
      label: `/${item.kind === 'pin' ? `pin ${item.title}` : item.text.slice(2)}`,
      displayLabel: item.title,
      detail: item.detail,
      type: WORDS[item.kind],
      apply: item.text,
    }))
  return options.length ? { from: typed.from, options, validFor: /^\/[^\n]*$/ } : null
}

/** The open editor, for panels that insert into it and jump to its lines. */
export class Insertion {
  #view: EditorView | null = null
  #all: readonly Insertable[] = []
  readonly extension: Extension

  constructor() {
    // eslint-disable-next-line @typescript-eslint/no-this-alias -- the plugin is a class of its own
    const holder = this
    this.extension = [
      ViewPlugin.define((view) => {
        holder.#view = view
        return {
          destroy() {
            if (holder.#view === view) holder.#view = null
          },
        }
      }),
      autocompletion({ override: [(context) => offered(context, holder.#all)], icons: false }),
    ]
  }

  offer(all: readonly Insertable[]) {
    this.#all = all
  }

  /** Insert at the cursor: a block on its own lines, a pin inline. */
  insert(what: Insertable) {
    const view = this.#view
    if (!view || view.state.readOnly) return
    const { to } = view.state.selection.main
    const line = view.state.doc.lineAt(to)
    const own = what.kind !== 'pin'
    const at = own ? line.to : to
    const text = own ? `${line.text.trim() ? '\n\n' : ''}${what.text}\n` : what.text
    view.dispatch({
      changes: { from: at, insert: text },
      selection: { anchor: at + text.length },
      scrollIntoView: true,
      userEvent: 'input.complete',
    })
    view.focus()
  }

  /** Select a line (1-based) and scroll to it; return whether it exists. */
  goTo(line: number): boolean {
    const view = this.#view
    if (!view) return false
    const found = view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines))
    view.dispatch({
      selection: { anchor: found.from, head: found.to },
      effects: EditorView.scrollIntoView(found.from, { y: 'center' }),
    })
    view.focus()
    return true
  }
}
