/** "Diff with…": another moment of the same waits, and the way back. */
import type { components } from '@/api/schema'
import { useZone } from '@/state/incident'
import { Button } from '@/ui/controls/Button'
import { DownIcon } from '@/ui/controls/icons'
import { Menu, MenuItem, MenuLabel, MenuLine } from '@/ui/controls/Menu'

type Moment = components['schemas']['WaitMoment']
const CALM_SHOWN = 3

export function DiffMenu({
  moments,
  at,
  before,
  against,
  onCompare,
  onSwap,
}: {
  readonly moments: readonly Moment[]
  readonly at: string | null
  readonly before: string | null
  readonly against: string
  readonly onCompare: (time: string) => void
  readonly onSwap: () => void
}) {
  const zone = useZone()
  const waiters = (moment: Moment) => moment.waiters + moment.lock_waits
  const worst = moments.reduce<Moment | null>(
    (most, moment) => (most === null || waiters(moment) > waiters(most) ? moment : most),
    null,
  )
  const first = moments.find((moment) => waiters(moment) > 0)
  const calm = moments
    .filter((moment) => at !== null && waiters(moment) === 0 && moment.time < at)
    .slice(-CALM_SHOWN)
  const choice = (label: string, time: string | null | undefined) =>
    time && time !== at ? (
      <MenuItem hint={zone.format(time, 'clock')} onSelect={() => onCompare(time)}>
        {label}
      </MenuItem>
    ) : null
  return (
    <>
      <Menu
        trigger={
          <Button size="small" pressed={against !== ''}>
            {against ? `Diff with ${zone.format(against, 'clock')}` : 'Diff with…'}
            <DownIcon size={12} />
          </Button>
        }
      >
        <MenuLabel>What is different from</MenuLabel>
        {choice('The moment before', before)}
        {choice('The first moment with waiters', first?.time)}
        {choice('The worst moment', worst?.time)}
        {calm.map((item) => (
          <MenuItem
            key={item.time}
            hint={zone.format(item.time, 'clock')}
            onSelect={() => onCompare(item.time)}
          >
            A calm moment before
          </MenuItem>
        ))}
        <MenuLine />
        <MenuLabel>or Shift+click a bar below</MenuLabel>
      </Menu>
      {against && (
        <>
          <Button size="small" variant="ghost" title="Swap the two moments" onClick={onSwap}>
            Swap
          </Button>
          <Button size="small" variant="ghost" onClick={() => onCompare('')}>
            End diff
          </Button>
        </>
      )}
    </>
  )
}
