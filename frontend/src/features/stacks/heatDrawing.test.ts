import { expect, it } from 'vitest'
import { heatRows, heatSvg, shade } from './heatDrawing'

const heat = {
  functions: ['os_event::wait', 'row<int>'],
  counts: [
    [0, 40],
    [3, 1],
  ],
  times: ['2026-11-20 22:16:56', '2026-11-20 22:17:07'],
}

it('gives the heat map as rows of functions by samples', () => {
  expect(heatRows(heat)).toEqual({
    columns: ['function', '2026-11-20 22:16:56', '2026-11-20 22:17:07'],
    rows: [
      ['os_event::wait', 0, 40],
      ['row<int>', 3, 1],
    ],
  })
})

it('draws a cell for each, with its number, and is well formed', () => {
  const drawn = new DOMParser().parseFromString(heatSvg(heat), 'image/svg+xml')
  expect(drawn.querySelector('parsererror')).toBeNull()
  expect(drawn.querySelectorAll('g > rect')).toHaveLength(4)
  const words = [...drawn.querySelectorAll('text')].map((element) => element.textContent)
  expect(words).toEqual(expect.arrayContaining(['row<int>', '40', '22:17:07']))
})

it('has one hue, light to dark, and none of it for nothing', () => {
  expect([0, 0.01, 0.5, 1].map(shade)).toEqual([
    'var(--heat-0)',
    'var(--heat-1)',
    'var(--heat-3)',
    'var(--heat-5)',
  ])
})
