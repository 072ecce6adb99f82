/** Left rail, top bar, canvas, status line. */
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react'
import { NavLink, useLocation } from 'react-router'
import { useIsGuest } from '@/api/queries'
import type { Incident, Overview } from '@/api/schema'
import { useKeptFocus, useLandingFocus } from '@/state/keptFocus'
import { useKeys } from '@/state/keys'
import { sharedSearch } from '@/state/url'
import { useStored } from '@/state/stored'
import { IconButton } from '@/ui/controls/Button'
import { cx } from '@/ui/controls/cx'
import {
  ActivityIcon,
  ArtifactsIcon,
  CompareIcon,
  ExperimentsIcon,
  HypothesesIcon,
  OverviewIcon,
  RailIcon,
  ReportIcon,
  StacksIcon,
  TablesIcon,
  TimelineIcon,
  WaitsIcon,
} from '@/ui/controls/icons'
import { PIN_KEYS, pinOfChosen } from '@/ui/evidence/pinKey'
import { UndoToast } from '@/ui/history/undo'
import { useGoKeys } from './goKeys'
import { usePartKeys } from './partKeys'
import { NameView, useCopyLink } from './CopyLink'
import { Here } from './Here'
import { KeySheet } from './KeySheet'
import { Palette } from './Palette'
import { StatusLine } from './StatusLine'
import { TopBar } from './TopBar'
import './shell.css'

/** In the order people use them. */
export const SCREENS = [
  { path: 'overview', name: 'Overview', key: 'o', Icon: OverviewIcon },
  { path: 'artifacts', name: 'Artifacts', key: 'a', Icon: ArtifactsIcon },
  { path: 'timeline', name: 'Timeline', key: 't', Icon: TimelineIcon },
  { path: 'waits', name: 'Wait graph', key: 'w', Icon: WaitsIcon },
  { path: 'stacks', name: 'Stacks', key: 's', Icon: StacksIcon },
  { path: 'tables', name: 'Tables', key: 'l', Icon: TablesIcon },
  { path: 'compare', name: 'Compare', key: 'c', Icon: CompareIcon },
  { path: 'hypotheses', name: 'Hypotheses', key: 'h', Icon: HypothesesIcon },
  { path: 'experiments', name: 'Experiments', key: 'e', Icon: ExperimentsIcon },
  { path: 'report', name: 'Report', key: 'r', Icon: ReportIcon },
  { path: 'activity', name: 'Activity', key: 'v', Icon: ActivityIcon },
] as const

const ROOM_FOR_NAMES = '(width >= 1280px)'
const isWide = () => window.matchMedia?.(ROOM_FOR_NAMES).matches ?? false
const onWidth = (changed: () => void) => {
  const room = window.matchMedia?.(ROOM_FOR_NAMES)
  room?.addEventListener('change', changed)
  return () => room?.removeEventListener('change', changed)
}

export function Shell({
  incident,
  overview,
  children,
}: {
  readonly incident: Incident | null
  readonly overview: Overview | null
  readonly children: ReactNode
}) {
  const wide = useSyncExternalStore(onWidth, isWide)
  // Until the user chooses, the names show where there is room for them.
  const [chosen, setOpen] = useStored<boolean | null>('rail.open', null)
  const open = chosen ?? wide
  const { search, pathname } = useLocation()
  const base = pathname.split('/').slice(0, 3).join('/')
  const incidentId = pathname.split('/')[2] ?? ''
  // The overview uses the title of the incident as its heading.
  const screen = SCREENS.find((item) => item.path === pathname.split('/')[3])
  const [keysShown, showKeys] = useState(false)
  const [naming, setNaming] = useState(false)
  const link = useCopyLink(incidentId)
  const guest = useIsGuest()
  const screens = guest ? SCREENS.filter(({ path }) => path !== 'activity') : SCREENS
  useGoKeys(base, screens)
  usePartKeys()
  useKeptFocus('canvas')
  useLandingFocus('canvas')
  useEffect(() => {
    document.title = [screen?.name, incident?.title, 'Pileup'].filter(Boolean).join(' · ')
  }, [screen, incident?.title])
  useKeys(PIN_KEYS, {
    pin: () => {
      const button = pinOfChosen(document, document.activeElement)
      if (button) button.click()
      else link.notify('Select what to pin first')
    },
  })
  return (
    <div className={cx('shell', open && 'shell-rail-open')}>
      <a className="skip" href="#canvas">
        Skip to the screen
      </a>
      <TopBar incident={incident} overview={overview}>
        <Here screens={SCREENS} />
        <span role="status" className="topbar-notice">
          {link.notice}
        </span>
        <Palette
          here={{
            id: incidentId,
            screens,
            acts: {
              showKeys: () => showKeys(true),
              copyLink: link.copy,
              nameView: () => setNaming(true),
            },
          }}
        />
      </TopBar>
      <NameView incidentId={incidentId} open={naming} onOpenChange={setNaming} />
      <nav className="rail" aria-label="Screens of the incident">
        {screens.map(({ path, name, key, Icon }) => (
          <NavLink
            key={path}
            to={`${base}/${path}${sharedSearch(search)}`}
            className="rail-link"
            title={open ? `g ${key}` : `${name} (g ${key})`}
          >
            <Icon size={18} />
            <span className="rail-name">{name}</span>
          </NavLink>
        ))}
        <span className="rail-space" />
        <KeySheet
          path={screen?.path ?? ''}
          screens={screens}
          open={keysShown}
          onOpenChange={showKeys}
        />
        <IconButton
          label={open ? 'Hide the names of the screens' : 'Show the names of the screens'}
          icon={<RailIcon />}
          pressed={open}
          className="rail-toggle"
          onClick={() => setOpen(!open)}
        />
      </nav>
      <main id="canvas" className="canvas" tabIndex={-1}>
        {screen && screen.path !== 'overview' && (
          <h1 className="visually-hidden">
            {screen.name} of {incident?.title ?? 'the incident'}
          </h1>
        )}
        {children}
      </main>
      <UndoToast />
      <StatusLine overview={overview} />
    </div>
  )
}
