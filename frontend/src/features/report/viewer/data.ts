/** What the report file carries for its viewer: see report/document.py (Drawing). */

export type Point = readonly [t: number, value: number | null]

export type Lane = {
  readonly title: string
  readonly unit: string
  readonly points: readonly Point[]
}

export type LanesDrawing = {
  readonly type: 'lanes'
  readonly lanes: readonly Lane[]
  readonly stalls: readonly (readonly [start: number, end: number | null])[]
}

export type GraphNode = {
  readonly id: string
  readonly label: string
  readonly kind: string
  readonly depth: number
  readonly blocks_total?: number
  readonly root?: boolean
  readonly inferred?: boolean
  readonly members?: number
  readonly detail?: readonly (readonly [name: string, value: string])[]
}

export type GraphDrawing = {
  readonly type: 'graph'
  readonly at: string
  readonly headline: string
  readonly nodes: readonly GraphNode[]
  /** Source waits behind target. */
  readonly edges: readonly (readonly [source: string, target: string, kind: string])[]
}

type Drawing = LanesDrawing | GraphDrawing | { readonly type: 'confidence' | 'matrix' }

export type ReportData = {
  readonly zone: string
  /** By the number of the figure. */
  readonly figures: Readonly<Record<string, Drawing>>
}
