/** The API leaves out what has its default: thousands of nodes would be megabytes of nulls. */
import type { WaitEdge, WaitGraph, WaitNode } from './waitGraph'

export const BLANK_NODE: WaitNode = {
  id: '',
  kind: 'thread',
  label: '',
  lasting: '',
  mark: '',
  detail: '',
  depth: 0,
  members: 1,
  of: null,
  blocks_direct: 0,
  blocks_total: 0,
  root: false,
  inferred: false,
  waiting: false,
  waited_s: null,
  mode: null,
  thread_id: null,
  session_id: null,
  trx_id: null,
  user: null,
  state: null,
  command: null,
  query: null,
  shape: '',
  table: '',
  trx_active_s: null,
  undo_entries: null,
  row_locks: null,
  address: null,
  latch: null,
  meaning: null,
  stack: [],
  join: '',
  joins: [],
  join_confidence: null,
  locators: [],
}

export const BLANK_EDGE: WaitEdge = {
  source: '',
  target: '',
  kind: 'waits_for',
  mark: '',
  mode: null,
  count: 1,
  waited_s: null,
  inferred: false,
  confidence: 1,
  note: '',
  source_site: '',
  locators: [],
}

export function completeNode(node: Partial<WaitNode>): WaitNode {
  return { ...BLANK_NODE, ...node }
}

/** The graph with every default written out. */
export function completeGraph(graph: WaitGraph): WaitGraph {
  return {
    ...graph,
    nodes: graph.nodes.map(completeNode),
    edges: graph.edges.map((edge) => ({ ...BLANK_EDGE, ...edge })),
  }
}
