/** The handle at the left of each block: drag it to move the block, within its section or to another. */
import type { Extension } from '@codemirror/state'
import { BlockType, EditorView, gutter, GutterMarker } from '@codemirror/view'
import { blockAt, blocksIn } from './blocks'
import type { Editors } from './editors'

/** Room at the top and bottom of the page in which a drag scrolls it, in pixels. */
const EDGE = 48

class Handle extends GutterMarker {
  constructor(
    readonly key: string,
    readonly index: number,
    readonly editors: Editors,
  ) {
    super()
  }
  override eq(other: Handle): boolean {
    return other.key === this.key && other.index === this.index
  }
  override toDOM(): Node {
    const dom = document.createElement('span')
    dom.className = 'doc-handle'
    dom.title = 'Drag to move; Alt+↑ or Alt+↓ moves the block at the cursor'
    dom.textContent = '⠿'
    // The focus stays where it is.
    dom.addEventListener('mousedown', (event) => event.preventDefault())
    dom.addEventListener('pointerdown', (event) => {
      if (event.button === 0) drag(this, event.pointerId)
    })
    return dom
  }
}

/** Follow the pointer until it is released, and move the block to where it is then; Escape ends it. */
function drag({ key, index, editors }: Handle, pointer: number) {
  const ended = new AbortController()
  const { signal } = ended
  let target: { readonly view: EditorView; readonly before: number } | null = null
  const end = () => {
    ended.abort()
    document.documentElement.classList.remove('doc-dragging')
    for (const line of document.querySelectorAll('.doc-drop')) line.remove()
  }
  const follow = (event: PointerEvent) => {
    if (event.pointerId !== pointer) return
    document.documentElement.classList.add('doc-dragging')
    const element = document.elementFromPoint(event.clientX, event.clientY)
    scroll(element?.closest('.doc-page') ?? null, event.clientY)
    const dom = element?.closest<HTMLElement>('.cm-editor')
    const view = dom && EditorView.findFromDOM(dom)
    if (!view || view.state.readOnly) return
    const edge = edgeAt(view, event.clientY)
    target = { view, before: edge.before }
    mark(view, edge.top)
  }
  window.addEventListener('pointermove', follow, { signal })
  window.addEventListener(
    'pointerup',
    (event) => {
      if (event.pointerId !== pointer) return
      const to = target && editors.keyOf(target.view)
      const before = target?.before
      end()
      if (to !== null && to !== undefined && before !== undefined)
        editors.move(key, index, to, before)
    },
    { signal },
  )
  window.addEventListener('pointercancel', end, { signal })
  window.addEventListener(
    'keydown',
    (event) => {
      if (event.key === 'Escape') end()
    },
    { signal },
  )
}

function scroll(page: Element | null, clientY: number) {
  if (!page) return
  const { top, bottom } = page.getBoundingClientRect()
  if (clientY < top + EDGE) page.scrollBy(0, -16)
  else if (clientY > bottom - EDGE) page.scrollBy(0, 16)
}

/** The block before which a drop at this height goes, and the height of its edge in the editor. */
function edgeAt(view: EditorView, clientY: number): { before: number; top: number } {
  const blocks = blocksIn(view.state.doc)
  let best = { before: 0, top: 0 }
  let least = Infinity
  const consider = (before: number, top: number) => {
    const away = Math.abs(view.documentTop + top - clientY)
    if (away < least) [best, least] = [{ before, top }, away]
  }
  blocks.forEach((block, index) => consider(index, view.lineBlockAt(block.from).top))
  const last = blocks.at(-1)
  if (last) consider(blocks.length, view.lineBlockAt(last.to).bottom)
  return best
}

function mark(view: EditorView, top: number) {
  let line = view.scrollDOM.querySelector<HTMLElement>('.doc-drop')
  if (!line) {
    for (const other of document.querySelectorAll('.doc-drop')) other.remove()
    line = document.createElement('div')
    line.className = 'doc-drop'
    view.scrollDOM.append(line)
  }
  const room = view.documentTop - view.scrollDOM.getBoundingClientRect().top
  line.style.top = `${room + top - 1}px`
}

export function handles(key: string, editors: Editors): Extension {
  return [
    gutter({
      class: 'doc-handles',
      renderEmptyElements: false,
      lineMarker(view, line) {
        if (view.state.readOnly || line.length === 0) return null
        const blocks = blocksIn(view.state.doc)
        const index = blockAt(blocks, line.from)
        return blocks[index]?.from === line.from ? new Handle(key, index, editors) : null
      },
      widgetMarker(view, _, block) {
        if (view.state.readOnly || block.type !== BlockType.WidgetRange) return null
        return new Handle(key, blockAt(blocksIn(view.state.doc), block.from), editors)
      },
      lineMarkerChange: (update) => update.docChanged,
    }),
  ]
}
