import { describe, expect, it } from 'vitest'
import { BLANK_EDGE, BLANK_NODE } from '../defaults'
import type { WaitEdge, WaitGraph, WaitNode } from '../waitGraph'
import { matrixOf, MOST_SIDES } from './matrix'

const graph = (nodes: WaitNode[], edges: WaitEdge[]) => ({ nodes, edges }) as unknown as WaitGraph
const node = (id: string, blocks_total = 0): WaitNode => ({ ...BLANK_NODE, id, blocks_total })
const edge = (source: string, target: string, count = 1): WaitEdge => ({
  ...{ ...BLANK_EDGE, source, target, count },
})

describe('the matrix', () => {
  it('has what waits as rows and what it waits for as columns, the most blocking first', () => {
    const matrix = matrixOf(
      graph(
        [node('a'), node('b'), node('l', 1), node('m', 2)],
        [edge('a', 'l'), edge('b', 'm', 3), edge('l', 'b')],
      ),
    )
    expect(matrix.rows.map((row) => row.id)).toEqual(['l', 'a', 'b'])
    expect(matrix.columns.map((column) => column.id)).toEqual(['m', 'l', 'b'])
    expect(matrix.cell('b', 'm')?.count).toBe(3)
    expect(matrix.cell('a', 'm')).toBeUndefined()
    expect(matrix.left).toBe(0)
  })
  it('says how many it leaves out', () => {
    const many = Array.from({ length: 5000 }, (_, at) => node(`n${at}`))
    const matrix = matrixOf(
      graph(
        [...many, node('l', 9)],
        many.map((item) => edge(item.id, 'l')),
      ),
    )
    expect(matrix.rows).toHaveLength(MOST_SIDES)
    expect(matrix.columns).toHaveLength(1)
    expect(matrix.left).toBe(5000 - MOST_SIDES)
  })
})
