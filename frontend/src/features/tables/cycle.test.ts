import { describe, expect, it } from 'vitest'
import { cycleText, layoutCycle, lockWords, NODE_H, NODE_W } from './cycle'

const trx = (number: number, victim = false) => ({
  number,
  trx_id: String(100 + number),
  session_id: 10 + number,
  active_s: 1,
  query: 'UPDATE t SET a=1',
  shape: 'UPDATE t SET a=?',
  holds: [],
  waits_for: null,
  victim,
})
const edge = (waiter: number, holder: number, held: string | null = 'record app.b PRIMARY X') => ({
  waiter,
  holder,
  lock: 'record app.b PRIMARY X locks rec but not gap',
  held,
  inferred: held === null,
})
const two = { transactions: [trx(1), trx(2, true)], edges: [edge(1, 2), edge(2, 1)] }

const ring = (n: number) => ({
  transactions: Array.from({ length: n }, (_, at) => trx(at + 1)),
  edges: Array.from({ length: n }, (_, at) => edge(at + 1, ((at + 1) % n) + 1, null)),
})

describe('the cycle of a deadlock', () => {
  it('puts two side by side, with the ways there and back apart', () => {
    const { nodes, edges, width, height } = layoutCycle(two)
    expect(nodes.map((node) => node.y)).toEqual([height / 2, height / 2])
    expect((nodes[1]?.x ?? 0) - (nodes[0]?.x ?? 0)).toBeGreaterThan(NODE_W)
    expect(edges[0]?.labelY).toBeLessThan(height / 2 - 20)
    expect(edges[1]?.labelY).toBeGreaterThan(height / 2 + 20)
    expect(width).toBeGreaterThan(2 * NODE_W)
  })
  it.each([1, 2, 3, 5, 12])('keeps %i transactions inside and off each other', (n) => {
    const { nodes, edges, width, height } = layoutCycle(ring(n))
    expect(nodes).toHaveLength(n)
    expect(edges).toHaveLength(n === 1 ? 0 : n)
    for (const node of nodes) {
      expect(node.x - NODE_W / 2).toBeGreaterThanOrEqual(0)
      expect(node.x + NODE_W / 2).toBeLessThanOrEqual(width)
      expect(node.y - NODE_H / 2).toBeGreaterThanOrEqual(0)
      expect(node.y + NODE_H / 2).toBeLessThanOrEqual(height)
    }
    const apart = nodes.every((a, i) =>
      nodes.every(
        (b, j) => i === j || Math.abs(a.x - b.x) > NODE_W / 2 || Math.abs(a.y - b.y) > NODE_H / 2,
      ),
    )
    expect(apart).toBe(true)
  })
  it('draws nothing of none, and no edge to who is not there', () => {
    expect(layoutCycle({ transactions: [], edges: [] }).nodes).toEqual([])
    expect(layoutCycle({ transactions: [trx(1)], edges: [edge(1, 9)] }).edges).toEqual([])
  })
  it('says the same in words', () => {
    expect(cycleText(two)).toEqual([
      '(1) transaction 101 of session 11 waits for record app.b PRIMARY X locks rec but not gap, held by (2) transaction 102 of session 12 as record app.b PRIMARY X.',
      '(2) transaction 102 of session 12 waits for record app.b PRIMARY X locks rec but not gap, held by (1) transaction 101 of session 11 as record app.b PRIMARY X.',
      'The server rolled back (2) transaction 102 of session 12.',
    ])
    expect(cycleText(ring(3))[0]).toContain('inferred from the order of the dump')
  })
  it('reads a lock', () => {
    expect(lockWords('record app.b PRIMARY X locks rec but not gap')).toEqual([
      'X locks rec but not gap',
      'PRIMARY of app.b',
    ])
    expect(lockWords('table app.b IX')).toEqual(['IX', 'table app.b'])
  })
})
