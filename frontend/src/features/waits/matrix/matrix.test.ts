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
    const found = matrixOf(
      graph(
        [node('a'), node('b'), node('l', 1), node('m', 2)],
        [edge('a', 'l'), edge('b', 'm', 3), edge('l', 'b')],
      ),
    )
    expect(found.rows.map((one) => one.id)).toEqual(['l', 'a', 'b'])
    expect(found.columns.map((one) => one.id)).toEqual(['m', 'l', 'b'])
    expect(found.cell('b', 'm')?.count).toBe(3)
    expect(found.cell('a', 'm')).toBeUndefined()
    expect(found.left).toBe(0)
  })
  it('says how many it leaves out', () => {
    const many = Array.from({ length: 5000 }, (_, at) => node(`n${at}`))
    const found = matrixOf(
      graph(
        [...many, node('l', 9)],
        many.map((one) => edge(one.id, 'l')),
      ),
    )
    expect(found.rows).toHaveLength(MOST_SIDES)
    expect(found.columns).toHaveLength(1)
    expect(found.left).toBe(5000 - MOST_SIDES)
  })
})
