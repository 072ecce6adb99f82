/** The handle at the left of each block: drag it to move the block, within its section or to another. */
import type { Extension } from '@codemirror/state'
import { BlockType, EditorView, gutter, GutterMarker } from '@codemirror/view'
import { blockAt, blocksIn } from './blocks'
import type { Editors } from './editors'
import { press, release } from './rendered'

const KIND = 'application/x-pileup-block'

/** What is dragged; the browser hides the data of a drag until it ends. */
let dragged: { readonly key: string; readonly index: number } | null = null

class Handle extends GutterMarker {
  constructor(
    readonly key: string,
    readonly index: number,
  ) {
    super()
  }
  override eq(other: Handle): boolean {
    return other.key === this.key && other.index === this.index
  }
  override toDOM(view: EditorView): Node {
    const dom = document.createElement('span')
    dom.className = 'doc-handle'
    dom.draggable = true
    dom.title = 'Drag to move; Alt+↑ or Alt+↓ moves the block at the cursor'
    dom.textContent = '⠿'
    dom.addEventListener('mousedown', () => press(view))
    dom.addEventListener('mouseup', release)
    dom.addEventListener('dragstart', (event) => {
      dragged = { key: this.key, index: this.index }
      event.dataTransfer?.setData(KIND, `${this.key} ${this.index}`)
      if (event.dataTransfer) event.dataTransfer.effectAllowed = 'move'
    })
    dom.addEventListener('dragend', () => {
      dragged = null
      release()
      for (const line of document.querySelectorAll('.doc-drop')) line.remove()
    })
    return dom
  }
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
        return blocks[index]?.from === line.from ? new Handle(key, index) : null
      },
      widgetMarker(view, _, block) {
        if (view.state.readOnly || block.type !== BlockType.WidgetRange) return null
        return new Handle(key, blockAt(blocksIn(view.state.doc), block.from))
      },
      lineMarkerChange: (update) => update.docChanged,
    }),
    EditorView.domEventHandlers({
      dragover(event, view) {
        if (!dragged) return false
        event.preventDefault()
        mark(view, edgeAt(view, event.clientY).top)
        return true
      },
      drop(event, view) {
        if (!dragged) return false
        event.preventDefault()
        const { key: from, index } = dragged
        editors.move(from, index, key, edgeAt(view, event.clientY).before)
        return true
      },
    }),
  ]
}
