/** The tables of captured rows: sessions, server settings, deadlocks, queries, the log, result sets. */
import { useSearchParams } from 'react-router'
import { oneOf, readUrl, useUrlChange } from '@/state/url'
import { Tabs } from '@/ui/controls/Tabs'
import { SkeletonRows } from '@/ui/display/States'
import { DeadlocksTab } from './DeadlocksTab'
import { type Tab, TABS, useFirstTab } from './firstTab'
import { LogTab } from './LogTab'
import { QueriesTab } from './QueriesTab'
import { ResultsTab } from './ResultsTab'
import { SessionsTab } from './SessionsTab'
import { SettingsTab } from './SettingsTab'
import './tables.css'

const TAB = oneOf<Tab | ''>(TABS)

/** Keys of the address that belong to one tab. */
const OWN = [
  'a',
  'b',
  'all',
  'q',
  'at',
  'by',
  'group',
  'idle',
  'page',
  'source',
  'severity',
  'view',
  'pick',
  'pattern',
  'sort',
  'down',
] as const

export default function TablesScreen() {
  const [params] = useSearchParams()
  // Addresses kept from before have no tab where they mean two sources of settings.
  const named = readUrl<Tab | ''>(params, [
    'tab',
    TAB,
    params.has('a') || params.has('b') ? 'settings' : '',
  ])
  const first = useFirstTab(named === '')
  const tab = named || first
  const change = useUrlChange()
  if (!tab) return <SkeletonRows rows={12} />
  return (
    <div className="tablescreen">
      <Tabs
        label="Tables"
        value={tab}
        onChange={(next) =>
          change(
            {
              ...Object.fromEntries(OWN.map((key) => [key, []])),
              tab: [next],
            },
            { push: true },
          )
        }
        tabs={[
          { value: 'sessions', label: 'Sessions', content: <SessionsTab /> },
          { value: 'settings', label: 'Server settings', content: <SettingsTab /> },
          { value: 'deadlocks', label: 'Deadlocks', content: <DeadlocksTab /> },
          { value: 'queries', label: 'Top queries', content: <QueriesTab /> },
          { value: 'log', label: 'Log', content: <LogTab /> },
          { value: 'results', label: 'Result sets', content: <ResultsTab /> },
        ]}
      />
    </div>
  )
}
