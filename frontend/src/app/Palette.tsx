/**
 * The command palette (Ctrl+K or "/"): every command of the screen and everything in the incident by
 * name.
 */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Command } from 'cmdk'
import { Dialog as Radix } from 'radix-ui'
import { type ReactNode, useEffect, useState } from 'react'
import { useNavigate } from 'react-router'
import { incidentsQuery } from '@/api/queries'
import { type ZoneMode, useZone } from '@/state/incident'
import { isElsewhere, singleKeysOn, useActiveKeys, useSingleKeys } from '@/state/keys'
import { type Theme, useTheme } from '@/state/theme'
import { sharedSearch } from '@/state/url'
import { findQuery, viewsQuery } from './queries'
import { hrefOf, KIND_NAMES } from './found'
import './palette.css'

type Screen = { readonly path: string; readonly name: string; readonly key: string }

/** Commands of the palette in addition to the keys of the screen. */
type PaletteActs = {
  readonly showKeys: () => void
  readonly copyLink: () => void
  readonly nameView: () => void
}

export function Palette({
  incidentId,
  screens,
  acts,
}: {
  readonly incidentId: string
  readonly screens: readonly Screen[]
  readonly acts: PaletteActs
}) {
  const [open, setOpen] = useState(false)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const wanted =
        (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey) ||
        (event.key === '/' && singleKeysOn() && !isElsewhere(event))
      if (!wanted) return
      event.preventDefault()
      setOpen(true)
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])
  return (
    <>
      <button type="button" className="palette-open" onClick={() => setOpen(true)}>
        <span>Search or run a command</span>
        <kbd>/</kbd>
      </button>
      <Radix.Root open={open} onOpenChange={setOpen}>
        <Radix.Portal>
          <Radix.Overlay className="dialog-shade" />
          <Radix.Content className="dialog palette" aria-describedby={undefined}>
            <Radix.Title className="visually-hidden">Search or run a command</Radix.Title>
            <Body
              incidentId={incidentId}
              screens={screens}
              acts={acts}
              close={() => setOpen(false)}
            />
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
    </>
  )
}

function Body({
  incidentId,
  screens,
  acts,
  close,
}: {
  readonly incidentId: string
  readonly screens: readonly Screen[]
  readonly acts: PaletteActs
  readonly close: () => void
}) {
  const [words, setWords] = useState('')
  const navigate = useNavigate()
  const keys = useActiveKeys()
  const views = useQuery(viewsQuery(incidentId))
  const result = useQuery({
    ...findQuery(incidentId, words.trim()),
    enabled: words.trim().length > 1,
    placeholderData: keepPreviousData,
  })
  const base = `/incidents/${incidentId}`
  const go = (to: string) => {
    close()
    void navigate(to)
  }
  /** Run a command after the dialog has closed, because it may open another one. */
  const act = (what: () => void) => {
    close()
    setTimeout(what)
  }
  return (
    <Command label="Search or run a command" loop>
      <Command.Input
        value={words}
        onValueChange={setWords}
        placeholder="A command, a series, a file, a hypothesis…"
      />
      <Command.List>
        <Command.Empty>
          {result.isFetching ? 'Searching…' : `No match for “${words.trim()}”.`}
        </Command.Empty>
        <Command.Group heading="Go to">
          {screens.map((screen) => (
            <Line
              key={screen.path}
              value={`go to ${screen.name}`}
              keys={['g', screen.key]}
              onSelect={() => go(`${base}/${screen.path}${sharedSearch(window.location.search)}`)}
            >
              {screen.name}
            </Line>
          ))}
          <Line value="go to all incidents" onSelect={() => go('/')}>
            All incidents
          </Line>
          <Line value="go to settings" onSelect={() => go('/settings')}>
            Settings
          </Line>
        </Command.Group>
        {keys.some((key) => key.run) && (
          <Command.Group heading="On this screen">
            {keys.map((key) => {
              const { run } = key
              return (
                run && (
                  <Line
                    key={key.does}
                    value={`do ${key.does}`}
                    keys={key.keys.slice(0, 2)}
                    onSelect={() => act(run)}
                  >
                    {key.does}
                  </Line>
                )
              )
            })}
          </Command.Group>
        )}
        <Command.Group heading="This view">
          <Line
            value="do copy a link to this view"
            keys={['l']}
            onSelect={() => act(acts.copyLink)}
          >
            Copy a link to this view
          </Line>
          <Line value="do name this view" onSelect={() => act(acts.nameView)}>
            Name this view…
          </Line>
          {(views.data ?? []).map((item) => (
            <Line
              key={item.id}
              value={`view ${item.name ?? ''} ${item.id}`}
              hint={item.by ?? undefined}
              onSelect={() => go(`${base}/${item.view}`)}
            >
              {item.name}
            </Line>
          ))}
        </Command.Group>
        {result.data && words.trim().length > 1 && (
          <Command.Group heading="In this incident">
            {result.data.map((item) => (
              <Line
                key={`${item.kind} ${item.id}`}
                // The server has matched already: the search words make cmdk's own match succeed.
                value={`${words} found ${item.kind} ${item.id}`}
                hint={
                  item.kind === 'pin' || item.kind === 'view' ? undefined : (item.hint ?? undefined)
                }
                kind={KIND_NAMES[item.kind]}
                onSelect={() => go(hrefOf(base, item, window.location.search))}
              >
                {item.title}
              </Line>
            ))}
          </Command.Group>
        )}
        <Incidents besides={incidentId} go={go} />
        <Looks act={act} showKeys={acts.showKeys} />
      </Command.List>
    </Command>
  )
}

function Incidents({
  besides,
  go,
}: {
  readonly besides: string
  readonly go: (to: string) => void
}) {
  const incidents = useQuery(incidentsQuery)
  return (
    <Command.Group heading="Incidents">
      {(incidents.data?.items ?? [])
        .filter((item) => item.id !== besides)
        .slice(0, 50)
        .map((item) => (
          <Line
            key={item.id}
            value={`incident ${item.title} ${item.id}`}
            hint={item.status}
            onSelect={() => go(`/incidents/${item.id}/overview`)}
          >
            {item.title}
          </Line>
        ))}
    </Command.Group>
  )
}

function Looks({
  act,
  showKeys,
}: {
  readonly act: (what: () => void) => void
  readonly showKeys: () => void
}) {
  const [single, setSingle] = useSingleKeys()
  const [, setTheme] = useTheme()
  const zone = useZone()
  return (
    <Command.Group heading="Appearance">
      {THEMES.map(([theme, name]) => (
        <Line key={theme} value={`theme ${name}`} onSelect={() => act(() => setTheme(theme))}>
          Theme: {name}
        </Line>
      ))}
      {ZONES.map(([mode, name]) => (
        <Line key={mode} value={`times in ${name}`} onSelect={() => act(() => zone.setMode(mode))}>
          Times in {name}
        </Line>
      ))}
      <Line value="keys sheet shortcuts" keys={['?']} onSelect={() => act(showKeys)}>
        Keyboard shortcuts
      </Line>
      <Line value="single keys on off" onSelect={() => act(() => setSingle(!single))}>
        {single ? 'Turn single keys off' : 'Turn single keys on'}
      </Line>
    </Command.Group>
  )
}

const THEMES: readonly (readonly [Theme, string])[] = [
  ['system', 'as the system'],
  ['light', 'light'],
  ['dark', 'dark'],
]
const ZONES: readonly (readonly [ZoneMode, string])[] = [
  ['utc', 'UTC'],
  ['incident', "the captured servers' zone"],
  ['local', "this browser's zone"],
]

function Line({
  value,
  kind,
  hint,
  keys,
  onSelect,
  children,
}: {
  readonly value: string
  readonly kind?: string | undefined
  readonly hint?: string | undefined
  readonly keys?: readonly string[]
  readonly onSelect: () => void
  readonly children: ReactNode
}) {
  return (
    <Command.Item value={value} onSelect={onSelect}>
      {kind && <span className="palette-kind">{kind}</span>}
      <span className="ellipsis">{children}</span>
      {hint && <span className="palette-hint ellipsis">{hint}</span>}
      {keys && (
        <span className="palette-keys">
          {keys.map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}
        </span>
      )}
    </Command.Item>
  )
}
