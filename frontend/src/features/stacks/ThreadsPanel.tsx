/** Every thread of a sample, virtualised: what it does, and the way to it in the wait graph. */
import { useMemo } from 'react'
import { Link, useLocation } from 'react-router'
import { sharedSearch, text, useUrlState } from '@/state/url'
import { Button } from '@/ui/controls/Button'
import { Chip } from '@/ui/controls/Chip'
import { EmptyState } from '@/ui/display/States'
import { type Column, Table } from '@/ui/table/Table'
import { SearchInput } from '@/ui/controls/SearchInput'
import type { Stacks } from './queries'
import { activityWords, type Group, type Thread, threadRows, tone } from './words'

export function ThreadsPanel({
  stacks,
  idle,
  selected,
  onSelect,
}: {
  readonly stacks: Stacks
  readonly idle: boolean
  readonly selected: string
  readonly onSelect: (group: string, thread: string) => void
}) {
  const { search } = useLocation()
  const [frame, setFrame] = useUrlState('in', text, '')
  const [words, setWords] = useUrlState('q', text, '')
  const all = useMemo(() => threadRows(stacks, { idle, frame: '', words: '' }), [stacks, idle])
  const rows = useMemo(
    () => threadRows(stacks, { idle, frame, words }),
    [stacks, idle, frame, words],
  )
  const columns = useMemo(() => columnsOf(search, stacks.time), [search, stacks.time])
  return (
    <div className="triage">
      <div className="triage-tools">
        <SearchInput
          className="input"
          placeholder="Search threads and functions"
          aria-label="Search threads and functions"
          value={words}
          onSearch={setWords}
        />
        {frame && (
          <Button size="small" onClick={() => setFrame(null)}>
            in {frame} ×
          </Button>
        )}
        <span className="muted" role="status">
          {rows.length} of {all.length} threads
        </span>
      </div>
      {rows.length === 0 ? (
        <EmptyState compact title="No matching threads">
          {all.length === 0
            ? 'All threads of this sample are idle: show the idle stacks.'
            : 'Clear the search or the function filter.'}
        </EmptyState>
      ) : (
        <Table
          rows={rows}
          columns={columns}
          rowKey={(thread) => thread.key}
          label="Threads of the sample"
          selected={selected}
          onSelect={(thread) => onSelect(thread.group.id, thread.key)}
          copy
          fill
        />
      )}
    </div>
  )
}

function columnsOf(search: string, time: string | null): readonly Column<Thread>[] {
  const group = (thread: Thread): Group => thread.group
  return [
    {
      key: 'lwp',
      head: 'LWP',
      kind: 'number',
      width: '90px',
      cell: (thread) => thread.thread?.lwp ?? '',
      sort: (thread) => thread.thread?.lwp ?? null,
    },
    {
      key: 'pthread',
      head: 'OS thread',
      width: '160px',
      cell: (thread) => (
        <span className="mono">
          {thread.thread ? thread.thread.pthread : `${thread.count} without ids`}
        </span>
      ),
      sort: (thread) => thread.thread?.pthread ?? null,
    },
    {
      key: 'name',
      head: 'Name',
      width: 'minmax(90px, 0.6fr)',
      cell: (thread) => <span className="ellipsis">{thread.thread?.name}</span>,
      sort: (thread) => thread.thread?.name ?? null,
    },
    {
      key: 'kind',
      head: 'Does',
      width: '120px',
      cell: (thread) => (
        <Chip tone={tone(group(thread))}>{activityWords(group(thread).activity)}</Chip>
      ),
      sort: (thread) => group(thread).activity,
    },
    {
      key: 'stack',
      head: 'Stack',
      width: 'minmax(220px, 2fr)',
      cell: (thread) => (
        <span className="mono ellipsis" title={group(thread).name}>
          {group(thread).name}
        </span>
      ),
      sort: (thread) => group(thread).name,
    },
    {
      key: 'graph',
      head: 'Wait graph',
      width: '132px',
      cell: (thread) =>
        thread.thread?.pthread && time ? (
          <Link to={waitsPath(search, time, thread.thread.pthread)}>Who it waits for</Link>
        ) : null,
    },
  ]
}

/** The wait graph at the sample's moment, at this thread. */
export function waitsPath(search: string, time: string, pthread: string): string {
  return `../waits${sharedSearch(search, { at: time, find: pthread })}`
}
