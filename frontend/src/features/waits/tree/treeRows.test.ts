import { describe, expect, it } from 'vitest'
import type { WaitEdge, WaitNode } from '../waitGraph'
import { stepTree, treeRows } from './treeRows'

const node = (id: string, depth: number, blocks = 0) =>
  ({ id, depth, label: id, blocks_total: blocks, members: 1 }) as WaitNode
const edge = (source: string, target: string) => ({ source, target }) as WaitEdge

const graph = {
  nodes: [node('root', 0, 3), node('row', 1, 3), node('a', 2), node('b', 2, 1), node('c', 3)],
  edges: [edge('row', 'root'), edge('a', 'row'), edge('b', 'row'), edge('c', 'b')],
}
const open = new Set<string>()
const outline = (rows: ReturnType<typeof treeRows>) => rows.map((row) => `${row.level} ${row.key}`)

describe('rows of the tree', () => {
  it('go from the root to the waiters, those that block more first', () => {
    expect(outline(treeRows(graph, open))).toEqual(['1 root', '2 row', '3 b', '4 c', '3 a'])
  })
  it('hide what waits behind a closed row', () => {
    const rows = treeRows(graph, new Set(['row']))
    expect(outline(rows)).toEqual(['1 root', '2 row'])
    expect(rows[1]).toMatchObject({ behind: 2, expanded: false })
  })
  it('name a shared waiter again without opening it out twice', () => {
    const shared = { nodes: graph.nodes, edges: [...graph.edges, edge('b', 'root')] }
    const rows = treeRows(shared, open)
    expect(rows.filter((row) => row.node.id === 'b').map((row) => row.again)).toEqual([false, true])
    expect(new Set(rows.map((row) => row.key)).size).toBe(rows.length)
  })
  it('end in a circle without a root', () => {
    const circle = {
      nodes: [node('x', 1), node('y', 1)],
      edges: [edge('x', 'y'), edge('y', 'x')],
    }
    const rows = treeRows(circle, open)
    expect(outline(rows)).toEqual(['1 x', '2 y', '3 x@2'])
    expect(rows[2]?.again).toBe(true)
  })
})

describe('keys in the tree', () => {
  const rows = treeRows(graph, open)
  it('arrows walk, left goes to what it waits for, right opens', () => {
    expect(stepTree(rows, 0, 'ArrowDown')).toEqual({ move: 1 })
    expect(stepTree(rows, 0, 'ArrowUp')).toBeNull()
    expect(stepTree(rows, 4, 'ArrowLeft')).toEqual({ move: 1 })
    expect(stepTree(rows, 1, 'ArrowLeft')).toEqual({ toggle: 'row' })
    expect(stepTree(treeRows(graph, new Set(['row'])), 1, 'ArrowRight')).toEqual({ toggle: 'row' })
    expect(stepTree(rows, 1, 'ArrowRight')).toEqual({ move: 2 })
    expect(stepTree(rows, 2, 'End')).toEqual({ move: 4 })
    expect(stepTree(rows, 4, 'ArrowDown')).toBeNull()
    expect(stepTree(rows, 4, 'x')).toBeNull()
  })
})
