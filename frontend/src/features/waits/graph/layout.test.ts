import { describe, expect, it } from 'vitest'
import { BLANK_EDGE, completeNode } from '../defaults'
import { graphSvg, nearSvg } from './drawing'
import {
  type GraphLayout,
  layoutWaitGraph,
  LEAST_FIT,
  needOf,
  type PlacedNode,
  ROW,
  visibleIn,
} from './layout'
import { blockersOf, connected, waitersOf } from '@/charts/graphWalk'
import type { WaitEdge, WaitGraph, WaitNode } from '../waitGraph'
import { stepGraph } from './keyboardSteps'
import { edgeClaim } from '../nodeText'

const node = (id: string, depth: number, more: Partial<WaitNode> = {}): WaitNode =>
  completeNode({ id, depth, label: id, root: depth === 0, waiting: depth > 0, ...more })

const edge = (source: string, target: string, more: Partial<WaitEdge> = {}): WaitEdge => ({
  ...BLANK_EDGE,
  source,
  target,
  ...more,
})

describe('layoutWaitGraph', () => {
  it('puts the root at the left and waiters to the right', () => {
    const { nodes } = layoutWaitGraph(
      { nodes: [node('w', 2), node('row', 1), node('holder', 0)], edges: [] },
      1200,
    )
    const x = Object.fromEntries(nodes.map((p) => [p.node.id, p.x]))
    expect(x['holder']).toBeLessThan(x['row'] ?? 0)
    expect(x['row']).toBeLessThan(x['w'] ?? 0)
  })

  it('never overlaps two boxes of a column', () => {
    const nodes = Array.from({ length: 1000 }, (_, i) => node(`w${i}`, 1))
    const { nodes: placed, height, dense } = layoutWaitGraph({ nodes, edges: [] }, 800)
    expect(dense).toBe(true)
    const ys = placed.map((p) => p.y).sort((a, b) => a - b)
    expect(new Set(ys).size).toBe(1000)
    expect((ys[1] ?? 0) - (ys[0] ?? 0)).toBe(ROW)
    expect(height).toBeGreaterThanOrEqual(1000 * ROW)
  })

  it('keeps waiters next to what they wait for, so that edges do not cross', () => {
    const { nodes } = layoutWaitGraph(
      {
        nodes: [
          node('a', 0, { blocks_total: 9 }),
          node('b', 0, { blocks_total: 1 }),
          node('waits-for-b', 1),
          node('waits-for-a', 1),
        ],
        edges: [edge('waits-for-a', 'a'), edge('waits-for-b', 'b')],
      },
      900,
    )
    const y = Object.fromEntries(nodes.map((p) => [p.node.id, p.y]))
    expect(y['a']).toBeLessThan(y['b'] ?? 0)
    expect(y['waits-for-a']).toBeLessThan(y['waits-for-b'] ?? 0)
  })

  it('drops an edge whose node is not shown, and bends one inside a column', () => {
    const { edges } = layoutWaitGraph(
      { nodes: [node('a', 0), node('b', 0)], edges: [edge('a', 'b'), edge('a', 'gone')] },
      900,
    )
    expect(edges).toHaveLength(1)
    expect(edges[0]?.path).toContain('C')
  })

  it('is empty for an empty graph', () => {
    expect(layoutWaitGraph({ nodes: [], edges: [] }, 900)).toMatchObject({
      nodes: [],
      columns: [],
      edges: [],
      width: 0,
      height: 0,
      dense: false,
    })
  })

  it('breaks labels once more where the least readable zoom would not show the whole', () => {
    const chain = Array.from({ length: 5 }, (_, at) =>
      node(`n${at}`, at, { label: 'thread 140566536898240', blocks_total: 5 - at }),
    )
    const layout = (room: number) => layoutWaitGraph({ nodes: chain, edges: [] }, room)
    expect(layout(2000).frame.lines).toBe(1)
    expect(layout(800).frame.lines).toBe(2)
    expect(layout(640).frame.lines).toBe(3)
    expect(layout(640).width * LEAST_FIT).toBeLessThanOrEqual(640)
  })

  it('shows twelve columns at 1280 px beside the sidebar, addresses and ids in one piece', () => {
    const chain = Array.from({ length: 12 }, (_, at) =>
      node(`n${at}`, at, {
        label: at % 2 ? 'page latch (buf0buf.cc:1460)' : 'thread 140566536898240',
        blocks_total: 113 - at,
      }),
    )
    const layout = layoutWaitGraph({ nodes: chain, edges: [] }, 1080)
    expect(layout.width * LEAST_FIT).toBeLessThanOrEqual(1080)
    for (const { width } of layout.nodes) expect(width - 16).toBeGreaterThanOrEqual(108)
  })

  it('shows the whole graph: cards lose lines, then become rows with a text, then without', () => {
    const nodes = Array.from({ length: 12 }, (_, at) =>
      node(`session ${at}`, at % 2, { blocks_total: 12 - at, shape: 'SELECT a FROM t '.repeat(9) }),
    )
    const layout = (room: number) => layoutWaitGraph({ nodes, edges: [] }, 900, null, room)
    const kinds = [2000, 480, 420, 240, 150].map((room) => {
      const { height, dense, nodes: placed } = layout(room)
      expect(height * LEAST_FIT).toBeLessThanOrEqual(room)
      return dense ? `rows, text ${placed[0]?.row?.text}` : `cards, ${placed[0]?.card?.lines} lines`
    })
    expect(kinds).toEqual([
      'cards, 3 lines',
      'cards, 1 lines',
      'cards, 0 lines',
      'rows, text true',
      'rows, text false',
    ])
    // Where nothing shows the whole, the cards scroll.
    expect(layout(60).height).toBe(layout(2000).height)
  })

  it('breaks labels into two lines before it is wider than its view', () => {
    const label = 'trx 8812431 · session 390 of app'
    const nodes = Array.from({ length: 90 }, (_, at) => node(`n${at}`, at % 3, { label }))
    const roomy = layoutWaitGraph({ nodes, edges: [] }, 1200)
    const tight = layoutWaitGraph({ nodes, edges: [] }, 730)
    expect(roomy.nodes[0]?.height).toBeLessThan(tight.nodes[0]?.height ?? 0)
    expect(tight.width).toBeLessThanOrEqual(730)
    const first = tight.nodes[0]
    expect(2 * ((first?.width ?? 0) - 40)).toBeGreaterThan(label.length * 7.25)
  })
})

describe('cards', () => {
  const holder = node('holder', 0, { blocks_total: 170 })
  const lock = node('lock', 1, { kind: 'metadata_lock', blocks_total: 170, waiting: false })
  const few = Array.from({ length: 5 }, (_, at) => node(`w${at}`, 2, { blocks_total: at }))
  const many = node('many', 2, { kind: 'group', of: 'thread', members: 160 })
  const nodes = [holder, lock, ...few, many]
  const edges = [
    edge('lock', 'holder', { kind: 'held_by' }),
    ...[...few, many].map(({ id }) => edge(id, 'lock')),
  ]
  const placeOf = (layout: GraphLayout, id: string) =>
    layout.nodes.find((placed) => placed.node.id === id) as PlacedNode

  it('are the higher and the further up the more sessions are behind or in them', () => {
    const layout = layoutWaitGraph({ nodes, edges }, 1400)
    const column = layout.columns[2] ?? []
    expect(column.map(({ node }) => node.id)).toEqual(['many', 'w4', 'w3', 'w2', 'w1', 'w0'])
    const heights = column.map(({ height }) => height)
    expect(heights).toEqual([...heights].sort((a, b) => b - a))
    expect(placeOf(layout, 'many').height).toBeGreaterThan(1.5 * placeOf(layout, 'w0').height)
  })

  it('never overlap, whatever was shown before', () => {
    for (let round = 0; round < 40; round++) {
      let before: GraphLayout | null = null
      for (let moment = 0; moment < 6; moment++) {
        const shown = nodes
          .filter((_, at) => at < 2 || (round * 7 + moment * 3 + at * 5) % 4 > 0)
          .map((item, at) => ({ ...item, blocks_total: (round * at * 31 + moment * 17) % 200 }))
        before = layoutWaitGraph({ nodes: shown, edges }, 1400, before)
        expect(before.nodes).toHaveLength(shown.length)
        for (const column of before.columns)
          column.slice(1).forEach((box, at) => {
            const above = column[at] as PlacedNode
            expect(box.y).toBeGreaterThanOrEqual(above.y + above.height)
          })
      }
    }
  })

  it('that stay keep their place when others come and go', () => {
    const before = layoutWaitGraph({ nodes, edges }, 1400)
    const fresh = node('new', 2, { blocks_total: 1 })
    const after = layoutWaitGraph(
      {
        nodes: [holder, lock, many, ...few.filter(({ id }) => id !== 'w3'), fresh],
        edges: [...edges, edge('new', 'lock')],
      },
      1400,
      before,
    )
    for (const id of ['holder', 'lock', 'many', 'w4', 'w2', 'w1', 'w0']) {
      const [was, is] = [placeOf(before, id), placeOf(after, id)]
      expect([is.x, is.y]).toEqual([was.x, was.y])
    }
    expect(placeOf(after, 'new').y).toBe(placeOf(before, 'w3').y)
  })

  it.each([1, 2, 3, 4, 5, 6])('never move while they stay, in any playback (%i)', (seed) => {
    let state = seed
    const upTo = (most: number) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return Math.floor((state / 2 ** 32) * most)
    }
    const any = () => {
      const shown = Array.from({ length: 4 + upTo(seed * 25) }, (_, at) =>
        node(`n${upTo(40) + at * 2}`, upTo(5), {
          label: 'n'.repeat(1 + upTo(50)),
          blocks_total: upTo(200),
        }),
      )
      const unique = [...new Map(shown.map((item) => [item.id, item])).values()]
      const one = () => unique[upTo(unique.length)]?.id ?? ''
      return { nodes: unique, edges: unique.map(() => edge(one(), one())) }
    }
    let before = layoutWaitGraph(any(), 1200)
    for (let moment = 0; moment < 25; moment++) {
      const after = layoutWaitGraph(any(), 1200, before)
      const was = new Map(before.nodes.map((box) => [box.key, box]))
      for (const box of after.nodes) {
        const old = was.get(box.key)
        if (old) expect([box.key, box.x, box.y]).toEqual([box.key, old.x, old.y])
      }
      for (const column of after.columns)
        for (const [at, box] of column.slice(1).entries()) {
          const above = column[at] as PlacedNode
          expect(box.y).toBeGreaterThanOrEqual(above.y + above.height)
        }
      before = after
    }
  })

  it('keep column and top when roles change, and an arrow points where the order is broken', () => {
    const chain = ['a', 'b', 'c', 'd'].map((id, depth) => node(id, depth))
    const links = [edge('b', 'a'), edge('c', 'b'), edge('d', 'c')]
    const before = layoutWaitGraph({ nodes: chain, edges: links }, 1400)
    const turned = [node('b', 0), node('a', 1), node('c', 1), node('d', 2), node('e', 1)]
    const after = layoutWaitGraph(
      { nodes: turned, edges: [...links.slice(1), edge('a', 'b'), edge('e', 'b')] },
      1400,
      before,
    )
    for (const id of ['a', 'b', 'c', 'd'])
      expect([placeOf(after, id).x, placeOf(after, id).y]).toEqual([
        placeOf(before, id).x,
        placeOf(before, id).y,
      ])
    expect(placeOf(after, 'e').x).toBe(placeOf(before, 'c').x)
    const arrows = after.edges.filter(({ backward }) => backward)
    expect(arrows.map(({ edge: { source, target } }) => [source, target])).toEqual([['a', 'b']])
  })

  it('return to their places, unless another has taken them', () => {
    const whole = layoutWaitGraph({ nodes, edges }, 1400)
    const without = nodes.filter(({ id }) => id !== 'w2')
    const gone = layoutWaitGraph({ nodes: without, edges }, 1400, whole)
    const back = layoutWaitGraph({ nodes, edges }, 1400, gone)
    expect(placeOf(back, 'w2').y).toBe(placeOf(whole, 'w2').y)
  })

  it('keep the identity that the engine gives over the moments', () => {
    const first = layoutWaitGraph(
      { nodes: [node('thread:1', 0, { lasting: 'session:9' })], edges: [] },
      900,
    )
    expect(first.nodes[0]?.key).toBe('session:9')
    const twins = [node('a', 0, { lasting: 'latch:x' }), node('b', 0, { lasting: 'latch:x' })]
    const keys = layoutWaitGraph({ nodes: twins, edges: [] }, 900).nodes.map(({ key }) => key)
    expect(keys).toEqual(['a', 'b'])
  })
})

describe('the picture of a pin', () => {
  it('shows a node with its neighbours and nothing else', () => {
    const nodes = [node('lock', 0, { blocks_total: 9 }), node('far', 1)]
    const waiters = Array.from({ length: 100 }, (_, at) => node(`w${at}`, 1))
    const whole = {
      ...{ nodes: [...nodes, ...waiters], cycles: [], headline: '', difference: '' },
      edges: waiters.map((waiter) => edge(waiter.id, 'lock')),
    } as unknown as WaitGraph
    const svg = nearSvg(whole, ['lock'], 'lock has 9 behind it')
    expect(svg).toContain('>w0<')
    expect(svg).not.toContain('far')
    expect(svg.match(/<path/g)).toHaveLength(24)
    const item = edge('w1', 'lock', { mode: 'X', count: 3, inferred: true })
    expect(edgeClaim(item, (id) => id)).toBe('w1 waits for lock for X (3 threads), inferred')
  })
})

/** A hub that 4,000 wait for, and 500 latches, each held by a thread and wanted by another. */
function fiveThousand() {
  const nodes = [node('holder', 0, { blocks_total: 4000 }), node('row', 1, { blocks_total: 4000 })]
  const edges = [edge('row', 'holder', { kind: 'held_by' })]
  for (let i = 0; i < 4000; i++) {
    nodes.push(node(`w${i}`, 2))
    edges.push(edge(`w${i}`, 'row'))
  }
  for (let i = 0; i < 333; i++) {
    nodes.push(node(`h${i}`, 0), node(`l${i}`, 1, { kind: 'latch' }), node(`x${i}`, 2))
    edges.push(edge(`l${i}`, `h${i}`, { kind: 'held_by' }), edge(`x${i}`, `l${i}`))
  }
  return { nodes, edges }
}

describe('five thousand nodes', () => {
  const graph = fiveThousand()
  const begun = performance.now()
  const layout = layoutWaitGraph(graph, 1200)
  const took = performance.now() - begun

  it('are placed in three columns, each node once, each edge drawn', () => {
    process.stdout.write(
      `layout of ${graph.nodes.length} nodes and ${graph.edges.length} edges: ${took.toFixed(1)} ms\n`,
    )
    expect(layout.nodes).toHaveLength(graph.nodes.length)
    expect(layout.edges).toHaveLength(graph.edges.length)
    expect(layout.columns.map((column) => column.length)).toEqual([334, 334, 4333])
    const places = new Set(layout.nodes.map((node) => `${node.x}:${node.y}`))
    expect(places.size).toBe(graph.nodes.length)
    const holder = layout.columns[0]?.[0]?.node.id
    expect([holder, layout.columns[1]?.[0]?.node.id]).toEqual(['holder', 'row'])
  })

  it('cost what is in sight to draw', () => {
    const top = visibleIn(layout, { left: 0, top: 0, right: 1200, bottom: 800 })
    expect(top.nodes.length).toBeLessThan(100)
    expect(top.edges.length).toBeLessThan(100)
    const deep = visibleIn(layout, { left: 0, top: 60_000, right: 1200, bottom: 60_800 })
    expect(deep.nodes.length).toBeLessThan(40)
    expect(deep.nodes.every((node) => node.y >= 59_900 && node.y <= 60_900)).toBe(true)
    // one per waiter in sight, and one for all that pass by
    expect(Math.abs(deep.edges.length - deep.nodes.length)).toBeLessThanOrEqual(2)
    expect(Math.max(...deep.edges.map((edge) => edge.path.length))).toBeLessThan(200)
  })

  it('are written as one drawing', () => {
    const whole = { ...graph, cycles: [], headline: 'A & B', difference: '' } as never
    const svg = graphSvg(whole, 'title')
    expect(svg.match(/<path /g)).toHaveLength(graph.edges.length)
    expect(svg).toContain('A &amp; B')
  })
})

describe('columns', () => {
  it('give labels the room they need before details get any', () => {
    const label = 'trx 26478 · session 390'
    const graph = {
      nodes: [
        node('a', 0, { label, blocks_total: 300 }),
        node('b', 1, { label: 'row of app.campaign (PRIMARY)', blocks_total: 300 }),
        ...Array.from({ length: 70 }, (_, at) => node(`c${at}`, 2, { label: '300 waiters' })),
      ],
      edges: [],
    }
    const narrow = layoutWaitGraph(graph, 740)
    expect(narrow.width).toBeLessThanOrEqual(740)
    for (const item of narrow.nodes)
      expect(item.width).toBeGreaterThanOrEqual(needOf(item.node) - 1)
  })
})

describe('stepGraph', () => {
  const layout = layoutWaitGraph(
    {
      nodes: [node('r', 0), node('s', 0), node('l', 1), node('w1', 2), node('w2', 2)],
      edges: [edge('l', 'r', { kind: 'held_by' }), edge('w1', 'l'), edge('w2', 'l')],
    },
    900,
  )
  it('walks along a column and along the edges', () => {
    expect(stepGraph(layout, 'r', 'ArrowDown')).toBe('s')
    expect(stepGraph(layout, 's', 'k')).toBe('r')
    expect(stepGraph(layout, 'r', 'ArrowUp')).toBeNull()
    expect(stepGraph(layout, 'r', 'ArrowRight')).toBe('l')
    expect(stepGraph(layout, 'l', 'ArrowRight')).toBe('w1')
    expect(stepGraph(layout, 'w2', 'ArrowLeft')).toBe('l')
    expect(stepGraph(layout, 'w1', 'End')).toBe('w2')
    expect(stepGraph(layout, 'w1', 'x')).toBeNull()
  })
  it('goes to the next column where no edge leads, and starts at the first node', () => {
    expect(stepGraph(layout, 's', 'ArrowRight')).toBe('l')
    expect(stepGraph(layout, 'nobody', 'j')).toBe('r')
  })
})

describe('connected', () => {
  it('follows waits in both directions, through cycles', () => {
    const edges = [edge('a', 'b'), edge('b', 'c'), edge('c', 'a'), edge('x', 'y')]
    expect([...connected(edges, 'b')].sort()).toEqual(['a', 'b', 'c'])
  })
})

it('lists the blockers of a node, the nearest first, also in a cycle', () => {
  const edges = [edge('w', 'row'), edge('row', 'holder'), edge('holder', 'latch')]
  expect(blockersOf(edges, 'w')).toEqual(['row', 'holder', 'latch'])
  expect(blockersOf([...edges, edge('latch', 'w')], 'row')).toEqual(['holder', 'latch', 'w'])
  expect(blockersOf(edges, 'latch')).toEqual([])
  expect(waitersOf(edges, 'holder')).toContain('w')
})
