/** What a pin of a node or an edge of the wait graph keeps: its claim, a picture, the raw line. */
import { MAX_PICTURE, type PinDraft } from '@/ui/evidence/pin'
import { nearSvg } from '../graph/drawing'
import { edgeClaim, nodeClaim } from '../nodeText'
import type { WaitEdge, WaitGraph, WaitNode } from '../waitGraph'

/** moment: null where nobody knows the time. `source` is where the node was read; a group has none of its own. */
export function nodePin(
  graph: WaitGraph,
  node: WaitNode,
  moment: string | null,
  source: WaitNode['locators'][number] | undefined,
): PinDraft {
  return {
    kind: 'wait_node',
    title: nodeClaim(node),
    picture: smallEnough(nearSvg(graph, [node.id], nodeClaim(node))),
    locator: {
      at: moment,
      node: plainId(node.id),
      artifact: source?.artifact ?? null,
      path: source?.path ?? null,
      line_first: source?.line_first ?? null,
      line_last: source?.line_last ?? null,
      series: null,
      start: null,
      end: null,
      value: String(node.blocks_total),
    },
  }
}

export function edgePin(
  graph: WaitGraph,
  edge: WaitEdge,
  moment: string | null,
  label: (id: string) => string,
): PinDraft {
  const title = edgeClaim(edge, label)
  const source = edge.locators[0]
  return {
    kind: 'wait_edge',
    title,
    picture: smallEnough(nearSvg(graph, [edge.source, edge.target], title)),
    locator: {
      at: moment,
      node: plainId(edge.source),
      target: plainId(edge.target),
      artifact: source?.artifact ?? null,
      path: source?.path ?? null,
      line_first: source?.line_first ?? null,
      line_last: source?.line_last ?? null,
      value: String(edge.count),
    },
  }
}

/** An id without what a difference writes around it. */
export const plainId = (id: string) =>
  id.replace(/^was:/, '').replace(/\|(added|gone|kept)(?=~[0-9a-f]{8}$|$)/, '')

/** A picture that is not too large to be kept. */
const smallEnough = (svg: string) => (svg.length <= MAX_PICTURE ? svg : null)
