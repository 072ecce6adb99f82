import { describe, expect, it } from 'vitest'
import { BLANK_EDGE, completeNode } from './defaults'
import { connected, layoutWaitGraph, ROW, type WaitEdge, type WaitNode } from './layout'

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
    const { nodes: placed, height } = layoutWaitGraph({ nodes, edges: [] }, 800)
    const ys = placed.map((p) => p.y).sort((a, b) => a - b)
    expect(new Set(ys).size).toBe(1000)
    expect((ys[1] ?? 0) - (ys[0] ?? 0)).toBe(ROW)
    expect(height).toBeGreaterThanOrEqual(1000 * ROW)
  })

  it('keeps waiters beside what they wait for, so that edges do not cross', () => {
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
    expect(layoutWaitGraph({ nodes: [], edges: [] }, 900)).toEqual({
      nodes: [],
      edges: [],
      width: 0,
      height: 0,
    })
  })
})

describe('connected', () => {
  it('follows waits in both directions, through cycles', () => {
    const edges = [edge('a', 'b'), edge('b', 'c'), edge('c', 'a'), edge('x', 'y')]
    expect([...connected(edges, 'b')].sort()).toEqual(['a', 'b', 'c'])
  })
})
