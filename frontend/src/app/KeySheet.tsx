/** ?: every key of the screen. Opened by the key or from the rail. */
import { useEffect, useState } from 'react'
import { IconButton } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { isTyping } from './goKeys'

type Key = readonly [keys: readonly string[], does: string]
type Screen = { readonly path: string; readonly name: string; readonly key: string }

const EVERYWHERE: readonly Key[] = [
  [['?'], 'Show these keys'],
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
    [['↑', 'k', '↓', 'j'], 'In the tree: the row above or below'],
    [['→', '←'], 'In the tree: open, close; into a branch, out of it'],
    [['Home', 'End'], 'In the tree: the first row, the last'],
    [['Enter', 'Space'], 'In the tree: choose the row'],
  ],
  stacks: [[['s'], 'On a frame of the flame graph: its callers and callees']],
}

export function KeySheet({
  path,
  screens,
}: {
  /** Of the screen that is shown: 'timeline'. */
  readonly path: string
  readonly screens: readonly Screen[]
}) {
  const [open, setOpen] = useState(false)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== '?' || event.ctrlKey || event.metaKey || event.altKey) return
      if (isTyping(event.target) || document.querySelector('[role="dialog"], [role="menu"]')) return
      event.preventDefault()
      setOpen(true)
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])
  const name = screens.find((one) => one.path === path)?.name ?? ''
  const own = OF_SCREEN[path]
  return (
    <>
      <IconButton
        label="Keys (?)"
        icon={<span aria-hidden="true">?</span>}
        className="rail-toggle"
        onClick={() => setOpen(true)}
      />
      <Dialog open={open} onOpenChange={setOpen} title="Keys">
        {own && <Keys title={name} keys={own} />}
        <Keys title="Everywhere" keys={EVERYWHERE} />
        <Keys
          title="Go to a screen: g, then"
          keys={screens.map((one): Key => [[one.key], one.name])}
        />
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
