/**
 * The artifacts screen: drop zone, running uploads, the table with live states; a row opens the receipt,
 * the sections and the raw text. ?artifact=&line=&to= is the deep link.
 */
import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useMemo, useState } from 'react'
import { artifactsQuery, statusQuery, useIsGuest, useMay } from '@/api/queries'
import type { Artifact } from '@/api/schema'
import { formatCount } from '@/format'
import { useWidth } from '@/charts/useWidth'
import { useIncidentId } from '@/state/incident'
import { oneOf, text, useUrlChange, useUrlState } from '@/state/url'
import { openPasteBox } from '@/state/pasteBox'
import { useStored } from '@/state/stored'
import { type GivenDraft, givenOf, NO_GIVEN } from '@/state/given'
import { enqueueUploads, type PathFile } from '@/state/uploads'
import { Button } from '@/ui/controls/Button'
import { useFileDrop } from '@/ui/controls/drop'
import { PasteIcon } from '@/ui/controls/icons'
import { DropVeil, FileChoosers } from '@/ui/controls/DropZone'
import { Banner, EmptyState, Problem, SkeletonRows } from '@/ui/display/States'
import { Table } from '@/ui/table/Table'
import { BytesValue } from '@/ui/display/Value'
import { SearchInput } from '@/ui/controls/SearchInput'
import { isExcluded, orderByArchive } from './list/archiveOrder'
import { COLUMNS, ALL_COLUMNS_PX } from './list/columns'
import { QueuePlace } from '@/ui/evidence/QueuePlace'
import { UnfinishedUploads } from './list/UnfinishedUploads'
import { UploadList } from './list/UploadList'
import { GiveTimesButton } from './clock/GivenTime'
import { UploadTime } from './clock/UploadTime'
import { ServersButton } from './clock/Servers'
import { Viewer } from './Viewer'
import { isDamaged, isMoving } from './state'
import { unfinishedQuery } from './queries'
import './artifacts.css'

const SHOW = oneOf(['all', 'moving', 'problems', 'unknown', 'done'] as const)
type Show = 'all' | 'moving' | 'problems' | 'unknown' | 'done'

export default function ArtifactsScreen() {
  const incidentId = useIncidentId()
  const list = useQuery(artifactsQuery(incidentId))
  const guest = useIsGuest()
  const { data: status } = useQuery({ ...statusQuery, enabled: !guest })
  const unfinished = useQuery(unfinishedQuery(incidentId))
  const mayWrite = useMay('contributor')
  const [chosen] = useUrlState('artifact', text, '')
  const [words, setWords] = useUrlState('q', text, '')
  const [show, setShow] = useUrlState<Show>('show', SHOW, 'all')
  const change = useUrlChange()
  const wanted = useDeferredValue(words.toLowerCase())

  const { take, time, setTime } = useTake(incidentId, unfinished.data ?? [])
  const over = useFileDrop(take, mayWrite)
  const items = useMemo(() => list.data && orderByArchive(list.data.items), [list.data])
  const shown = useMemo(
    () =>
      (items ?? []).filter(
        (item) =>
          FILTER[show](item) &&
          (!wanted ||
            `${item.path} ${item.format_title ?? ''} ${item.host ?? ''}`
              .toLowerCase()
              .includes(wanted)),
      ),
    [items, show, wanted],
  )
  const open = (id: string | null) =>
    change(
      { artifact: id ? [id] : [], line: [], to: [], find: [], tab: [], record: [], kind: [] },
      { push: true },
    )
  // Pins and reports name an artifact by its permanent hash; the UI by its id.
  const viewing = chosen
    ? (items?.find((item) => item.id === chosen) ?? items?.find((item) => item.sha256 === chosen))
    : undefined
  const [wide, setWide] = useStored('viewer.wide', false)
  const [table, width] = useWidth<HTMLDivElement>()

  return (
    <div className="artifacts">
      <div className="artifacts-list" hidden={wide && viewing !== undefined}>
        {status && !status.worker.alive && (
          <Banner tone="holding">
            No worker is running, so uploads are stored but not parsed. Start one with{' '}
            <code>pileup worker</code>, or run <code>pileup doctor</code>.
          </Banner>
        )}
        {(mayWrite || (items && items.length > 0)) && (
          <Tools
            items={items ?? []}
            isViewing={viewing !== undefined}
            onFiles={mayWrite ? take : undefined}
            time={time}
            onTime={setTime}
            words={words}
            onSearch={setWords}
            show={show}
            onShow={setShow}
          />
        )}
        {mayWrite && <GiveTimesButton incidentId={incidentId} artifacts={items ?? []} />}
        {mayWrite && <ServersButton incidentId={incidentId} artifacts={items ?? []} />}
        <UploadList incidentId={incidentId} />
        <UnfinishedUploads incidentId={incidentId} uploads={unfinished.data ?? []} />
        {list.isLoadingError ? (
          <Problem
            error={list.error}
            what="The artifacts could not be read"
            onRetry={() => void list.refetch()}
          />
        ) : !items ? (
          <SkeletonRows rows={12} />
        ) : items.length === 0 ? (
          <EmptyState title="No artifacts yet">
            Status dumps, stack samples, pt-stalk bundles, metric CSVs, logs and configuration
            appear here, each with its parse receipt. Drop the folder that was captured, paste text
            from a chat or a terminal (Ctrl+V), or push it from the host:{' '}
            <code>pileup push ./pt-stalk</code>.
          </EmptyState>
        ) : shown.length === 0 ? (
          <EmptyState
            title="No artifact matches the filter"
            action={
              <Button
                onClick={() => {
                  setWords(null)
                  setShow(null)
                }}
              >
                Show all {items.length}
              </Button>
            }
          />
        ) : (
          <div className="artifacts-table" ref={table}>
            <Table
              fill
              label="Artifacts"
              rows={shown}
              columns={
                viewing ? COLUMNS.narrow : width < ALL_COLUMNS_PX ? COLUMNS.wide : COLUMNS.all
              }
              rowKey={(row) => row.id}
              selected={viewing?.id ?? null}
              onSelect={(row) => open(row.id)}
              rowClass={(row) => isExcluded(row) && 'artifact-excluded'}
            />
          </div>
        )}
        {items && items.length > 0 && (
          <div className="artifacts-foot">
            <span>
              {formatCount(items.length, 'artifact')}, <BytesValue value={sumBytes(items)} />
            </span>
            <QueuePlace
              incidentId={incidentId}
              isParsing={items.some((item) => isMoving(item.state))}
            />
          </div>
        )}
      </div>
      {viewing ? (
        <Viewer
          key={viewing.id}
          incidentId={incidentId}
          artifact={viewing}
          wide={wide}
          onWide={setWide}
          onClose={() => open(null)}
        />
      ) : (
        chosen &&
        items && (
          <aside className="viewer viewer-gone">
            <EmptyState
              title="Artifact not found"
              action={<Button onClick={() => open(null)}>Show all artifacts</Button>}
            >
              It was deleted from the incident, or the link belongs to another incident.
            </EmptyState>
          </aside>
        )
      )}
      {over && <DropVeil text="Drop to add to this incident" />}
    </div>
  )
}

/** Queue files with the time and the host that a person gave to the next ones. */
function useTake(incidentId: string, unfinished: Parameters<typeof enqueueUploads>[2]) {
  const [time, setTime] = useState(NO_GIVEN)
  const take = (files: PathFile[]) => {
    const given = givenOf(time)
    enqueueUploads(
      incidentId,
      files.map((file) => ({ ...file, given })),
      unfinished,
    )
  }
  return { take, time, setTime }
}

/** The toolbar above the list: file choosers, filter, states with their counts. */
function Tools({
  items,
  isViewing,
  onFiles,
  time,
  onTime,
  words,
  onSearch,
  show,
  onShow,
}: {
  readonly items: Items
  readonly isViewing: boolean
  /** Undefined when the user may not upload. */
  readonly onFiles: ((files: PathFile[]) => void) | undefined
  /** Of the files uploaded next. */
  readonly time: GivenDraft
  readonly onTime: (time: GivenDraft) => void
  readonly words: string
  readonly onSearch: (words: string) => void
  readonly show: Show
  readonly onShow: (show: Show) => void
}) {
  const counts = useMemo(() => countStates(items), [items])
  return (
    <div className="artifacts-drop">
      {onFiles && <FileChoosers onFiles={onFiles} />}
      {onFiles && (
        <Button icon={<PasteIcon size={14} />} onClick={() => openPasteBox()}>
          Paste text
        </Button>
      )}
      {onFiles && <UploadTime draft={time} onChange={onTime} />}
      {onFiles && !isViewing && (
        <span className="muted ellipsis">
          or drop files, folders and archives anywhere on this page
        </span>
      )}
      <span className="artifacts-space" />
      {items.length > 0 && (
        <>
          <SearchInput
            className="input artifacts-filter"
            aria-label="Filter the artifacts"
            placeholder="Filter by path, type, host"
            value={words}
            onSearch={onSearch}
          />
          <div className="segments" role="group" aria-label="State">
            {SHOWN.map(([word, label]) => (
              <Button key={word} size="small" pressed={show === word} onClick={() => onShow(word)}>
                {label} {!isViewing && <span className="faint">{counts[word]}</span>}
              </Button>
            ))}
          </div>
        </>
      )}
    </div>
  )
}

type Items = readonly Pick<Artifact, 'state' | 'problems' | 'bytes'>[]

const FILTER: Record<Show, (item: Items[number]) => boolean> = {
  all: () => true,
  moving: ({ state }) => isMoving(state),
  problems: isDamaged,
  unknown: ({ state }) => state === 'unknown_format',
  done: ({ state }) => state === 'done',
}

const SHOWN: readonly (readonly [Show, string])[] = [
  ['all', 'all'],
  ['moving', 'in progress'],
  ['problems', 'problems'],
  ['unknown', 'unknown'],
  ['done', 'done'],
]

function countStates(items: Items): Record<Show, number> {
  const count = (show: Show) => items.filter(FILTER[show]).length
  return {
    all: items.length,
    moving: count('moving'),
    problems: count('problems'),
    unknown: count('unknown'),
    done: count('done'),
  }
}

const sumBytes = (items: Items) => items.reduce((sum, item) => sum + item.bytes, 0)
