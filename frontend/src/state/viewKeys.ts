/** Keys 1 to 9: the views of a screen, in display order. */
import { useMemo } from 'react'
import { type KeyTable, useKeys } from './keys'

/** Build the shortcuts for views with these names: "View: Tree" on 2. */
export function viewKeys(names: readonly string[]): KeyTable {
  return Object.fromEntries(
    names
      .slice(0, 9)
      .map((name, at) => [`view${at}`, { keys: [String(at + 1)], does: `View: ${name}` }]),
  )
}

/** Listen to the digits while the component is mounted; inside the matrix they rate cells instead. */
export function useViewKeys<T extends string>(
  views: readonly T[],
  names: Readonly<Record<T, string>>,
  show: (view: T) => void,
): void {
  const name = views.map((view) => names[view]).join('\u0000')
  const table = useMemo(() => viewKeys(name.split('\u0000')), [name])
  useKeys(table, Object.fromEntries(views.map((view, at) => [`view${at}`, () => show(view)])))
}
