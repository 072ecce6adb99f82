import { fireEvent, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { renderScreen, serve } from '@/testing/render'
import { OverlayChart } from './OverlayChart'
import type { Comparison } from './queries'

const line = (side: number) => ({
  ...{ side, label: `side ${side}`, host: null, zero: '2026-11-20T22:00:00Z' },
  points: [
    [-60, 1, 1, 1],
    [0, 5, 5, 5],
    [60, 10, 5, 20],
  ],
})

it('moves the crosshair to the right and back with the arrow keys, further with Shift', async () => {
  serve({
    '/incidents/i1/compare/overlay': {
      ...{ series: 'm.x', unit: null, align: 'onset', samples: 6, lines: [line(0), line(1)] },
    },
  })
  const comparison = {
    ...{ sides: [], align: 'onset', window: null, reference: 0 },
  } as unknown as Comparison
  renderScreen(
    <OverlayChart incidentId="i1" {...{ comparison, series: 'm.x', title: 'x', gaps: [] }} />,
    '/incidents/i1/compare',
  )
  const chart = await screen.findByRole('img')
  const press = (key: string, shiftKey = false) => {
    fireEvent.keyDown(chart, { key, shiftKey })
    return Number(
      /-?\d+(\.\d+)?/u.exec(screen.getByRole('status').textContent?.replace('−', '-') ?? '')?.[0],
    )
  }
  const first = press('ArrowRight', true)
  const further = press('ArrowRight', true)
  const back = press('ArrowLeft', true)
  expect(further).toBeGreaterThan(first)
  expect(back).toBe(first)
})
