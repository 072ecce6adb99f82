import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { renderScreen, serve } from '@/testing/render'
import { BLANK_EDGE, BLANK_NODE } from './defaults'
import type { WaitGraph } from './waitGraph'
import { askAhead } from './queries'
import WaitsScreen from './WaitsScreen'

beforeEach(() => {
  Element.prototype.scrollIntoView = vi.fn() // jsdom has no layout to scroll
})
afterEach(() => vi.unstubAllGlobals())

const graph = {
  at: '2026-11-20T22:20:15Z',
  headline: 'Trx 26478 blocks 2 threads.',
  waiters: 2,
  folded: true,
  cycles: [],
  snapshots: [],
  notes: ['No stack shows who leads the commit queue.'],
  nodes: [
    { ...BLANK_NODE, id: 'h', label: 'trx 26478', root: true, blocks_total: 2, blocks_direct: 2 },
    {
      ...BLANK_NODE,
      id: 'g',
      kind: 'group',
      label: '2 waiters',
      depth: 1,
      members: 2,
      waiting: true,
    },
  ],
  edges: [{ ...BLANK_EDGE, mode: 'X', source: 'g', target: 'h', waited_s: null }],
  roots: [
    {
      node: 'h',
      label: 'trx 26478',
      blocks_direct: 2,
      blocks_total: 2,
      why: '',
      inferred: true,
      confidence: 1,
      amplification: '',
      longest_s: 26,
    },
  ],
} as unknown as WaitGraph
const moment = { artifact: 'a', snapshot: 0, source: 'status dump', lock_waits: 0, waiters: 2 }

const stuck = { waiting: 0, blocking: 5, root: 4, most: 2, first: moment_(15), last: moment_(55) }
const persistence = {
  unit: 'status dump',
  of: 7,
  moments: 7,
  among: '7 status dumps of the stall',
  nodes: [{ ...stuck, key: 'h', seen: 5, blocked_thread_s: 310.4 }],
}
const detail = {
  latch: null,
  frames: ['poll at poll.c:29', 'vio_io_wait'],
  stack_artifact: 'a'.repeat(64),
  stack_snapshot: 0,
  stack_key: '0123456789abcdef',
  members: [],
}
function moment_(second: number) {
  return `2026-11-20T22:20:${second}Z`
}

const show = (search: string, answer: object = graph, ask?: Parameters<typeof renderScreen>[3]) => {
  const calls = serve({
    '/incidents/i1/waits': answer,
    '/incidents/i1/waits/persistence': persistence,
    '/incidents/i1/waits/node': { ...detail, node: graph.nodes[0] },
    '/incidents/i1/waits/moments': [
      { ...moment, time: '2026-11-20T22:20:15Z', max_waited_s: 1 },
      { ...moment, time: '2026-11-20T22:20:16Z', max_waited_s: 2 },
    ],
    '/incidents/i1/overview': {
      analysis: { state: 'done', engine: '1', error: null },
      unanswered: [],
      roots: [{ label: 'session 390', share: 0.94, time: moment_(15), node: 'h' }],
    },
    '/incidents/i1/artifacts': { items: [] },
  })
  renderScreen(<WaitsScreen />, `/incidents/i1/waits${search}`, 'contributor', ask)
  return calls
}

it('the screen uses the requests that were started ahead of it, and repeats none', async () => {
  const search = '?at=2026-11-20T22:20:15Z&vs=2026-11-20T22:20:16Z&fold=none&open=g&open=k&find=h'
  const calls = show(search, { ...graph, found: ['h'] }, (client) =>
    askAhead(client, 'i1', new URLSearchParams(search)),
  )
  await screen.findByTestId('wait-headline')
  const callsTo = (path: string) =>
    calls.filter((call) => call.path === `/incidents/i1/waits${path}`)
  expect([callsTo(''), callsTo('/moments')].map((all) => all.length)).toEqual([1, 1])
})

it('before the first analysis, nothing is requested that needs one', async () => {
  const calls = serve({
    '/incidents/i1/waits/moments': [],
    '/incidents/i1/overview': {
      analysis: { state: 'none', engine: null, error: null },
      artifacts: { total: 0, parsing: 0 },
      roots: [],
    },
  })
  renderScreen(<WaitsScreen />, '/incidents/i1/waits', 'contributor', (client) =>
    askAhead(client, 'i1', new URLSearchParams()),
  )
  await screen.findByText('No waits yet')
  expect(calls.map(({ path }) => path)).not.toContain('/incidents/i1/waits')
})

it('a root opens in the inspector, Escape closes it, ] goes to the next moment', async () => {
  show('')
  expect(await screen.findByTestId('wait-headline')).toHaveProperty('textContent', graph.headline)
  screen.getByText(/No stack shows who leads/)
  fireEvent.click(screen.getByTestId('wait-root'))
  const inspector = await screen.findByRole('complementary', { name: 'Inspector' })
  within(inspector).getByText('2', { exact: true })
  within(inspector).getByRole('button', { name: 'Pin as evidence' })
  await within(inspector).findByText(
    'root blocker in 4 of 7 status dumps of the stall, blocks in 5',
  )
  expect(screen.getByTestId('root-stuck').textContent).toContain('310 thread-seconds')
  const follow = await within(inspector).findByTestId('follow-thread')
  expect(follow.getAttribute('href')).toContain('group=0123456789abcdef')
  within(inspector).getByText('poll at poll.c:29')
  fireEvent.keyDown(window, { key: 'Escape' })
  await waitFor(() => expect(screen.queryByRole('complementary')).toBeNull())
  fireEvent.keyDown(window, { key: ']' })
  await waitFor(() => expect(window.location.search).toBe('?at=2026-11-20T22%3A20%3A16Z'))
})

it('between captures nothing is drawn, and the place says for how long', async () => {
  const overview = {
    analysis: { state: 'done', engine: '1', error: null },
    unanswered: [],
    roots: [],
    captures: [
      { first: '2026-11-20T22:20:15Z', last: '2026-11-20T22:20:16Z' },
      { first: '2026-11-21T18:20:16Z', last: '2026-11-21T18:20:16Z' },
      { first: null, last: null },
    ],
  }
  const times = ['2026-11-20T22:20:15Z', '2026-11-20T22:20:16Z', '2026-11-21T18:20:16Z']
  serve({
    '/incidents/i1/waits': graph,
    '/incidents/i1/waits/persistence': persistence,
    '/incidents/i1/waits/moments': times.map((time) => ({ ...moment, time, max_waited_s: 1 })),
    '/incidents/i1/overview': overview,
    '/incidents/i1/artifacts': { items: [] },
  })
  renderScreen(<WaitsScreen />, '/incidents/i1/waits', 'contributor')
  expect((await screen.findByTitle(/Nothing was captured/)).getAttribute('title')).toMatch(
    /^Nothing was captured for 20\sh$/,
  )
  expect(screen.getAllByTitle(/Nothing was captured/)).toHaveLength(1)
  expect(screen.getAllByRole('button', { name: /status dump, 2 waiting$/ })).toHaveLength(3)
})

it('a root that keeps no session waiting says so', async () => {
  const root = { ...graph.roots[0], blocks_total: 0, blocks_direct: 0 }
  show('', { ...graph, roots: [root] })
  const row = await screen.findByTestId('wait-root')
  expect(row.textContent).toContain('no session behind it')
  expect(row.textContent).not.toContain('0 behind it')
})

it('the inspector says how sure each edge and each join is, and why', async () => {
  const [root, group] = graph.nodes
  const joins = [
    { why: 'processlist Id 390 (exact)', confidence: 0.98 },
    { why: 'kernel thread 42, 2 s apart', confidence: 0.9 },
  ]
  const note = 'inferred: the only candidate'
  show('?node=h', {
    ...graph,
    nodes: [{ ...root, joins, join: 'processlist Id 390 (exact)' }, group],
    edges: [{ ...graph.edges[0], confidence: 0.85, inferred: true, note }],
  })
  const edge = (await screen.findByText(note)).closest('li') as HTMLElement
  within(edge).getByText('0.85 inferred')
  const join = (sure: string) => screen.getByText(sure).closest('li')?.textContent
  expect(join('0.98')).toContain('processlist Id 390 (exact)')
  expect(join('0.9')).toContain('2 s apart')
})

it('the tree opens and closes with the arrow keys', async () => {
  show('?view=tree')
  const root = await screen.findByRole('treeitem', { name: /trx 26478/ })
  expect(screen.getAllByRole('treeitem')).toHaveLength(2)
  fireEvent.keyDown(root, { key: 'ArrowLeft' })
  expect(screen.getAllByRole('treeitem')).toHaveLength(1)
  fireEvent.keyDown(root, { key: 'ArrowRight' })
  fireEvent.keyDown(root, { key: 'ArrowDown' })
  expect(document.activeElement?.getAttribute('data-node-id')).toBe('g')
})

it('a difference marks what came and what is gone by a sign, and Escape ends it', async () => {
  const marked = {
    ...graph,
    against: '2026-11-20T22:20:16Z',
    difference: 'Since 22:20:16 UTC: 2 threads started to wait.',
    nodes: graph.nodes.map((node, index) => ({ ...node, mark: index ? 'added' : 'gone' })),
  }
  show('?vs=2026-11-20T22:20:16Z', marked)
  expect((await screen.findByTestId('wait-difference')).textContent).toContain('started to wait')
  screen.getByRole('button', { name: /^added: 2 waiters/ })
  screen.getByRole('button', { name: /^gone: trx 26478/ })
  fireEvent.keyDown(window, { key: 'Escape' })
  await waitFor(() => expect(window.location.search).not.toContain('vs='))
})

it('arrows walk the graph, Enter opens', async () => {
  show('')
  const root = await screen.findByRole('button', {
    name: 'trx 26478, blocks 2, root blocker now, in 4 of 7 status dumps of the stall, blocks in 5',
  })
  root.focus()
  fireEvent.keyDown(root, { key: 'ArrowRight' })
  await waitFor(() => expect(document.activeElement?.getAttribute('data-node-id')).toBe('g'))
  fireEvent.click(document.activeElement as HTMLElement)
  await waitFor(() => expect(window.location.search).toContain('node=g'))
})

it('a group is selected by a click, and opens by a second one or by Enter', async () => {
  show('')
  const group = await screen.findByRole('button', { name: /^2 waiters/ })
  fireEvent.click(group, { detail: 1 })
  await waitFor(() => expect(window.location.search).toBe('?node=g'))
  fireEvent.click(await screen.findByRole('button', { name: /^2 waiters/ }), { detail: 1 })
  fireEvent.click(document.body, { detail: 2 }) // the inspector took the room where the group was
  await waitFor(() => expect(window.location.search).toBe('?open=g'))
  fireEvent.keyDown(await screen.findByRole('button', { name: /^2 waiters/ }), { key: 'Enter' })
  await waitFor(() => expect(window.location.search).toBe('?open=g'))
})

it('names the root of the whole stall as the overview does, and leads to it', async () => {
  show('?at=2026-11-20T22:20:16Z')
  const root = await screen.findByTestId('stall-root')
  expect(root.textContent).toBe('session 390')
  expect(root.parentElement?.textContent).toContain('94')
  fireEvent.click(root)
  await waitFor(() => expect(window.location.search).toContain('node=h'))
  expect(window.location.search).toContain('at=2026-11-20T22%3A20%3A15Z')
})

it('lists the graph in words for a screen reader, and explains its signs', async () => {
  show('')
  const list = await screen.findByTestId('wait-list')
  expect([...list.children].map((row) => row.textContent)).toEqual([
    'Level 1: trx 26478, root holder, blocks 2',
    'Level 2: 2 waiters, waiters',
  ])
  const legend = screen.getByRole('list', { name: 'Legend' })
  for (const words of [
    'root: blocks others',
    'waits',
    'thread',
    'group',
    'latch',
    'sessions blocked',
  ])
    within(legend).getAllByText(new RegExp(words))
})

it('a tooltip opens at a box under the pointer, and Escape closes it', async () => {
  show('')
  const group = await screen.findByRole('button', { name: /^2 waiters/ })
  fireEvent.pointerEnter(group)
  const tip = await screen.findByRole('tooltip')
  expect(tip.textContent).toContain('Enter or a double click opens the group.')
  fireEvent.keyDown(window, { key: 'Escape' })
  await waitFor(() => expect(screen.queryByRole('tooltip')).toBeNull())
})
