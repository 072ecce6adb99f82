/** The key sheet: every key of the screen. Opened with ?, from the rail or from the palette. */
import { IconButton } from '@/ui/controls/Button'
import { Dialog } from '@/ui/panels/Dialog'
import { UNDO_KEYS } from '@/ui/history/undoKeys'
import { type KeyTable, useActiveKeys, useKeys, useSingleKeys } from '@/state/keys'

type Key = readonly [keys: readonly string[], does: string]
type Screen = { readonly path: string; readonly name: string; readonly key: string }

export const SHEET_KEYS = {
  show: { keys: ['?'], does: 'Show these keys' },
} as const satisfies KeyTable

const EVERYWHERE: readonly Key[] = [
  [['?'], 'Show these keys'],
  [['Ctrl+K', '/'], 'Search or run a command'],
  [['l'], 'Copy a link to this view'],
  [['p'], 'Pin the selection as evidence'],
  [UNDO_KEYS.undo.keys, UNDO_KEYS.undo.does],
  [['1', '…', '9'], 'Switch the view or tab of the screen'],
  [['↑', 'k', '↓', 'j'], 'In a table: the row above or below'],
  [['Enter'], 'In a table: open the row'],
  [['F6', 'Shift+F6'], 'Go to the next or the previous part of the page'],
  [['Esc'], 'Close the panel or the dialog'],
]

export function KeySheet({
  path,
  screens,
  open,
  onOpenChange,
}: {
  /** Path of the shown screen: 'timeline'. */
  readonly path: string
  readonly screens: readonly Screen[]
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
}) {
  useKeys(SHEET_KEYS, { show: () => onOpenChange(true) })
  const [single, setSingle] = useSingleKeys()
  const active = useActiveKeys()
  const name = screens.find((screen) => screen.path === path)?.name ?? ''
  const keys = active
    .filter((key) => !EVERYWHERE.some(([, does]) => does === key.does))
    .map((key): Key => [key.keys.map(shown), key.within ? `${key.within}: ${key.does}` : key.does])
  return (
    <>
      <IconButton
        label="Keys (?)"
        icon={<span aria-hidden="true">?</span>}
        className="rail-toggle"
        onClick={() => onOpenChange(true)}
      />
      <Dialog open={open} onOpenChange={onOpenChange} title="Keys" width={920}>
        {/* First, because it takes the focus: the sheet opens at its top. */}
        <label className="keys-off">
          <input
            type="checkbox"
            checked={single}
            onChange={(event) => setSingle(event.target.checked)}
          />
          Single-key shortcuts. Turn them off when your software types letters, such as speech
          input.
        </label>
        <div className="keys-columns">
          <div>
            {keys.length > 0 && <Keys title={name} keys={keys} />}
            <Keys title="Everywhere" keys={EVERYWHERE} />
          </div>
          <Keys
            title="Go to a screen: g, then"
            keys={screens.map((screen): Key => [[screen.key], screen.name])}
          />
        </div>
      </Dialog>
    </>
  )
}

/** Return the label that keyboards print on a key. */
function shown(key: string): string {
  return PRINTED[key] ?? key
}
const PRINTED: Readonly<Record<string, string>> = {
  ' ': 'Space',
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
}

function Keys({ title, keys }: { readonly title: string; readonly keys: readonly Key[] }) {
  return (
    <section className="keys">
      <h3>{title}</h3>
      <dl>
        {keys.map(([names, does]) => (
          <div key={does}>
            <dt>
              {names.map((name) => (
                <kbd key={name}>{name}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
