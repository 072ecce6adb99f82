/** Which stall or capture the screens show; the address keeps it from screen to screen. */
import type { Overview } from '@/api/schema'
import { useChosenStall, useZone } from '@/state/incident'
import { useUrlChange } from '@/state/url'
import { Button } from '@/ui/controls/Button'
import { DownIcon } from '@/ui/controls/icons'
import { Menu, MenuChoice } from '@/ui/controls/Menu'
import { formatDuration } from '@/format'
import { type Choice, choicesOf } from './stalls'

export function StallPicker({ overview }: { readonly overview: Overview }) {
  const chosen = useChosenStall()
  const change = useUrlChange()
  const zone = useZone()
  const choices = choicesOf(overview)
  if (choices.length < 2) return null
  const shown = choices.find(({ id }) => id === chosen)
  const name = ({ stall, start }: Choice) =>
    stall ? `Stall ${zone.format(stall.onset)}` : `Capture ${zone.format(start)}`
  const choose = (id: string) => {
    const next = choices.find((choice) => choice.id === id)
    change(
      {
        ...{ stall: next ? [next.id] : [], at: [], node: [] },
        ...{ start: next ? [next.start] : [], end: next ? [next.end] : [] },
      },
      { push: true },
    )
  }
  const stalls = choices.filter(({ stall }) => stall !== null).length
  return (
    <Menu
      trigger={
        <Button variant="ghost" size="small" title="Which stall or capture the screens show">
          {shown ? name(shown) : `${stalls} ${stalls === 1 ? 'stall' : 'stalls'}`}
          <DownIcon size={12} />
        </Button>
      }
    >
      <MenuChoice<string>
        value={shown?.id ?? ''}
        onChange={choose}
        options={[
          { value: '', label: 'Leading stall', hint: `of ${choices.length}` },
          ...choices.map((choice) => ({
            value: choice.id,
            label: name(choice),
            hint: hintOf(choice),
          })),
        ]}
      />
    </Menu>
  )
}

function hintOf({ stall, host, leading }: Choice): string {
  const lasted = stall?.duration_s == null ? 'no stall' : formatDuration(stall.duration_s)
  return [lasted, host ?? '', leading ? 'leading' : ''].filter(Boolean).join(', ')
}
