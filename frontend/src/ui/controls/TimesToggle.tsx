/** The choice between when things happened and when they were recorded; the address keeps it. */
import { oneOf, useUrlState } from '@/state/url'
import { Button } from './Button'

const TIMES = ['happened', 'recorded'] as const
const CODEC = oneOf(TIMES)
export type Times = (typeof TIMES)[number]

/** The time by which charts and lists place what people record, and a function that sets it. */
export const useTimes = () => useUrlState<Times>('times', CODEC, 'happened')

export function TimesToggle() {
  const [times, setTimes] = useTimes()
  return (
    <Button
      size="small"
      pressed={times === 'recorded'}
      title="Show and sort by when things were recorded, instead of when they happened"
      onClick={() => setTimes(times === 'recorded' ? 'happened' : 'recorded')}
    >
      In the order of recording
    </Button>
  )
}
