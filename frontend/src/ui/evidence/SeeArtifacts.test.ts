import { expect, it } from 'vitest'
import type { Overview } from '@/api/schema'
import { underWay } from './SeeArtifacts'

const said = (state: string, parsing = 0, total = 3, error: string | null = null) =>
  underWay({ artifacts: { parsing, total }, analysis: { state, error } } as unknown as Overview)

it('says what an empty screen still waits for', () => {
  expect(said('none', 1)).toMatch(/^1 of 3 artifacts are still being read/)
  expect(said('none', 1, 1)).toMatch(/^1 of 1 artifact is still being read/)
  expect(said('queued')).toMatch(/waits for a worker/)
  expect(said('running')).toMatch(/is running/)
  expect(said('failed', 0, 3, 'no room')).toBe(
    'The analysis failed: no room. The overview runs it again.',
  )
  expect(said('done')).toBe(null)
})
