import { expect, it } from 'vitest'
import { heatStep } from '@/charts/heatLane'
import { heatBounds } from './HeatLegend'

it('names for each count the shade that the timeline draws', () => {
  for (const peak of [1, 2, 3, 5, 7, 40, 151, 1512]) {
    for (const { shade, from, to } of heatBounds(peak, 'square root')) {
      for (const count of [from, to])
        expect([peak, count, heatStep(count, peak)]).toEqual([peak, count, shade - 1])
    }
  }
})

it('covers every count once, up to the peak', () => {
  for (const scale of ['linear', 'square root'] as const) {
    for (const peak of [1, 2, 3, 5, 7, 40, 151]) {
      const counts = heatBounds(peak, scale).flatMap(({ from, to }) =>
        Array.from({ length: to - from + 1 }, (_, at) => from + at),
      )
      expect(counts).toEqual(Array.from({ length: peak }, (_, at) => at + 1))
    }
  }
})
