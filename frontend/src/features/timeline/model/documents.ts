/** Documents of the API that the timeline shows. */
import type { components } from '@/api/schema'

export type Series = components['schemas']['SeriesOut']
export type Marks = components['schemas']['Marks']
export type HeatRow = Omit<components['schemas']['HeatRowOut'], 'cells'> & {
  readonly cells: readonly (readonly number[])[]
}
export type Strips = Omit<components['schemas']['Strips'], 'heat'> & {
  readonly heat: readonly HeatRow[]
}
export type Annotation = components['schemas']['AnnotationOut']
export type Stall = components['schemas']['StallDoc']
export type Correction = components['schemas']['StallCorrectionOut']
export type WindowLane = components['schemas']['WindowLane']
