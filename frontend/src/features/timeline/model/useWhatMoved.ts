/** Ask which series moved in the shown window, and show those. */
import { useState } from 'react'
import type { Interval } from '@/charts/range'
import { useUrlChange } from '@/state/url'
import { askWhatMoved } from './queries'

const MAX_SHOWN = 16

export function useWhatMoved(id: string, shown: { readonly range: Interval }) {
  const changeUrl = useUrlChange()
  const [state, setState] = useState<{ busy: boolean; error: unknown; found: number | null }>({
    ...{ busy: false, error: null, found: null },
  })
  const run = () => {
    setState({ busy: true, error: null, found: null })
    askWhatMoved(id, shown.range).then(
      ({ moved }) => {
        setState({ busy: false, error: null, found: moved.length })
        if (moved.length > 0) {
          const series = moved.slice(0, MAX_SHOWN).map((entry) => entry.series)
          changeUrl({ series, order: [] })
        }
      },
      (error: unknown) => setState({ busy: false, error, found: null }),
    )
  }
  return { ...state, run }
}
