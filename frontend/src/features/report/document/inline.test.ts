import { markdown } from '@codemirror/lang-markdown'
import { EditorState } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { afterEach, expect, test } from 'vitest'
import type { PageSection } from '../queries'
import { inline } from './inline'
import { rendered, showPage } from './rendered'

let view: EditorView | null = null
afterEach(() => view?.destroy())

const NOTES = [
  { label: 'pin-1', number: 1, text: '301 waiters', link: '/incidents/i1/waits?at=1' },
  { label: 'pin-2', number: 2, text: 'no line', link: null },
]

/** The text as an editor shows it, with what the server rendered. */
function shown(doc: string): HTMLElement {
  const state = EditorState.create({ doc, extensions: [markdown(), rendered, inline] })
  view = new EditorView({ state, parent: document.body })
  const page = { text: doc, blocks: [], notes: NOTES } as unknown as PageSection
  view.dispatch({ effects: showPage.of(page) })
  return view.contentDOM
}

test('a source is its number, with its words and the link to the evidence', () => {
  const sources = [
    ...shown('It stalled.[^pin-1][^pin-2] Really.[^pin-9]').querySelectorAll('.doc-source'),
  ]
  expect(sources.map((source) => source.textContent)).toEqual(['1', ', 2', '…'])
  const links = sources.map((source) => source.querySelector('a'))
  expect(links.map((link) => link?.getAttribute('href') ?? null)).toEqual([
    '/incidents/i1/waits?at=1',
    null,
    null,
  ])
  expect(links.map((link) => link?.title)).toEqual(['301 waiters', 'no line', 'Source'])
})

test('marks are hidden, and each kind of line has its look', () => {
  const lines = [
    ...shown('# Head\n\n> said\n- **first** `x`\n2. second\n::waits\nplain 12 ms').children,
  ]
  expect(
    lines.map((line) => [...line.classList].filter((name) => name.startsWith('doc-'))),
  ).toEqual([
    ['doc-line-heading'],
    ['doc-line-blank'],
    ['doc-line-quote'],
    ['doc-line-item'],
    ['doc-line-item'],
    ['doc-line-source'],
    [],
  ])
  expect(lines[0]?.textContent).toBe('Head')
  expect(lines[3]?.textContent).toBe('•first x')
  expect(lines[3]?.querySelector('.doc-strong')?.textContent).toBe('first')
  expect(lines[3]?.querySelector('.doc-code')?.textContent).toBe('x')
  expect(lines[6]?.querySelector('.doc-unit')?.textContent).toBe('2 ms')
})
