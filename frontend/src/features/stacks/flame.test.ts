import { describe, expect, it } from 'vitest'
import {
  change,
  type FlameNode,
  foldLibraries,
  foldTrunk,
  functionRows,
  hits,
  inverted,
  sandwich,
} from './flame'
import { moduleOf } from './modules'
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
  it.each([
    ['row_search_mvcc', 'innodb'],
    ['PolicyMutex<TTASEventMutex<BlockMutexPolicy> >::enter', 'innodb'],
    ['ha_innobase::index_read', 'innodb'],
    ['lock_wait_suspend_thread', 'innodb'],
    ['lock_tables', 'sql'],
    ['MDL_context::acquire_lock', 'sql'],
    ['do_command', 'sql'],
    ['log_slow_statement', 'sql'],
    ['MYSQL_BIN_LOG::ordered_commit', 'replication'],
    ['Write_rows_log_event::do_exec_row', 'replication'],
    ['handle_slave_sql', 'replication'],
    ['vio_socket_io_wait', 'network'],
    ['my_net_read', 'network'],
    ['rocksdb::DBImpl::Write', 'engine'],
    ['__fdatasync', 'system'],
    ['___pthread_cond_wait', 'system'],
    ['clone3', 'system'],
    ['libaio::??', 'system'],
    ['??', 'unknown'],
    ['0x00007f12ab', 'unknown'],
  ])('%s is of %s', (name, module) => {
    expect(moduleOf(name)).toBe(module)
  })

  it('compares threads per sample, not sums', () => {
    expect(change(node('f', 0, 10, { total_b: 30 }), 1, 3)).toBe(0)
    expect(change(node('f', 0, 0, { total_b: 3 }), 5, 1)).toBe(1)
    expect(change(node('f', 0, 0), 0, 0)).toBe(0)
  })
})

describe('the trunk', () => {
  /** A chain of this length below the root, with a side branch at its second frame. */
  const chain = (length: number, side: number) => {
    const nodes = [node('all', -1, 100)]
    for (let at = 0; at < length; at++)
      nodes.push(node(`f${at}`, at === 0 ? 0 : nodes.length - 1, 100 - (at > 1 ? side : 0)))
    if (side > 0) nodes.push(node('side', 2, side, { self: side }))
    return nodes
  }
  const sums = (nodes: readonly FlameNode[]) =>
    nodes.map((_, at) =>
      nodes.filter(({ parent }) => parent === at).reduce((sum, { total }) => sum + total, 0),
    )

  it('is one box for what nearly all share, and the innermost frames stay', () => {
    const folded = foldTrunk(chain(18, 5))
    const [all, trunk, next] = folded
    expect(all?.name).toBe('all')
    expect(trunk?.trunk).toEqual(['f0', 'f1', 'f2', 'f3', 'f4', 'f5', 'f6', 'f7'])
    expect(trunk).toMatchObject({ name: 'f0 … f7', parent: 0, total: 95 })
    expect(next).toMatchObject({ name: 'f8', parent: 1 })
    expect(folded.find(({ name }) => name === 'side')).toMatchObject({ parent: 0, total: 5 })
    expect(folded).toHaveLength(1 + 1 + 10 + 1)
  })

  it('is a law of any tree: no box is wider than its caller, and none is lost below the trunk', () => {
    for (let seed = 1; seed < 60; seed++) {
      const nodes = chain(4 + (seed % 20), seed % 30)
      const folded = foldTrunk(nodes)
      folded.forEach((item, at) => {
        expect(item.parent).toBeLessThan(at)
        expect(sums(folded)[at]).toBeLessThanOrEqual(item.total)
      })
      const names = new Set(folded.flatMap((item) => item.trunk ?? [item.name]))
      expect(names.size).toBe(nodes.length)
    }
  })

  it('stays open where stacks are short or branch early', () => {
    expect(foldTrunk(chain(9, 0))).toEqual(chain(9, 0))
    expect(foldTrunk(chain(20, 40)).some(({ trunk }) => trunk)).toBe(false)
    expect(foldTrunk([])).toEqual([])
  })

  it('of inverted stacks is waiting itself: the frames of libraries', () => {
    const names = [
      '__futex_wait',
      '__lll_lock_wait',
      '___pthread_cond_wait',
      'os_event::wait_low',
      'buf_page_get',
    ]
    const nodes = [node('all', -1, 9), ...names.map((name, at) => node(name, at, 9))]
    expect(foldLibraries(nodes).map(({ name }) => name)).toEqual([
      'all',
      '__futex_wait … ___pthread_cond_wait',
      'os_event::wait_low',
      'buf_page_get',
    ])
    expect(foldLibraries(nodes.slice(0, 3))).toHaveLength(3)
  })

  it('is found by the functions in it', () => {
    const tree = treeOf(foldTrunk(chain(18, 0)))
    expect([...hits(tree, 'f3').indexes]).toEqual([1])
  })
})

describe('inverted', () => {
  it('begins with what threads do, and goes on to who called it', () => {
    const self = NODES.map((item) => ({
      ...item,
      self: item.name === 'futex_wait' ? item.total : 0,
    }))
    const withOwn = self.map((item) => (item.name === 'write' ? { ...item, self: 1 } : item))
    const paths = inverted(withOwn).map(({ name, parent, total }) => [name, parent, total])
    expect(paths).toEqual([
      ['all', -1, 10],
      ['futex_wait', 0, 9],
      ['write', 0, 1],
      ['read', 1, 6],
      ['write', 1, 3],
      ['main', 2, 1],
      ['main', 3, 6],
      ['main', 4, 3],
    ])
  })
})
