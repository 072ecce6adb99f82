/** Incident switcher, time range, zone switch, theme, user menu. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, lazy, Suspense, useState } from 'react'
import { Link, useLocation, useNavigate } from 'react-router'
import { api, unwrap } from '@/api/client'
import { recentIncidentsQuery, useIsGuest, useMe } from '@/api/queries'
import type { Incident, Overview } from '@/api/schema'
import { useRange, useZone, type ZoneMode } from '@/state/incident'
import { forgetDrafts } from '@/state/stored'
import { type Theme, useTheme } from '@/state/theme'
import { sharedSearch } from '@/state/url'
import { Button, IconButton } from '@/ui/controls/Button'
import { CloseIcon, DownIcon, ThemeIcon, UserIcon } from '@/ui/controls/icons'
import { Menu, MenuChoice, MenuItem, MenuLabel, MenuLine } from '@/ui/controls/Menu'
import { fileStem } from '@/charts/exportSvg'
import { Time } from '@/ui/display/Value'
import { DownloadDialog } from '@/ui/panels/DownloadDialog'
import { alignment } from './alignment'
import { Mentions } from './Mentions'
import { StallPicker } from './StallPicker'
import { Palette } from './Palette'

const AccessDialog = lazy(() =>
  import('./AccessDialog').then((module) => ({ default: module.AccessDialog })),
)

/** The top bar of an incident. */
export function TopBar({
  incident,
  overview,
  children,
}: {
  readonly incident: Incident | null
  readonly overview: Overview | null
  readonly children?: ReactNode
}) {
  const guest = useIsGuest()
  return (
    <header className="topbar">
      <Link to="/" className="topbar-home" aria-label={guest ? 'Overview' : 'All incidents'}>
        <Mark />
      </Link>
      <IncidentSwitcher incident={incident} />
      <span className="topbar-space" />
      {children}
      {overview && <StallPicker overview={overview} />}
      {overview && <RangeBadge />}
      <ZoneSwitch />
      {incident && overview && <ClockBadge incident={incident.id} overview={overview} />}
      {incident && !guest && <Mentions incidentId={incident.id} />}
      <ThemeSwitch />
      <UserMenu />
    </header>
  )
}

/** The top bar of pages outside of an incident. */
export function PlainTopBar() {
  return (
    <header className="topbar">
      <Link to="/" className="topbar-home" aria-label="All incidents">
        <Mark />
      </Link>
      <span className="topbar-product">Pileup</span>
      <span className="topbar-space" />
      <Palette here={null} />
      <ThemeSwitch />
      <UserMenu />
    </header>
  )
}

function IncidentSwitcher({ incident }: { readonly incident: Incident | null }) {
  const navigate = useNavigate()
  const guest = useIsGuest()
  const incidents = useQuery({ ...recentIncidentsQuery, enabled: incident !== null && !guest })
  const others = incidents.data?.items.filter((item) => item.id !== incident?.id) ?? []
  const [access, setAccess] = useState(false)
  const [bundle, setBundle] = useState(false)
  if (guest) return <span className="topbar-title ellipsis">{incident?.title ?? '…'}</span>
  const menu = (
    <Menu
      align="start"
      trigger={
        <Button variant="ghost" className="topbar-title" title={incident?.title}>
          <span className="ellipsis">{incident?.title ?? '…'}</span>
          <DownIcon size={12} />
        </Button>
      }
    >
      <MenuLabel>Other incidents</MenuLabel>
      {others.slice(0, 20).map((item) => (
        <MenuItem
          key={item.id}
          hint={item.status}
          onSelect={() => void navigate(`/incidents/${item.id}/overview`)}
        >
          {item.title}
        </MenuItem>
      ))}
      {others.length === 0 && (
        <MenuItem disabled onSelect={() => undefined}>
          No other incident
        </MenuItem>
      )}
      <MenuLine />
      {incident && (
        <MenuItem hint={incident.visibility} onSelect={() => setAccess(true)}>
          Access to this incident
        </MenuItem>
      )}
      {incident && (
        <MenuItem hint="one file" onSelect={() => setBundle(true)}>
          Download as a bundle…
        </MenuItem>
      )}
      <MenuItem onSelect={() => void navigate('/')}>All incidents</MenuItem>
    </Menu>
  )
  return (
    <>
      {menu}
      {bundle && incident && (
        <DownloadDialog
          title="Download the incident as a bundle"
          url={`/api/v1/incidents/${incident.id}/bundle`}
          name={`${fileStem(incident.title)}.zip`}
          initial={[]}
          plain="The bundle contains the original files, and another Pileup can import it."
          redacted="A redacted bundle is for reading only: it has no original files and no releases, and cannot be imported."
          onClose={() => setBundle(false)}
        />
      )}
      {access && incident && (
        <Suspense>
          <AccessDialog id={incident.id} onClose={() => setAccess(false)} />
        </Suspense>
      )}
    </>
  )
}

/** The shared range when one is chosen, else the whole capture. */
function RangeBadge() {
  const [range, setRange] = useRange()
  if (!range.from || !range.to) return null
  return (
    <span className="topbar-range">
      <Time at={range.from} />
      <span className="faint"> – </span>
      <Time at={range.to} style="clock" />
      <IconButton
        label="Show the whole capture"
        size="small"
        icon={<CloseIcon size={12} />}
        onClick={() => setRange(null)}
      />
    </span>
  )
}

/** How well the clocks of the sources agree; opens the clock to check first. */
function ClockBadge({
  incident,
  overview,
}: {
  readonly incident: string
  readonly overview: Overview
}) {
  const { search } = useLocation()
  const found = alignment(overview.clocks)
  if (!found) return null
  const to = sharedSearch(search, { artifact: found.artifact, tab: 'clock' })
  return (
    <Link
      className={found.unsure ? 'topbar-clock topbar-clock-unsure' : 'topbar-clock'}
      to={`/incidents/${incident}/artifacts${to}`}
      title={found.long}
      aria-label={`Clocks ${found.short}. ${found.long}`}
    >
      <span aria-hidden="true">◷</span> <span className="topbar-words">{found.short}</span>
    </Link>
  )
}

function ZoneSwitch() {
  const zone = useZone()
  return (
    <Menu
      trigger={
        <Button variant="ghost" size="small" aria-label={`Zone of the times: ${zone.label}`}>
          <span className="faint topbar-words">Times in</span> {zone.label}
          <DownIcon size={12} />
        </Button>
      }
    >
      <MenuChoice<ZoneMode>
        value={zone.mode}
        onChange={zone.setMode}
        options={[
          { value: 'utc', label: 'UTC' },
          {
            value: 'incident',
            label: 'The captured servers',
            hint: zone.incidentZone ?? 'zone unknown',
            disabled: !zone.incidentZone,
          },
          {
            value: 'local',
            label: 'This browser',
            hint: Intl.DateTimeFormat().resolvedOptions().timeZone,
          },
        ]}
      />
    </Menu>
  )
}

function ThemeSwitch() {
  const [theme, setTheme] = useTheme()
  return (
    <Menu trigger={<IconButton label="Theme" icon={<ThemeIcon />} />}>
      <MenuChoice<Theme>
        value={theme}
        onChange={setTheme}
        options={[
          { value: 'system', label: 'As the system' },
          { value: 'light', label: 'Light' },
          { value: 'dark', label: 'Dark' },
        ]}
      />
    </Menu>
  )
}

function UserMenu() {
  const { user, guest } = useMe()
  const navigate = useNavigate()
  const client = useQueryClient()
  const signOut = useMutation({
    mutationFn: () => unwrap(api.DELETE('/api/v1/session')),
    onSuccess: forgetDrafts,
    onSettled: () => {
      client.clear()
      void navigate('/sign-in')
    },
  })
  return (
    <Menu trigger={<IconButton label={`${user.name}: account`} icon={<UserIcon />} />}>
      <MenuLabel>
        {user.name} · {guest ? 'reads this incident' : user.role}
      </MenuLabel>
      {!guest && (
        <>
          <MenuItem onSelect={() => void navigate('/settings?tab=profile')}>Your profile</MenuItem>
          <MenuItem onSelect={() => void navigate('/settings?tab=tokens')}>Settings</MenuItem>
          <MenuLine />
        </>
      )}
      <MenuItem onSelect={() => signOut.mutate()}>Sign out</MenuItem>
    </Menu>
  )
}

function Mark() {
  return (
    <svg width="20" height="20" viewBox="0 0 16 16" aria-hidden="true">
      <rect x="1" y="2" width="14" height="2.5" rx="0.5" fill="var(--holding)" />
      <rect x="1" y="6.75" width="10" height="2.5" rx="0.5" fill="var(--waiting)" />
      <rect x="1" y="11.5" width="6" height="2.5" rx="0.5" fill="var(--waiting)" opacity="0.7" />
    </svg>
  )
}
