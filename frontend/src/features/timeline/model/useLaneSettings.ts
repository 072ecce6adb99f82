/** How the lanes are set up, as kept in the address: which, in which order, grouped and aligned how. */
import { useMemo } from 'react'
import { flag, list, oneOf, text, useUrlState } from '@/state/url'
import { useTimes } from '@/ui/controls/TimesToggle'
import { readChoices } from './laneChoices'
import { FIELDS } from './laneTypes'

const GROUP_BY = oneOf([...FIELDS, ''] as const)
const SHOW = oneOf(['proposed', 'all'] as const)

export function useLaneSettings() {
  const [chosen, setChosen] = useUrlState<readonly string[]>('series', list, [])
  const [show, setShow] = useUrlState('show', SHOW, 'proposed')
  const [query, setQuery] = useUrlState('q', text, '')
  const [writtenChoices] = useUrlState<readonly string[]>('set', list, [])
  const [order, setOrder] = useUrlState<readonly string[]>('order', list, [])
  const [groupBy, setGroupBy] = useUrlState('by', GROUP_BY, '')
  const [aligned, setAligned] = useUrlState('aligned', flag, false)
  const [otherIds, setOtherIds] = useUrlState<readonly string[]>('beside', list, [])
  const [times] = useTimes()
  const choices = useMemo(() => readChoices(writtenChoices), [writtenChoices])
  return {
    ...{ chosen, setChosen, show, setShow, query, setQuery, times, choices, order, setOrder },
    ...{ groupBy, setGroupBy, aligned, setAligned, otherIds, setOtherIds },
  }
}

export type LaneSettings = ReturnType<typeof useLaneSettings>
