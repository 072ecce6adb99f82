/** Tokens for pushing from hosts and scripts; users, for admins. */
import { useEffect } from 'react'
import { useMay } from '@/api/queries'
import { oneOf, useUrlState } from '@/state/url'
import { Tabs } from '@/ui/Tabs'
import { Trail } from '@/ui/Trail'
import { Installation } from './Installation'
import { Tokens } from './Tokens'
import { Users } from './Users'
import './settings.css'

const TAB = oneOf(['tokens', 'users', 'audit', 'installation'] as const)
type TabName = 'tokens' | 'users' | 'audit' | 'installation'

export default function SettingsScreen() {
  const admin = useMay('admin')
  const [tab, setTab] = useUrlState<TabName>('tab', TAB, 'tokens')
  useEffect(() => {
    document.title = 'Settings · Pileup'
  }, [])
  return (
    <div className="settings">
      <header className="settings-head">
        <h1>Settings</h1>
      </header>
      <Tabs<TabName>
        label="Settings"
        value={(tab === 'users' || tab === 'audit') && !admin ? 'tokens' : tab}
        onChange={setTab}
        tabs={[
          { value: 'tokens', label: 'Tokens', content: <Tokens /> },
          ...(admin ? [{ value: 'users' as const, label: 'Users', content: <Users /> }] : []),
          ...(admin
            ? [{ value: 'audit' as const, label: 'Audit', content: <Trail incidentId={null} /> }]
            : []),
          { value: 'installation', label: 'Installation', content: <Installation /> },
        ]}
      />
    </div>
  )
}
