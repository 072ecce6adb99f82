/**
 * Values of lanes as tiles on a grid of times and steps, kept while a person pans and zooms.
 *
 * A step is a power of two milliseconds, about a pixel; a tile has 512 steps. Panning needs new tiles at
 * the edge only, and until a finer or coarser one arrives the others that cover its time are drawn.
 */
import type { Run, Tile } from '@/charts/tileLane'
import { type Columns, type Decoded } from './decode'

export const TILE = 512
/** Tiles over all series of one request; the server refuses more. */
const MOST_TILES = 96
const MOST_SERIES = 24
const AT_ONCE = 3
/** Points that are kept; a point is four numbers of eight bytes. */
const MOST_POINTS = 1_500_000
const RETRY_MS = 3000

/** The exponent of the step that is about a pixel. */
export function levelFor(range: readonly [number, number], width: number): number {
  const perPixel = (range[1] - range[0]) / Math.max(1, width)
  return Math.max(0, Math.round(Math.log2(perPixel)))
}

export type Fetcher = (
  series: readonly string[],
  step: number,
  first: number,
  count: number,
  signal: AbortSignal,
) => Promise<Decoded>

/** Numbers of the first and last tile that touch a stretch of time. */
export function tileSpan(from: number, to: number, level: number): readonly [number, number] {
  const length = TILE * 2 ** level
  return [Math.max(0, Math.floor(from / length)), Math.max(0, Math.floor((to - 1e-6) / length))]
}

/** Cuts one series of an answer into its tiles: views of the same columns. */
export function cutColumns({ at, mid, low, high, plain }: Columns, answer: Decoded): Tile[] {
  const length = TILE * answer.step
  const size = at.length
  const tiles: Tile[] = []
  let next = 0
  while (next < size && (at[next] ?? 0) < answer.start) next++
  for (let index = 0; index < answer.count; index++) {
    const start = answer.start + index * length
    const first = next
    while (next < size && (at[next] ?? 0) < start + length) next++
    const begin = Math.max(0, first - 1)
    const end = Math.min(size, next + 1)
    tiles.push({
      start,
      end: start + length,
      at: at.subarray(begin, end),
      mid: mid.subarray(begin, end),
      low: low.subarray(begin, end),
      high: high.subarray(begin, end),
      plain,
      own: [first - begin, next - begin],
    })
  }
  return tiles
}

/** What a view wants: some series over a window at a level; `ahead` once nothing else is missing. */
export type Wish = {
  readonly series: readonly string[]
  readonly level: number
  readonly from: number
  readonly to: number
}

type Levels = Map<number, Map<number, Tile>>

export class TileStore {
  error: unknown = null
  private held = new Map<string, Levels>()
  private points = 0
  /** Loads under way: nothing is forgotten meanwhile. */
  private loading = 0
  private running = new Map<AbortController, { level: number; keys: string[] }>()
  private pending = new Set<string>()
  private failedAt = -Infinity
  private readonly fetcher: Fetcher
  private readonly changed: () => void

  private readonly most: number

  /** most: points that are kept. */
  constructor(fetcher: Fetcher, changed: () => void, most = MOST_POINTS) {
    this.most = most
    this.fetcher = fetcher
    this.changed = changed
  }

  /** Whether a request is under way. */
  get busy(): boolean {
    return this.running.size > 0
  }

  clear(): void {
    for (const controller of this.running.keys()) controller.abort()
    this.running.clear()
    this.pending.clear()
    this.held.clear()
    this.points = 0
    this.error = null
    this.failedAt = -Infinity
    this.changed()
  }

  /** The best that is held of a series over a stretch of time, and whether it is all as wished. */
  runs(series: string, level: number, from: number, to: number): { runs: Run[]; whole: boolean } {
    const levels = this.held.get(series)
    const runs: Run[] = []
    let whole = true
    if (!levels) return { runs, whole: false }
    const [first, last] = tileSpan(from, to, level)
    let open: Tile[] = []
    const close = () => {
      const [head, tail] = [open[0], open[open.length - 1]]
      if (head && tail) runs.push({ tiles: open, from: head.start, to: tail.end })
      open = []
    }
    let parent: Tile | null = null
    for (let index = first; index <= last; index++) {
      const tile = levels.get(level)?.get(index)
      if (tile) {
        open.push(tile)
        parent = null
        continue
      }
      whole = false
      close()
      const start = index * TILE * 2 ** level
      const end = start + TILE * 2 ** level
      if (parent && parent.end >= end) {
        const before = runs[runs.length - 1]
        if (before) runs[runs.length - 1] = { ...before, to: end }
        continue
      }
      parent = coarser(levels, level, index)
      if (parent) runs.push({ tiles: [parent], from: start, to: end })
      else runs.push(...finer(levels, level, index))
    }
    close()
    return { runs, whole }
  }

  /** Fetches all that is missing of these wishes and keeps everything until it is there. */
  async load(wishes: readonly Wish[]): Promise<void> {
    this.loading += 1
    try {
      for (const wish of wishes.filter((wish) => wish.to > wish.from)) {
        for (const { series, first, count } of this.jobs(wish, new Set())) {
          const { signal } = new AbortController()
          const answer = await this.fetcher(series, 2 ** wish.level, first, count, signal)
          this.keep(series, wish.level, answer)
        }
      }
    } finally {
      this.loading -= 1
    }
  }

  /** Asks for what is missing of these wishes, the first first; drops what is no longer wished. */
  want(wishes: readonly Wish[], now: number): void {
    const level = wishes[0]?.level
    for (const [controller, job] of this.running) {
      if (job.level !== level) {
        controller.abort()
        this.running.delete(controller)
        for (const key of job.keys) this.pending.delete(key)
      }
    }
    if (now - this.failedAt < RETRY_MS) return
    for (const [number, wish] of wishes.entries()) {
      for (const job of this.jobs(wish, this.pending)) {
        if (this.running.size >= AT_ONCE) return
        this.start(job.series, wish.level, job.first, job.count)
      }
      if (number === 0 && this.running.size > 0) return
    }
  }

  private jobs(
    wish: Wish,
    pending: ReadonlySet<string>,
  ): { series: string[]; first: number; count: number }[] {
    const [first, last] = tileSpan(wish.from, wish.to, wish.level)
    const groups = new Map<string, { series: string[]; first: number; count: number }>()
    for (const series of wish.series) {
      const held = this.held.get(series)?.get(wish.level)
      let low = Infinity
      let high = -Infinity
      for (let index = first; index <= last; index++) {
        if (held?.has(index) || pending.has(`${wish.level}/${index}/${series}`)) continue
        low = Math.min(low, index)
        high = index
      }
      if (high < low) continue
      const key = `${low}/${high}`
      const group = groups.get(key) ?? { series: [], first: low, count: high - low + 1 }
      group.series.push(series)
      groups.set(key, group)
    }
    return [...groups.values()].flatMap((group) => {
      const count = Math.min(group.count, MOST_TILES)
      const size = Math.max(1, Math.min(MOST_SERIES, Math.floor(MOST_TILES / count)))
      const parts = []
      for (let at = 0; at < group.series.length; at += size) {
        parts.push({ series: group.series.slice(at, at + size), first: group.first, count })
      }
      return parts
    })
  }

  private start(series: string[], level: number, first: number, count: number): void {
    const controller = new AbortController()
    const keys = series.flatMap((name) =>
      Array.from({ length: count }, (_, index) => `${level}/${first + index}/${name}`),
    )
    for (const key of keys) this.pending.add(key)
    this.running.set(controller, { level, keys })
    this.fetcher(series, 2 ** level, first, count, controller.signal).then(
      (answer) => {
        if (!this.running.delete(controller)) return
        for (const key of keys) this.pending.delete(key)
        this.error = null
        this.keep(series, level, answer)
        this.changed()
      },
      (error: unknown) => {
        if (!this.running.delete(controller)) return
        for (const key of keys) this.pending.delete(key)
        this.error = error
        this.failedAt = performance.now()
        setTimeout(this.changed, RETRY_MS + 50)
        this.changed()
      },
    )
  }

  private keep(series: readonly string[], level: number, answer: Decoded): void {
    const strips = new Map(answer.strips.map((strip) => [strip.id, strip]))
    if (this.points > this.most && this.loading === 0) this.forgetOldest()
    for (const id of series) {
      const levels = this.held.get(id) ?? new Map<number, Map<number, Tile>>()
      this.held.delete(id) // to the end: the first is the least recently requested
      this.held.set(id, levels)
      const tiles = levels.get(level) ?? new Map<number, Tile>()
      levels.set(level, tiles)
      // A series without a strip has nothing there: its tiles are held, and empty.
      const columns = strips.get(id) ?? { ...NOTHING, id }
      cutColumns(columns, answer).forEach((tile, index) => {
        this.points += tile.at.length - (tiles.get(answer.first + index)?.at.length ?? 0)
        tiles.set(answer.first + index, tile)
      })
    }
  }

  /** Down to half of what is kept at most. */
  private forgetOldest(): void {
    for (const [id, levels] of this.held) {
      if (this.points <= this.most / 2) return
      this.points -= sizeOf(levels)
      this.held.delete(id)
    }
  }
}

const sizeOf = (levels: Levels) => {
  let points = 0
  for (const tiles of levels.values()) for (const tile of tiles.values()) points += tile.at.length
  return points
}

const NONE = new Float64Array(0)
const NOTHING = { at: NONE, mid: NONE, low: NONE, high: NONE, plain: true }

function coarser(levels: Levels, level: number, index: number): Tile | null {
  for (let up = 1; up <= 14; up++) {
    const tile = levels.get(level + up)?.get(Math.floor(index / 2 ** up))
    if (tile) return tile
  }
  return null
}

/** Eight times as many points as the plot has pixels are not drawn in one frame. */
const FINER = 2

function finer(levels: Levels, level: number, index: number): Run[] {
  for (let down = 1; down <= FINER && level >= down; down++) {
    const held = levels.get(level - down)
    if (!held) continue
    const runs: Run[] = []
    for (let part = index * 2 ** down; part < (index + 1) * 2 ** down; part++) {
      const tile = held.get(part)
      if (tile) runs.push({ tiles: [tile], from: tile.start, to: tile.end })
    }
    if (runs.length > 0) return runs
  }
  return []
}
