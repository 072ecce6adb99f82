import { expect, it } from 'vitest'
import type { Overview } from '@/api/schema'
import { underWay } from './SeeArtifacts'

const explain = (state: string, parsing = 0, total = 3, error: string | null = null) =>
  underWay({ artifacts: { parsing, total }, analysis: { state, error } } as unknown as Overview)

it('says what an empty screen still waits for', () => {
  expect(explain('none', 1)).toMatch(/^Parsing 2 of 3 files/)
  expect(explain('none', 1, 1)).toMatch(/^Parsing 0 of 1 file\./)
  expect(explain('queued')).toMatch(/waiting for a worker/)
  expect(explain('running')).toMatch(/is running/)
  expect(explain('failed', 0, 3, 'no room')).toBe(
    'The analysis failed: no room. Run it again from the overview.',
  )
  expect(explain('done')).toBe(null)
})
