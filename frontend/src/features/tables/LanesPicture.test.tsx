import { render } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import type { DeadlockOut } from '@/api/schema'
import { LanesPicture } from './LanesPicture'

const lane = (number: number, victim = false): DeadlockOut['lanes'][number] => ({
  number,
  session_id: 10 + number,
  user: 'app',
  shape: 'UPDATE accounts SET balance=balance+? WHERE id=?',
  victim,
  steps: [
    { state: 'holds', lock: 'exclusive row lock', where: 'in PRIMARY of app.a', printed: null },
    { state: 'requests', lock: 'exclusive row lock', where: 'in PRIMARY of app.a', printed: 'x' },
  ],
})

function drawn(n: number, holder = (at: number) => (at % n) + 1) {
  const numbers = Array.from({ length: n }, (_, at) => at + 1)
  const deadlock = {
    kind_label: 'Rows locked in a circle',
    lanes: numbers.map((number) => lane(number, number === n)),
    waits: numbers.map((number) => ({
      waiter: number,
      holder: holder(number),
      holder_step: 0,
      inferred: number === 1,
    })),
  } as unknown as DeadlockOut
  return render(<LanesPicture deadlock={deadlock} label="the cycle in words" />).container
}

describe('the drawing of a deadlock', () => {
  it.each([2, 3, 6])('has a lane, two locks and an arrow for each of %i', (n) => {
    const picture = drawn(n)
    expect(picture.querySelectorAll('rect')).toHaveLength(3 * n)
    expect(picture.querySelectorAll('path[marker-end]')).toHaveLength(n)
    expect(picture.textContent).toContain(`(${n}) · session ${10 + n} · app · ✕ victim`)
    expect(picture.querySelector('desc')?.textContent).toBe('the cycle in words')
    expect(picture.innerHTML).not.toContain('NaN')
  })
  it('draws no arrow to a transaction that is not printed', () => {
    expect(drawn(2, () => 9).querySelectorAll('path[marker-end]')).toHaveLength(0)
  })
})
