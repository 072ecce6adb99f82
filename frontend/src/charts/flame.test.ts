import { describe, expect, it } from 'vitest'
import { type FlameFrame, layoutFlame, stepFlame, treeOf, zoomStarts } from './flame'

const node = (name: string, parent: number, total: number): FlameFrame => ({
  name,
  parent,
  total,
  total_b: 0,
})

// all(10) > main(10) > read(6) > futex_wait(6); main > write(4) > futex_wait(3)
const NODES: FlameFrame[] = [
  node('all', -1, 10),
  node('main', 0, 10),
  node('read', 1, 6),
  node('write', 1, 4),
  node('futex_wait', 2, 6),
  node('futex_wait', 3, 3),
]

describe('layoutFlame', () => {
  it('gives width by threads, callees below their callers', () => {
    const boxes = layoutFlame(treeOf(NODES), 0, 1000)
    const write = boxes.find((box) => box.name === 'write')
    expect(write).toMatchObject({ x: 600, width: 400, depth: 2 })
    expect(boxes).toHaveLength(6)
  })

  it('fills the width with the focused node and keeps its callers above', () => {
    const boxes = layoutFlame(treeOf(NODES), 3, 1000)
    expect(boxes.map((box) => [box.name, box.width])).toEqual([
      ['all', 1000],
      ['main', 1000],
      ['write', 1000],
      ['futex_wait', 750],
    ])
  })

  it('leaves out what is thinner than can be seen', () => {
    expect(layoutFlame(treeOf(NODES), 0, 4, 1.5).map((box) => box.name)).not.toContain('write ')
    expect(layoutFlame(treeOf(NODES), 0, 3, 2)).toHaveLength(2)
    expect(layoutFlame(treeOf(NODES), 0, 0)).toEqual([])
    expect(layoutFlame(treeOf([]), 0, 100)).toEqual([])
  })
})

it('goes from frame to frame by the arrows', () => {
  const tree = treeOf(NODES)
  const boxes = layoutFlame(tree, 0, 1000)
  const from = (index: number, key: string) => {
    const box = boxes.find((box) => box.index === index)
    return box && stepFlame(tree, boxes, box, key)?.index
  }
  expect(from(1, 'ArrowDown')).toBe(2) // the widest
  expect(from(2, 'ArrowRight')).toBe(3)
  expect(from(3, 'ArrowLeft')).toBe(2)
  expect(from(3, 'ArrowUp')).toBe(1)
  expect(from(0, 'ArrowUp')).toBeUndefined()
  expect(from(5, 'ArrowRight')).toBeUndefined()
})

describe('zoomStarts', () => {
  const tree = treeOf(NODES)
  const view = (focus: number) => ({ focus, boxes: layoutFlame(tree, focus, 1000) })
  const starts = (from: number, to: number) => {
    const found = zoomStarts(view(from), view(to))
    return found && [...found].map(([index, { x, width }]) => [index, x, width])
  }

  it('lets a focused frame grow from its place', () => {
    expect(starts(0, 3)).toEqual([
      [0, 0, 1000],
      [1, 0, 1000],
      [3, 600, 400],
      [5, 600, 300],
    ])
  })

  it('lets the others come in from the sides when the focus gets wider', () => {
    expect(starts(3, 0)).toEqual([
      [0, 0, 1000],
      [1, 0, 1000],
      [2, -1500, 1500],
      [4, -1500, 1500],
      [3, 0, 1000],
      [5, 0, 750],
    ])
  })

  it('has none between frames that are not above one another', () => {
    expect(starts(2, 3)).toBeNull()
    expect(starts(3, 2)).toBeNull()
  })
})
