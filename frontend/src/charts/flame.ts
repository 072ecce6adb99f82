/** Flame graphs: places a merged stack tree as an icicle, callers above callees, width by threads. */
import {
  hierarchy,
  type HierarchyNode,
  type HierarchyRectangularNode,
  partition,
} from 'd3-hierarchy'

/** A function on merged stacks; `parent` is an index, -1 for the root, which is the first. */
export type FlameFrame = {
  readonly name: string
  readonly parent: number
  /** Threads, summed over the samples of a side. */
  readonly total: number
  readonly total_b: number
}

export type FlameBox = {
  readonly index: number
  readonly name: string
  readonly x: number
  readonly width: number
  readonly depth: number
  /** Threads, summed over the samples of both sides. */
  readonly total: number
}

export type FlameTree<Frame extends FlameFrame = FlameFrame> = {
  readonly nodes: readonly Frame[]
  readonly children: readonly (readonly number[])[]
  /** The same as a d3 hierarchy of the indexes; `places[i]` is node i, and its value the width. */
  readonly places: readonly HierarchyNode<number>[]
}

/** Siblings by name (a function keeps its place in every picture), or the widest first. */
type Order = 'name' | 'heavy'

export function treeOf<Frame extends FlameFrame>(
  nodes: readonly Frame[],
  order: Order = 'heavy',
): FlameTree<Frame> {
  const children: number[][] = nodes.map(() => [])
  nodes.forEach((node, index) => {
    if (node.parent >= 0) children[node.parent]?.push(index)
  })
  const name = (index: number) => nodes[index]?.name ?? ''
  const wide = (index: number) => weight(nodes[index] as FlameFrame)
  for (const siblings of children) {
    siblings.sort((a, b) =>
      order === 'heavy' ? wide(b) - wide(a) : name(a) < name(b) ? -1 : name(a) > name(b) ? 1 : 0,
    )
  }
  return { nodes, children, places: placesOf(nodes, children) }
}

function placesOf(
  nodes: readonly FlameFrame[],
  children: FlameTree['children'],
): HierarchyNode<number>[] {
  const places: HierarchyNode<number>[] = []
  const width = (index: number) => weight(nodes[index] as FlameFrame)
  if (nodes.length === 0) return places
  const own = (index: number) =>
    (children[index] ?? []).reduce((rest, child) => rest - width(child), width(index))
  const root = hierarchy(0, (index) => children[index]).sum(own)
  for (const place of root) places[place.data] = place
  return places
}

export const weight = (frame: FlameFrame): number => frame.total + frame.total_b

/** Boxes of at least `least` pixels below (and above) the focused node, which fills the width. */
export function layoutFlame(
  tree: FlameTree,
  focus: number,
  width: number,
  least = 1.5,
): FlameBox[] {
  const root = tree.places[focus]
  if (!root?.value || width <= 0) return []
  const boxes: FlameBox[] = []
  const add = (index: number, x: number, wide: number, depth: number) => {
    const node = tree.nodes[index]
    if (node) boxes.push({ index, name: node.name, x, width: wide, depth, total: weight(node) })
  }
  for (const above of root.ancestors().slice(1).reverse()) add(above.data, 0, width, above.depth)
  const placed = partition<number>().size([width, 1])(root)
  placed.eachBefore(({ data, x0, x1, depth }: HierarchyRectangularNode<number>) => {
    if (x1 - x0 >= least) add(data, x0, x1 - x0, depth)
  })
  return boxes
}

type Place = { readonly x: number; readonly width: number }
type FlameView = { readonly focus: number; readonly boxes: readonly FlameBox[] }

/**
 * Where the boxes of one focus were while another filled the width, by index: where they start when the
 * picture zooms. Null when neither focus is in the picture of the other.
 */
export function zoomStarts(before: FlameView, after: FlameView): ReadonlyMap<number, Place> | null {
  const at = (view: FlameView, index: number) => view.boxes.find((box) => box.index === index)
  const [was, is] = [at(before, before.focus), at(after, after.focus)]
  if (!was || !is) return null
  const isInto = is.depth > was.depth
  // The part of one picture that fills the other.
  const part = isInto ? at(before, after.focus) : at(after, before.focus)
  if (!part) return null
  const factor = isInto ? part.width / is.width : was.width / part.width
  const shift = isInto ? part.x : -part.x * factor
  const known = new Map(before.boxes.map((box) => [box.index, box]))
  return new Map(
    after.boxes.map((box) => {
      const place = { x: shift + box.x * factor, width: box.width * factor }
      return [box.index, known.get(box.index) ?? place]
    }),
  )
}

/** The box that an arrow key leads to: a frame's widest callee, its caller, its neighbours. */
export function stepFlame(
  tree: FlameTree,
  boxes: readonly FlameBox[],
  from: FlameBox,
  key: string,
): FlameBox | undefined {
  const parent = tree.nodes[from.index]?.parent ?? -1
  if (key === 'ArrowUp') return boxes.find((box) => box.index === parent)
  if (key === 'ArrowDown') {
    const below = boxes.filter((box) => tree.nodes[box.index]?.parent === from.index)
    return below.reduce<FlameBox | undefined>(
      (a, b) => (a && a.width >= b.width ? a : b),
      undefined,
    )
  }
  if (key !== 'ArrowLeft' && key !== 'ArrowRight') return undefined
  const row = boxes.filter((box) => box.depth === from.depth).sort((a, b) => a.x - b.x)
  const at = row.findIndex((box) => box.index === from.index)
  return at < 0 ? undefined : row[key === 'ArrowLeft' ? at - 1 : at + 1]
}
