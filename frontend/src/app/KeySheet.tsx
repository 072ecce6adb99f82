/** ?: every key of the screen. Opened by the key, from the rail or from the palette. */
import { IconButton } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { type KeyTable, useActiveKeys, useKeys, useSingleKeys } from '@/state/keys'

type Key = readonly [keys: readonly string[], does: string]
type Screen = { readonly path: string; readonly name: string; readonly key: string }

export const SHEET_KEYS = {
  show: { keys: ['?'], does: 'Show these keys' },
} as const satisfies KeyTable

const EVERYWHERE: readonly Key[] = [
  [['?'], 'Show these keys'],
  [['Ctrl+K', '/'], 'Find anything, do anything'],
  [['l'], 'Copy a link to this view'],
  [['↑', 'k', '↓', 'j'], 'In a table: the row above or below'],
  [['Enter'], 'In a table: open the row'],
  [['Esc'], 'Close the panel or the dialog'],
]

/** What the screens listen to themselves, by their path. */
const OF_SCREEN: Readonly<Record<string, readonly Key[]>> = {
  timeline: [
    [['w', 's'], 'Zoom in, out'],
    [['a', 'd'], 'Earlier, later; with Shift, further'],
    [['0'], 'The whole capture'],
    [['f'], 'The stall'],
    [['n'], 'Note at the pointer; with Shift, on the whole range'],
  ],
  waits: [
    [['[', ']'], 'The moment before, after at which threads wait'],
    [['Space'], 'Play through the moments, or stop'],
    [['↑', 'k', '↓', 'j'], 'In the graph: the node above or below'],
    [['←', '→'], 'In the graph: to what it waits for, to what waits behind it'],
    [['+', '-', 'f'], 'In the graph: closer, further, all of it'],
    [['↑', 'k', '↓', 'j'], 'In the tree: the row above or below'],
    [['→', '←'], 'In the tree: open, close; into a branch, out of it'],
    [['Home', 'End'], 'In the tree: the first row, the last'],
    [['Enter', 'Space'], 'In the tree: choose the row'],
  ],
  stacks: [
    [['b', 'x', 'u'], 'On a stack: it is benign, suspicious; take that back'],
    [['s'], 'On a frame of the flame graph: its callers and callees'],
  ],
}

export function KeySheet({
  path,
  screens,
  open,
  onOpenChange,
}: {
  /** Of the screen that is shown: 'timeline'. */
  readonly path: string
  readonly screens: readonly Screen[]
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
}) {
  useKeys(SHEET_KEYS, { show: () => onOpenChange(true) })
  const [single, setSingle] = useSingleKeys()
  const active = useActiveKeys()
  const name = screens.find((one) => one.path === path)?.name ?? ''
  const told = active
    .filter((one) => !EVERYWHERE.some(([, does]) => does === one.does))
    .map((one): Key => [one.keys, one.within ? `${one.within}: ${one.does}` : one.does])
  const own = [...(OF_SCREEN[path] ?? []), ...told]
  return (
    <>
      <IconButton
        label="Keys (?)"
        icon={<span aria-hidden="true">?</span>}
        className="rail-toggle"
        onClick={() => onOpenChange(true)}
      />
      <Dialog open={open} onOpenChange={onOpenChange} title="Keys">
        {own.length > 0 && <Keys title={name} keys={own} />}
        <Keys title="Everywhere" keys={EVERYWHERE} />
        <Keys
          title="Go to a screen: g, then"
          keys={screens.map((one): Key => [[one.key], one.name])}
        />
        <label className="keys-off">
          <input
            type="checkbox"
            checked={single}
            onChange={(event) => setSingle(event.target.checked)}
          />
          Single keys act. Turn them off when your software types letters, such as speech input.
        </label>
      </Dialog>
    </>
  )
}

function Keys({ title, keys }: { readonly title: string; readonly keys: readonly Key[] }) {
  return (
    <section className="keys">
      <h3>{title}</h3>
      <dl>
        {keys.map(([names, does]) => (
          <div key={does}>
            <dt>
              {names.map((one) => (
                <kbd key={one}>{one}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
