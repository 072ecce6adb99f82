/** The model of the wait screen: the address and the queries in, the graph of one moment and what can be done out. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { overviewQuery, useIsAnalysed } from '@/api/queries'
import type { CaptureDoc } from '@/api/schema'
import type { Interval } from '@/charts/range'
import { parseIso } from '@/charts/time'
import { useChosenStall, useIncidentId } from '@/state/incident'
import { oneOf, text, useResolvedDefaults, useUrlChange, useUrlState } from '@/state/url'
import { usePlay } from './moments/usePlay'
import { type Moment, nextMoment, sourceOf, waitingOf } from './moments/sources'
import type { WaitGraph } from './waitGraph'
import { graphQuery, momentsQuery, persistenceQuery, REQUEST_IN_URL } from './queries'

export const VIEWS = ['graph', 'tree', 'matrix', 'table'] as const
export type View = (typeof VIEWS)[number]
const VIEW = oneOf(VIEWS)
const SOURCE = oneOf(['', 'status dump', 'processlist', 'lock table', 'stack sample'] as const)
/** From this share of the waiters at the peak on, the moment with most behind the root shows them too. */
const NEARLY = 0.97
/** From this width on, the holder's statement and stack fit beside a graph of few columns. */
const WIDE_PX = 1280
/** Up to so many columns; each further one needs so much more width. */
const FEW_COLUMNS = 4
const COLUMN_PX = 150

export type WaitsModel = ReturnType<typeof useWaits>

export function useWaits() {
  const incidentId = useIncidentId()
  const address = useWaitsAddress(useWorstOfStall(incidentId))
  const { request, against, words, chosenId } = address
  const isKnown = useIsAnalysed(incidentId)
  const { graph, persistence, isMissingChosen } = useGraphOfMoment(
    incidentId,
    request,
    chosenId,
    isKnown === true,
  )
  const data = graph.data
  const isFresh = !graph.isPlaceholderData
  useResolvedDefaults({ at: isFresh ? (data?.at ?? null) : null })
  const selectedId = chosenId || (words && data?.found.length === 1 ? (data.found[0] ?? '') : '')
  const lasting = useMemo(
    () => new Map((persistence.data?.nodes ?? []).map((node) => [node.key, node])),
    [persistence.data],
  )
  const playback = usePlayback(incidentId, address, data?.at ?? null, isFresh && !graph.isFetching)
  // As the overview names it: one table of roots decides for every screen.
  const stall = useChosenStall()
  const overview = useQuery({ ...overviewQuery(incidentId, stall), enabled: graph.isSuccess })
  const captured = useMemo(
    () => (overview.data?.captures ?? []).flatMap(spanOf),
    [overview.data?.captures],
  )
  const holder = useHolder(graph.data, address.view === 'graph')
  return {
    incidentId,
    ...address,
    ...playback,
    graph,
    data,
    isUnanalysed: isKnown === false,
    isFresh,
    against,
    selectedId,
    /** What the inspector shows: the selected node, or the holder beside a graph that just opened. */
    selectedNode: data?.nodes.find((node) => node.id === (selectedId || holder.id)),
    closeInspector: () => {
      if (selectedId) address.closeInspector()
      holder.close()
    },
    /** A link names a node that the graph of this moment does not have, folded or not. */
    isMissingChosen,
    lasting,
    persistence,
    /** Where most of the stall's blocked time ends, over all its moments. */
    stallRoot: overview.data?.roots[0] ?? null,
    captured,
  }
}

function spanOf({ first, last }: CaptureDoc): Interval[] {
  const [from, to] = [parseIso(first), parseIso(last)]
  return from === null || to === null ? [] : [[from, to]]
}

/** The worst moment of the stall that the address chooses; 'worst' for the leading one. */
function useWorstOfStall(incidentId: string): string {
  const stall = useChosenStall()
  const overview = useQuery({ ...overviewQuery(incidentId, stall), enabled: stall !== '' })
  if (!overview.data?.shown_stall) return 'worst'
  const root = overview.data.roots[0]
  const { peak_at: peakAt, peak_waiters: peak } = overview.data.numbers
  const isSteady =
    !root || (root.moments >= root.of && (peak === null || root.behind < NEARLY * peak))
  return (isSteady ? null : root.time) ?? peakAt ?? 'worst'
}

/** What the address says, and the changes of it that the screen makes. */
function useWaitsAddress(worst: string) {
  const [written] = useUrlState(...REQUEST_IN_URL.at)
  const at = written === 'worst' ? worst : written
  const [against, setAgainst] = useUrlState(...REQUEST_IN_URL.against)
  const [fold, setFold] = useUrlState(...REQUEST_IN_URL.fold)
  const [opened, setOpened] = useUrlState(...REQUEST_IN_URL.opened)
  const [words, setWords] = useUrlState(...REQUEST_IN_URL.find)
  const [chosenId, setChosenId] = useUrlState('node', text, '')
  const [view, setView] = useUrlState('view', VIEW, 'graph')
  const change = useUrlChange()
  const [source] = useUrlState('source', SOURCE, '')
  const goTo = useCallback(
    (time: string, push = true) => change({ at: [time] }, { push }),
    [change],
  )
  return {
    request: { at, against, fold, opened, find: words },
    at,
    against,
    opened,
    words,
    chosenId,
    view,
    source,
    goTo,
    /** To a moment of one kind of source, through whose moments the playback goes on. */
    goToMoment: (moment: Moment) =>
      change({ at: [moment.time], source: [moment.source] }, { push: true }),
    setFold,
    setOpened,
    compareWith: (time: string) => setAgainst(time || null, { push: true }),
    swapWith: (shownAt: string) => change({ at: [against], vs: [shownAt] }, { push: true }),
    /** The moment at which most sessions are behind a root, and the root. */
    showRoot: ({ time, node }: { readonly time?: string | null; readonly node?: string }) =>
      change({ ...(time ? { at: [time] } : {}), node: node ? [node] : [] }, { push: true }),
    showWorst: () => change({ at: [], open: [], node: [] }, { push: true }),
    showView: (next: View) => setView(next, { push: true }),
    select: (nodeId: string) => setChosenId(nodeId || null),
    /** A selected group is gone when its members are shown, so nothing stays selected. */
    openGroup: (group: string) =>
      change({ open: [...opened.filter((other) => other !== group), group], node: [] }),
    closeInspector: () => change({ node: [], ...(words && !chosenId ? { find: [] } : {}) }),
    search: (next: string) => change({ find: next ? [next] : [], node: [] }, { push: true }),
    showThread: (thread: string) => change({ find: [thread], node: [thread] }, { push: true }),
    /** One level at a time: the search words first, then the difference. */
    clearOneLevel: () => (words ? setWords(null) : setAgainst(null, { push: true })),
  }
}

type Address = ReturnType<typeof useWaitsAddress>

function useGraphOfMoment(
  incidentId: string,
  request: Address['request'],
  chosenId: string,
  enabled: boolean,
) {
  const requested = useQuery({ ...graphQuery(incidentId, request), enabled })
  // A node that a link names may be folded away: then the graph is requested with it unfolded.
  const isAbsent =
    chosenId !== '' &&
    requested.isSuccess &&
    !requested.isPlaceholderData &&
    !requested.data.nodes.some((node) => node.id === chosenId)
  const unfolding = { ...request, find: chosenId }
  const unfolded = useQuery({ ...graphQuery(incidentId, unfolding), enabled: isAbsent })
  const isUnfolded = isAbsent && unfolded.isSuccess && !unfolded.isPlaceholderData
  const graph = isUnfolded ? unfolded : requested
  // After the graph: it is computed from all the dumps, and people come for the graph.
  const persistence = useQuery({
    ...persistenceQuery(incidentId, isUnfolded ? unfolding : request),
    enabled: graph.isSuccess && !graph.isPlaceholderData,
  })
  return { graph, persistence, isMissingChosen: isUnfolded }
}

/** The moments with waiters, the one before and after the shown one, and playing through them. */
function usePlayback(
  incidentId: string,
  { request, source, goTo }: Pick<Address, 'request' | 'source' | 'goTo'>,
  shownAt: string | null,
  isReady: boolean,
) {
  const client = useQueryClient()
  const moments = useQuery(momentsQuery(incidentId))
  const played = useMemo(
    () => sourceOf(moments.data ?? [], source, shownAt),
    [moments.data, source, shownAt],
  )
  const waiting = useMemo(
    () => [
      ...new Set(
        (moments.data ?? [])
          .filter((moment) => moment.source === played && waitingOf(moment) > 0)
          .map((moment) => moment.time),
      ),
    ],
    [moments.data, played],
  )
  const before = nextMoment(waiting, shownAt, -1)
  const after = nextMoment(waiting, shownAt, 1)
  const step = useCallback((time: string) => goTo(time, false), [goTo])
  const { playing, setPlaying, speed, setSpeed } = usePlay(after, isReady, step)
  const { against, fold, opened, find } = request
  useEffect(() => {
    if (playing && after !== null) {
      void client.prefetchQuery(graphQuery(incidentId, { at: after, against, fold, opened, find }))
    }
  }, [playing, after, client, incidentId, against, fold, opened, find])
  const play = useCallback(
    (on: boolean) => {
      // At the end, playing begins again at the first.
      if (on && after === null && waiting[0] !== undefined) goTo(waiting[0])
      setPlaying(on)
    },
    [after, waiting, goTo, setPlaying],
  )
  const place = waiting.findIndex((time) => Date.parse(time) === Date.parse(shownAt ?? ''))
  return {
    moments,
    waiting,
    played,
    before,
    after,
    playing,
    play,
    speed,
    setSpeed,
    place: placeText(place, waiting.length, played),
  }
}

/** "7 of 24 processlists" */
function placeText(place: number, of: number, source: Moment['source'] | null): string {
  const what = `${of} ${source ?? 'moment'}${of === 1 ? '' : 's'}`
  return place >= 0 ? `${place + 1} of ${what}` : what
}

/**
 * The root that blocks most, until somebody closes it: its statement and stack are the first question.
 * Where the graph that opened needs the whole width, it has it, also for the moments after.
 */
function useHolder(graph: WaitGraph | undefined, isGraph: boolean) {
  const [isClosed, setClosed] = useState(false)
  const [hasRoom, setHasRoom] = useState<boolean | null>(null)
  if (graph && hasRoom === null) setHasRoom(hasRoomBeside(graph))
  const id = isGraph && hasRoom && !isClosed ? (graph?.roots[0]?.node ?? '') : ''
  return { id, close: useCallback(() => setClosed(true), []) }
}

function hasRoomBeside(graph: WaitGraph): boolean {
  const columns = new Set(graph.nodes.map((node) => node.depth)).size
  return window.innerWidth >= WIDE_PX + COLUMN_PX * Math.max(0, columns - FEW_COLUMNS)
}
