/** The tables of captured rows: settings, sessions, deadlocks, queries, the log, result sets. */
import { oneOf, useUrlChange, useUrlState } from '@/state/url'
import { Tabs } from '@/ui/controls/Tabs'
import { DeadlocksTab } from './DeadlocksTab'
import { LogTab } from './LogTab'
import { QueriesTab } from './QueriesTab'
import { ResultsTab } from './ResultsTab'
import { SessionsTab } from './SessionsTab'
import { SettingsTab } from './SettingsTab'
import './tables.css'

const TABS = ['settings', 'sessions', 'deadlocks', 'queries', 'log', 'results'] as const
type Tab = (typeof TABS)[number]
const TAB = oneOf<Tab>(TABS)

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
  const [tab] = useUrlState<Tab>('tab', TAB, 'settings')
  const change = useUrlChange()
  return (
    <div className="tablescreen">
      <Tabs
        label="Tables"
        value={tab}
        onChange={(next) =>
          change(
            {
              ...Object.fromEntries(OWN.map((key) => [key, []])),
              tab: next === 'settings' ? [] : [next],
            },
            { push: true },
          )
        }
        tabs={[
          { value: 'settings', label: 'Settings', content: <SettingsTab /> },
          { value: 'sessions', label: 'Sessions', content: <SessionsTab /> },
          { value: 'deadlocks', label: 'Deadlocks', content: <DeadlocksTab /> },
          { value: 'queries', label: 'Top queries', content: <QueriesTab /> },
          { value: 'log', label: 'Log', content: <LogTab /> },
          { value: 'results', label: 'Result sets', content: <ResultsTab /> },
        ]}
      />
    </div>
  )
}
