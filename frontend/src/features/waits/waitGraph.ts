/** Types of the wait graph as the API sends it; walks along its edges are in charts/graphWalk. */
import type { components } from '@/api/schema'

export type WaitGraph = components['schemas']['WaitGraph']
export type WaitNode = components['schemas']['WaitNode']
export type WaitEdge = components['schemas']['WaitEdge']
