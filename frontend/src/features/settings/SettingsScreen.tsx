/** Your profile; tokens for pushing from hosts and scripts; users, webhooks and the audit trail, for admins. */
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useMay } from '@/api/queries'
import { oneOf, useUrlState } from '@/state/url'
import { peopleQuery } from '@/ui/text/commentQueries'
import { Banner } from '@/ui/display/States'
import { Tabs } from '@/ui/controls/Tabs'
import { Trail } from '@/ui/history/Trail'
import { Installation } from './Installation'
import { Profile } from './Profile'
import { Redaction } from './Redaction'
import { Teams } from './Teams'
import { Tokens } from './Tokens'
import { Usage } from './Usage'
import { Users } from './Users'
import { Webhooks } from './Webhooks'
import './settings.css'

const TABS = [
  'profile',
  'tokens',
  'users',
  'usage',
  'teams',
  'webhooks',
  'redaction',
  'audit',
  'installation',
] as const
type TabName = (typeof TABS)[number]
const TAB = oneOf<TabName>(TABS)
const OF_ADMINS: readonly TabName[] = ['users', 'usage', 'webhooks', 'redaction', 'audit']

export default function SettingsScreen() {
  const admin = useMay('admin')
  const [tab, setTab] = useUrlState<TabName>('tab', TAB, 'profile')
  useEffect(() => {
    document.title = 'Settings · Pileup'
  }, [])
  return (
    <div className="settings">
      <header className="settings-head">
        <h1>Settings</h1>
      </header>
      {!admin && OF_ADMINS.includes(tab) && <OfAdmins tab={tab} />}
      <Tabs<TabName>
        label="Settings"
        value={!admin && OF_ADMINS.includes(tab) ? 'profile' : tab}
        onChange={setTab}
        tabs={[
          { value: 'profile', label: 'Profile', content: <Profile /> },
          { value: 'tokens', label: 'Tokens', content: <Tokens /> },
          { value: 'teams', label: 'Teams', content: <Teams /> },
          ...(admin
            ? ([
                { value: 'users', label: 'Users', content: <Users /> },
                { value: 'usage', label: 'Usage', content: <Usage /> },
                { value: 'webhooks', label: 'Webhooks', content: <Webhooks /> },
                { value: 'redaction', label: 'Redaction', content: <Redaction /> },
                {
                  value: 'audit',
                  label: 'Audit',
                  content: (
                    <div className="settings-trail scroll">
                      <Trail incidentId={null} />
                    </div>
                  ),
                },
              ] as const)
            : []),
          { value: 'installation', label: 'Installation', content: <Installation /> },
        ]}
      />
    </div>
  )
}

/** The message for a link to settings that only admins may see. */
function OfAdmins({ tab }: { readonly tab: TabName }) {
  const people = useQuery(peopleQuery)
  const names = (people.data ?? []).filter((item) => item.admin).map((item) => item.name)
  return (
    <Banner tone="plain">
      This link leads to “{tab}”, which administrators see
      {names.length > 0 && `: ask ${names.slice(0, 5).join(' or ')}`}.
    </Banner>
  )
}
