import { describe, expect, it, vi } from 'vitest'
import { type Answer, buffersOf, decode } from './decode'
import { cutColumns, levelFor, TILE, TileStore, tileSpan } from './tiles'

const answer = (first: number, count: number, step = 1): Answer => ({
  start: first * TILE * step,
  step,
  first,
  count,
  strips: [],
})

describe('the grid', () => {
  it('has a step of about a pixel', () => {
    expect(levelFor([0, 1000], 1000)).toBe(0)
    expect(levelFor([0, 3_600_000], 1100)).toBe(12)
    expect(levelFor([0, 10], 1000)).toBe(0)
  })
  it('tells the tiles that a window touches', () => {
    expect(tileSpan(0, 512, 0)).toEqual([0, 0])
    expect(tileSpan(511, 513, 0)).toEqual([0, 1])
    expect(tileSpan(-5, 5, 3)).toEqual([0, 0])
  })
})

const cutStrip = (strip: Answer['strips'][number], of: Answer) => {
  const { strips, ...grid } = decode({ ...of, strips: [strip] })
  return strips.flatMap((columns) => cutColumns(columns, { ...grid, strips }))
}

describe('decode', () => {
  it('hands each column over once, gaps as NaN', () => {
    const decoded = decode({
      ...answer(1, 1, 2),
      strips: [{ id: 's', at: [0, 2], mid: [1, null], low: null, high: null, samples: 1 }],
    })
    const [columns] = decoded.strips
    expect([...(columns?.at ?? [])]).toEqual([1024, 1026])
    expect([...(columns?.mid ?? [])]).toEqual([1, NaN])
    expect(columns?.plain).toBe(true)
    expect(buffersOf(decoded)).toHaveLength(2)
  })
})

describe('cutColumns', () => {
  it('gives each tile its points and a neighbour on each side', () => {
    const strip = {
      id: 's',
      at: [-3, 10, 500, 520, 1100],
      mid: [1, 2, 3, null, 5],
      low: null,
      high: null,
      samples: 4,
    }
    const [a, b] = cutStrip(strip, answer(2, 2))
    expect([...(a?.at ?? [])]).toEqual([1021, 1034, 1524, 1544])
    expect(a?.own).toEqual([1, 3])
    expect([...(b?.at ?? [])]).toEqual([1524, 1544, 2124])
    expect(b?.own).toEqual([1, 2])
    expect(b?.mid[1]).toBeNaN()
  })
  it('keeps the line over a tile without points of its own', () => {
    const strip = { id: 's', at: [-3, 2000], mid: [1, 5], low: null, high: null, samples: 2 }
    const tiles = cutStrip(strip, answer(0, 2))
    expect(tiles.map((tile) => tile.at.length)).toEqual([2, 2])
    expect(tiles.map((tile) => tile.own)).toEqual([
      [1, 1],
      [1, 1],
    ])
  })
})

describe('TileStore', () => {
  const full = (series: readonly string[], step: number, first: number, count: number): Answer => ({
    ...answer(first, count, step),
    strips: series.map((id) => ({
      id,
      at: Array.from({ length: count * TILE }, (_, i) => i * step),
      mid: Array.from({ length: count * TILE }, (_, i) => i),
      low: null,
      high: null,
      samples: count * TILE,
    })),
  })

  it('asks once for what is missing, in bounded requests, and draws the held while the finer comes', async () => {
    const fetcher = vi.fn((series: readonly string[], step: number, first: number, count: number) =>
      Promise.resolve(decode(full(series, step, first, count))),
    )
    const store = new TileStore(fetcher, () => undefined)
    const series = Array.from({ length: 60 }, (_, i) => `s${i}`)
    store.want([{ series, level: 4, from: 0, to: TILE * 16 * 4 - 1 }], 0)
    expect(fetcher).toHaveBeenCalledTimes(3)
    for (const [ids, , , count] of fetcher.mock.calls) {
      expect(ids.length * count).toBeLessThanOrEqual(96)
    }
    await vi.waitFor(() => expect(store.busy).toBe(false))
    store.want([{ series, level: 4, from: 0, to: 100 }], 1)
    expect(fetcher).toHaveBeenCalledTimes(3)

    const { runs, whole } = store.runs('s0', 3, 0, TILE * 8 * 2)
    expect(whole).toBe(false)
    expect(runs).toHaveLength(1)
    expect(runs[0]).toMatchObject({ from: 0, to: TILE * 8 * 2 })
    expect(store.runs('s0', 4, 0, TILE * 16).whole).toBe(true)
    expect(store.runs('s0', 5, 0, TILE * 32).runs).toHaveLength(2)
  })

  it('says what failed and tries again later', async () => {
    const store = new TileStore(
      () => Promise.reject(new Error('gone')),
      () => undefined,
    )
    store.want([{ series: ['a'], level: 0, from: 0, to: 10 }], performance.now())
    await vi.waitFor(() => expect(store.error).toBeInstanceOf(Error))
    store.want([{ series: ['a'], level: 0, from: 0, to: 10 }], performance.now())
    expect(store.busy).toBe(false)
    store.want([{ series: ['a'], level: 0, from: 0, to: 10 }], performance.now() + 5000)
    expect(store.busy).toBe(true)
  })

  it('loads all lanes for an export, and keeps the most recently requested ones when there are too many', async () => {
    const store = new TileStore(
      (series, step, first, count) => Promise.resolve(decode(full(series, step, first, count))),
      () => undefined,
      20_000,
    )
    const series = Array.from({ length: 40 }, (_, i) => `s${i}`)
    await store.load([{ series, level: 0, from: 0, to: TILE * 2 }])
    expect(store.runs('s0', 0, 0, TILE * 2).whole).toBe(true)
    expect(store.runs('s39', 0, 0, TILE * 2).whole).toBe(true)
    store.want([{ series: ['new'], level: 0, from: 0, to: 10 }], 0)
    await vi.waitFor(() => expect(store.busy).toBe(false))
    expect(store.runs('new', 0, 0, 10).whole).toBe(true)
    expect(store.runs('s0', 0, 0, 10).whole).toBe(false)
    expect(store.runs('s39', 0, 0, 10).whole).toBe(true)
  })

  it('knows an empty tile as held', async () => {
    const store = new TileStore(
      (_series, step, first, count) => Promise.resolve(decode(answer(first, count, step))),
      () => undefined,
    )
    store.want([{ series: ['a'], level: 0, from: 0, to: 10 }], 0)
    await vi.waitFor(() => expect(store.busy).toBe(false))
    expect(store.runs('a', 0, 0, 10).whole).toBe(true)
  })
})
