import { describe, expect, it } from 'vitest'
import { change, type FlameNode, functionRows, hits, sandwich, toneOf } from './flame'
import { treeOf } from '@/charts/flame'

const node = (name: string, parent: number, total: number, more: Partial<FlameNode> = {}) => ({
  name,
  parent,
  total,
  self: 0,
  total_b: 0,
  self_b: 0,
  ...more,
})

// all(10) > main(10) > read(6) > futex_wait(6); main > write(4) > futex_wait(3)
const NODES: FlameNode[] = [
  node('all', -1, 10),
  node('main', 0, 10),
  node('read', 1, 6),
  node('write', 1, 4),
  node('futex_wait', 2, 6),
  node('futex_wait', 3, 3),
]

describe('functions', () => {
  it('are counted once per thread, also where they call themselves', () => {
    const rows = functionRows(treeOf([...NODES, node('main', 2, 2)]))
    const total = Object.fromEntries(rows.map((row) => [row.name, row.total]))
    expect(total).toEqual({ main: 10, read: 6, write: 4, futex_wait: 9 })
  })

  it('are sorted by name or by width among siblings', () => {
    const nodes = [node('all', -1, 9), node('z', 0, 8), node('a', 0, 1)]
    const names = (order: 'name' | 'heavy') =>
      treeOf(nodes, order).children[0]?.map((index) => nodes[index]?.name)
    expect(names('heavy')).toEqual(['z', 'a'])
    expect(names('name')).toEqual(['a', 'z'])
  })
})

describe('sandwich', () => {
  it('merges every place of a function: its callers and its callees', () => {
    const { callers, callees } = sandwich(treeOf(NODES), 'futex_wait')
    expect(callees[0]).toMatchObject({ name: 'futex_wait', total: 9 })
    expect(callers.map((caller) => [caller.name, caller.total])).toEqual([
      ['futex_wait', 9],
      ['read', 6],
      ['write', 3],
      ['main', 6],
      ['main', 3],
    ])
  })

  it('counts recursion once', () => {
    const nodes = [node('all', -1, 5), node('f', 0, 5), node('f', 1, 5)]
    expect(sandwich(treeOf(nodes), 'f').callees[0]?.total).toBe(5)
  })
})

describe('hits', () => {
  it('counts threads once, also when a hit is below a hit', () => {
    const nodes = [node('all', -1, 5), node('lock_a', 0, 5), node('lock_b', 1, 4)]
    const found = hits(treeOf(nodes), 'LOCK')
    expect(found.threads).toBe(5)
    expect([...found.indexes]).toEqual([1, 2])
    expect(hits(treeOf(nodes), ' ').threads).toBe(0)
  })
})

describe('colour', () => {
  it('says waiting, I/O or running by the name', () => {
    expect(toneOf('rw_lock_x_lock_func')).toBe('waiting')
    expect(toneOf('__fdatasync')).toBe('io')
    expect(toneOf('row_search_mvcc')).toBe('running')
    expect(toneOf('libc.so.6::??')).toBe('plain')
  })

  it('compares threads per sample, not sums', () => {
    expect(change(node('f', 0, 10, { total_b: 30 }), 1, 3)).toBe(0)
    expect(change(node('f', 0, 0, { total_b: 3 }), 5, 1)).toBe(1)
    expect(change(node('f', 0, 0), 0, 0)).toBe(0)
  })
})
