import { CompletionContext } from '@codemirror/autocomplete'
import { EditorState } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { expect, test } from 'vitest'
import { Insertion, offered } from './insertion'
import type { Insertable } from './queries'

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

test('a slash at the start of a line offers blocks and pins, in a sentence pins alone', () => {
  expect(at('One.\n/')).toEqual(['::waits', '[^pin-019a]'])
  expect(at('301 waiters /pi')).toEqual(['[^pin-019a]'])
  expect(at('and/or')).toBeUndefined()
  expect(at('plain')).toBeUndefined()
})

test('a block gets lines of its own, a pin stands where the cursor is', () => {
  const insertion = new Insertion()
  const view = new EditorView({
    state: EditorState.create({
      doc: 'Calm.',
      selection: { anchor: 4 },
      extensions: insertion.extension,
    }),
  })
  insertion.insert(ALL[1] as Insertable)
  expect(view.state.doc.toString()).toBe('Calm[^pin-019a].')
  insertion.insert(ALL[0] as Insertable)
  expect(view.state.doc.toString()).toBe('Calm[^pin-019a].\n\n::waits\n')
  expect(insertion.goTo(3)).toBe(true)
  expect(view.state.sliceDoc(view.state.selection.main.from, view.state.selection.main.to)).toBe(
    '::waits',
  )
  view.destroy()
  expect(insertion.goTo(1)).toBe(false)
})
