/**
 * The command palette (Ctrl+K or "/"): every command of the screen, and the search in this incident
 * and in all others.
 */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useIsGuest } from '@/api/queries'
import { Command, defaultFilter } from 'cmdk'
import { Dialog as Radix } from 'radix-ui'
import { type ReactNode, useDeferredValue, useEffect, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import type { Found } from '@/api/schema'
import { type ZoneMode, useZone } from '@/state/incident'
import { isElsewhere, singleKeysOn, useActiveKeys, useSingleKeys } from '@/state/keys'
import { type Theme, useTheme } from '@/state/theme'
import { sharedSearch } from '@/state/url'
import { DialogContent } from '@/ui/panels/Dialog'
import { searchAllQuery, searchQuery, viewsQuery } from './queries'
import { hintOf, hrefOf, KIND_NAMES } from './found'
import './palette.css'

type Screen = { readonly path: string; readonly name: string; readonly key: string }

/** Commands of the palette in addition to the keys of the screen. */
type PaletteActs = {
  readonly showKeys: () => void
  readonly copyLink: () => void
  readonly nameView: () => void
}

/** The incident that the palette searches first, with its screens and commands. */
type Here = {
  readonly id: string
  readonly screens: readonly Screen[]
  readonly acts: PaletteActs
}

export function Palette({ here }: { readonly here: Here | null }) {
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
          <DialogContent className="dialog palette" aria-describedby={undefined}>
            <Radix.Title className="visually-hidden">Search or run a command</Radix.Title>
            <Body here={here} close={() => setOpen(false)} />
          </DialogContent>
        </Radix.Portal>
      </Radix.Root>
    </>
  )
}

/** Commands that contain the words come first, then the server's results in its order. */
const RESULT = 'result:'
const rank = (value: string, words: string, keywords?: string[]) => {
  if (value.startsWith(RESULT)) return 0.7 - Number(value.slice(RESULT.length).split(' ')[0]) / 1000
  return value.toLowerCase().includes(words.trim().toLowerCase())
    ? 1
    : 0.2 * defaultFilter(value, words, keywords)
}

/** The keys that choose another line. */
const PICKS = new Set(['ArrowDown', 'ArrowUp', 'Home', 'End'])

function Body({ here, close }: { readonly here: Here | null; readonly close: () => void }) {
  const [words, setWords] = useState('')
  const navigate = useNavigate()
  const wanted = useDeferredValue(words.trim())
  const guest = useIsGuest()
  // Which words are long enough, the server alone decides: for others it finds nothing.
  const searchesHere = here !== null && wanted !== ''
  const searchesAll = !guest && wanted !== ''
  const inside = useQuery({
    ...searchQuery(here?.id ?? '', wanted),
    enabled: searchesHere,
    placeholderData: keepPreviousData,
  })
  const everywhere = useQuery({
    ...searchAllQuery(wanted),
    enabled: searchesAll,
    placeholderData: keepPreviousData,
  })
  const go = (to: string) => {
    close()
    void navigate(to)
  }
  /** Run a command after the dialog has closed, because it may open another one. */
  const act = (what: () => void) => {
    close()
    setTimeout(what)
  }
  const list = useRef<HTMLDivElement>(null)
  const [chosen, setChosen] = useState('')
  /** Whether the user chose a line since the words changed, by an arrow or the pointer. */
  const picked = useRef(false)
  // The first line is chosen until the user picks another: the search in this incident may answer
  // last, and what it finds comes above. cmdk keeps the line that was first, or none if it has gone.
  useEffect(() => {
    const frame = requestAnimationFrame(() => {
      if (!list.current) return
      if (picked.current && list.current.querySelector('[aria-selected="true"]')) return
      const first = list.current.querySelector('[role="option"]')
      if (first) setChosen(first.getAttribute('data-value') ?? '')
    })
    return () => cancelAnimationFrame(frame)
  }, [words, inside.data, everywhere.data])
  const isBusy = inside.isFetching || everywhere.isFetching
  const others = (everywhere.data ?? []).filter((found) => found.incident_id !== here?.id)
  return (
    <Command
      label="Search or run a command"
      loop
      filter={rank}
      value={chosen}
      onValueChange={setChosen}
      onKeyDown={({ key }) => {
        if (PICKS.has(key)) picked.current = true
      }}
      onPointerMove={() => {
        picked.current = true
      }}
    >
      <Command.Input
        value={words}
        onValueChange={(next) => {
          picked.current = false
          setWords(next)
        }}
        placeholder="A session, statement, variable, file, note, command…"
      />
      <Command.List ref={list}>
        <Command.Empty>{isBusy ? 'Searching…' : noMatch(wanted, guest)}</Command.Empty>
        {inside.isError || everywhere.isError ? (
          <p className="palette-failed" role="alert">
            The search did not answer. Type again to retry; commands still work.
          </p>
        ) : null}
        {searchesHere && (
          <Results
            heading="In this incident"
            founds={inside.data ?? []}
            words={wanted}
            from={0}
            go={go}
          />
        )}
        {searchesAll && (
          <Results
            heading={here ? 'In other incidents' : 'In all incidents'}
            founds={others}
            words={wanted}
            from={200}
            go={go}
            isElsewhere
          />
        )}
        <GoTo here={here} go={go} />
        {here && <OnThisScreen act={act} />}
        {here && <ThisView here={here} go={go} act={act} />}
        <Looks act={act} showKeys={here?.acts.showKeys} />
      </Command.List>
    </Command>
  )
}

/** What the empty list says, with what the search across incidents needs. */
function noMatch(words: string, guest: boolean): string {
  const needs = ' Across incidents, the search needs three letters or digits in a row.'
  return `No match for “${words}”.${guest ? '' : needs}`
}

function Results({
  heading,
  founds,
  words,
  from,
  go,
  isElsewhere: elsewhere = false,
}: {
  readonly heading: string
  readonly founds: readonly Found[]
  readonly words: string
  readonly from: number
  readonly go: (to: string) => void
  readonly isElsewhere?: boolean
}) {
  if (founds.length === 0) return null
  return (
    <Command.Group heading={heading}>
      {founds.map((found, place) => (
        <Line
          key={`${found.incident_id} ${found.kind} ${found.id}`}
          value={`${RESULT}${from + place} ${found.incident_id} ${found.kind} ${found.id}`}
          hint={hintOf(found, words, elsewhere)}
          kind={KIND_NAMES[found.kind]}
          onSelect={() => go(hrefOf(found, elsewhere ? '' : window.location.search))}
        >
          {found.title}
        </Line>
      ))}
    </Command.Group>
  )
}

function GoTo({ here, go }: { readonly here: Here | null; readonly go: (to: string) => void }) {
  return (
    <Command.Group heading="Go to">
      {here?.screens.map((screen) => (
        <Line
          key={screen.path}
          value={`go to ${screen.name}`}
          keys={['g', screen.key]}
          onSelect={() =>
            go(`/incidents/${here.id}/${screen.path}${sharedSearch(window.location.search)}`)
          }
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
  )
}

function OnThisScreen({ act }: { readonly act: (what: () => void) => void }) {
  const keys = useActiveKeys()
  if (!keys.some((key) => key.run)) return null
  return (
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
  )
}

function ThisView({
  here,
  go,
  act,
}: {
  readonly here: Here
  readonly go: (to: string) => void
  readonly act: (what: () => void) => void
}) {
  const views = useQuery(viewsQuery(here.id))
  return (
    <Command.Group heading="This view">
      <Line
        value="do copy a link to this view"
        keys={['l']}
        onSelect={() => act(here.acts.copyLink)}
      >
        Copy a link to this view
      </Line>
      <Line value="do name this view" onSelect={() => act(here.acts.nameView)}>
        Name this view…
      </Line>
      {(views.data ?? []).map((item) => (
        <Line
          key={item.id}
          value={`view ${item.name ?? ''} ${item.id}`}
          hint={item.by ?? undefined}
          onSelect={() => go(`/incidents/${here.id}/${item.view}`)}
        >
          {item.name}
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
  readonly showKeys: (() => void) | undefined
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
      {showKeys && (
        <Line value="keys sheet shortcuts" keys={['?']} onSelect={() => act(showKeys)}>
          Keyboard shortcuts
        </Line>
      )}
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
      <span className="ellipsis" title={typeof children === 'string' ? children : undefined}>
        {children}
      </span>
      {hint && (
        <span className="palette-hint ellipsis" title={hint}>
          {hint}
        </span>
      )}
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
