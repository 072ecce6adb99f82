import { CompletionContext } from '@codemirror/autocomplete'
import { EditorState } from '@codemirror/state'
import { EditorView, runScopeHandlers } from '@codemirror/view'
import { afterEach, expect, test } from 'vitest'
import type { Insertable } from '../queries'
import { Editors, offered } from './editors'

const ALL: Insertable[] = [
  { kind: 'figure', title: 'Wait graph', detail: '', text: '::waits' },
  { kind: 'pin', title: '301 waiters', detail: 'dump.txt', text: '[^pin-019a]' },
]

function at(text: string) {
  const state = EditorState.create({ doc: text })
  return offered(new CompletionContext(state, text.length, false), ALL)?.options.map(
    (option) => option.apply,
  )
}

const views: EditorView[] = []
afterEach(() => {
  for (const view of views.splice(0)) view.destroy()
})

function open(editors: Editors, key: string, doc: string, anchor = 0) {
  const state = EditorState.create({
    doc,
    selection: { anchor },
    extensions: editors.extension(key),
  })
  const view = new EditorView({ state })
  views.push(view)
  view.contentDOM.dispatchEvent(new FocusEvent('focus'))
  return view
}

test('a slash at the start of a line offers blocks, pins and texts, in a sentence pins alone', () => {
  expect(at('One.\n/')?.slice(0, 3)).toEqual(['::waits', '[^pin-019a]', '### '])
  expect(at('301 waiters /pi')).toEqual(['[^pin-019a]'])
  expect(at('and/or')).toBeUndefined()
  expect(at('plain')).toBeUndefined()
})

test('a block gets lines of its own, a pin stands where the cursor is', () => {
  const editors = new Editors()
  const view = open(editors, 'impact', 'Calm.', 4)
  editors.insert(ALL[1] as Insertable, 'impact')
  expect(view.state.doc.toString()).toBe('Calm[^pin-019a].')
  editors.insert(ALL[0] as Insertable, 'impact')
  expect(view.state.doc.toString()).toBe('Calm[^pin-019a].\n\n::waits\n')
  editors.goTo('impact', 3)
  const { from, to } = view.state.selection.main
  expect(view.state.sliceDoc(from, to)).toBe('::waits')
})

test('a pin never breaks the block at the cursor: it goes to the sentence before, or below', () => {
  const pin = ALL[1] as Insertable
  const editors = new Editors()
  const view = open(editors, 'impact', 'Calm.\n\n::waits\n', 7)
  editors.insert(pin, 'impact')
  expect(view.state.doc.toString()).toBe('Calm.[^pin-019a]\n\n::waits\n')
  const others = new Editors()
  const first = open(others, 'gaps', '::waits\n', 0)
  others.insert(pin, 'gaps')
  expect(first.state.doc.toString()).toBe('::waits\n\n[^pin-019a]\n\n')
})

test('a line of a section is shown when its editor opens', async () => {
  const editors = new Editors()
  editors.goTo('impact', 2)
  const view = open(editors, 'impact', 'one\ntwo\n')
  await Promise.resolve()
  const { from, to } = view.state.selection.main
  expect(view.state.sliceDoc(from, to)).toBe('two')
})

test('a remark leads to its words, also after they moved', () => {
  const editors = new Editors()
  const view = open(editors, 'impact', '::waits\n\nhuman error\n\nhuman error\n')
  editors.goTo('impact', 1, 'human error')
  expect(view.state.selection.main.from).toBe(9)
  editors.goTo('impact', 5, 'human error')
  expect(view.state.selection.main.from).toBe(22)
  editors.goTo('impact', 3, 'gone')
  expect(view.state.selection.main.from).toBe(9)
})

test('keys move the block at the cursor, through its section and into the next', () => {
  const editors = new Editors()
  editors.offer(ALL, ['summary', 'impact'])
  const summary = open(editors, 'summary', '::waits\n\nWords.\n')
  const impact = open(editors, 'impact', 'Users waited.\n')
  const press = (view: EditorView, key: string) =>
    runScopeHandlers(view, new KeyboardEvent('keydown', { key, altKey: true }), 'editor')
  const moved: string[] = []
  editors.moved.subscribe(() => moved.push(editors.moved.get()))
  expect(press(summary, 'ArrowDown')).toBe(true)
  expect(summary.state.doc.toString()).toBe('Words.\n\n::waits\n')
  press(summary, 'ArrowDown')
  expect(summary.state.doc.toString()).toBe('Words.\n')
  expect(impact.state.doc.toString()).toBe('::waits\n\nUsers waited.\n')
  press(impact, 'ArrowUp')
  expect(summary.state.doc.toString()).toBe('Words.\n\n::waits\n')
  expect(impact.state.doc.toString()).toBe('Users waited.\n')
  press(summary, 'ArrowUp')
  press(summary, 'ArrowUp')
  expect(summary.state.doc.toString()).toBe('::waits\n\nWords.\n')
  expect(moved).toEqual(['impact', 'summary'])
})

test('undo brings a block back from the next section, unless a text changed since', () => {
  const editors = new Editors()
  editors.offer(ALL, ['summary', 'impact'])
  const undo = (view: EditorView) =>
    runScopeHandlers(view, new KeyboardEvent('keydown', { key: 'z', ctrlKey: true }), 'editor')
  const down = (view: EditorView) =>
    runScopeHandlers(
      view,
      new KeyboardEvent('keydown', { key: 'ArrowDown', altKey: true }),
      'editor',
    )
  const summary = open(editors, 'summary', 'One.\n\n::waits\n', 7)
  const impact = open(editors, 'impact', 'Calm.')
  const texts = () => [summary, impact].map(({ state }) => state.doc.toString().trim())

  down(summary)
  expect(texts()).toEqual(['One.', '::waits\n\nCalm.'])
  expect(undo(impact)).toBe(true)
  expect(texts()).toEqual(['One.\n\n::waits', 'Calm.'])
  expect(undo(summary)).toBe(false)

  down(summary)
  impact.dispatch({ changes: { from: impact.state.doc.length, insert: ' Then not.' } })
  expect(undo(impact)).toBe(false)
  expect(texts()[0]).toBe('One.')
})
