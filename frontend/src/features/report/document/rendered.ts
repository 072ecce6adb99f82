/** Figures, tables and code of a section shown as readers see them; the source appears while the cursor is in it. */
import { type Extension, type Range, StateEffect, StateField, type Text } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view'
import type { PageSection } from '../queries'
import { blocksIn } from './blocks'

type Drawn = ReadonlyMap<string, string>
export type Sources = ReadonlyMap<string, PageSection['notes'][number]>

/** What the server rendered, for the editor of the section. */
export const showPage = StateEffect.define<PageSection>()
const setFocus = StateEffect.define<boolean>()

type State = {
  readonly drawn: Drawn
  readonly sources: Sources
  readonly focused: boolean
  readonly decorations: DecorationSet
}

class DrawnBlock extends WidgetType {
  constructor(readonly html: string) {
    super()
  }
  override eq(other: DrawnBlock): boolean {
    return other.html === this.html
  }
  override get estimatedHeight(): number {
    return 240
  }
  override toDOM(view: EditorView): HTMLElement {
    const dom = document.createElement('div')
    dom.className = 'doc-drawn doc-prose'
    // The server escapes all content: see report/render/html.py.
    dom.innerHTML = this.html
    dom.addEventListener('mousedown', (event) => {
      if (event.target instanceof Element && event.target.closest('a, summary, button')) return
      event.preventDefault()
      view.focus()
      view.dispatch({ selection: { anchor: view.posAtDOM(dom) } })
    })
    return dom
  }
}

const field = StateField.define<State>({
  create: (state) => ({
    drawn: new Map(),
    sources: new Map(),
    focused: false,
    decorations: decorate(state.doc, 0, 0, new Map(), false),
  }),
  update(value, transaction) {
    let { drawn, sources, focused } = value
    for (const effect of transaction.effects) {
      if (effect.is(showPage)) {
        drawn = drawnOf(effect.value, drawn)
        sources = new Map(effect.value.notes.map((note) => [note.label, note]))
      } else if (effect.is(setFocus)) focused = effect.value
    }
    if (!transaction.docChanged && !transaction.selection && !transaction.effects.length)
      return value
    const { from, to } = transaction.state.selection.main
    const { doc } = transaction.state
    return { drawn, sources, focused, decorations: decorate(doc, from, to, drawn, focused) }
  },
  provide: (field) => EditorView.decorations.from(field, (value) => value.decorations),
})

export const rendered: Extension = [
  field,
  EditorView.focusChangeEffect.of((_, focusing) => setFocus.of(focusing)),
]

/** The sources that the text names, by label. */
export const sourcesOf = (state: EditorView['state']): Sources =>
  state.field(field, false)?.sources ?? new Map()

/** Whether the cursor may show marks: somebody edits the text. */
export const isFocused = (state: EditorView['state']): boolean =>
  state.field(field, false)?.focused ?? false

/** The HTML of each block that is more than text, by its source; earlier ones stay for what moves back. */
function drawnOf(page: PageSection, before: Drawn): Drawn {
  const lines = page.text.split('\n')
  const drawn = new Map([...before].slice(-200))
  for (const block of page.blocks) {
    const source = lines
      .slice(block.first - 1, block.last)
      .join('\n')
      .trim()
    if (block.kind !== 'text' || source.startsWith('::')) drawn.set(source, block.html)
  }
  return drawn
}

function decorate(
  doc: Text,
  from: number,
  to: number,
  drawn: Drawn,
  focused: boolean,
): DecorationSet {
  const ranges: Range<Decoration>[] = []
  for (const block of blocksIn(doc)) {
    const html = drawn.get(doc.sliceString(block.from, block.to).trim())
    if (html === undefined) continue
    const widget = new DrawnBlock(html)
    const inside = focused && from <= block.to && to >= block.from
    ranges.push(
      inside
        ? Decoration.widget({ widget, block: true, side: 1 }).range(block.to)
        : Decoration.replace({ widget, block: true }).range(block.from, block.to),
    )
  }
  return Decoration.set(ranges)
}
