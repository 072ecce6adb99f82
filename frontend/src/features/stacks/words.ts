/** What a stack group is about, in words. */
import type { components } from '@/api/schema'
import type { Rows } from '@/charts/exportSvg'

export type Group = components['schemas']['StackGroup']
type Stacks = components['schemas']['Stacks']
type Session = components['schemas']['SessionOut']
type Tone = 'idle' | 'waiting' | 'running' | 'plain'

/** What a thread does, in words; the same in the flame graph's sum. */
const ACTIVITY: Readonly<Record<string, string>> = {
  latch: 'on a latch',
  lock: 'on a lock',
  commit: 'in the commit queue',
  io: 'on I/O',
  net: 'on the network',
  queue: 'queued for entry',
  waiting: 'waiting',
  cpu: 'running',
  idle: 'idle',
}

export const activityWords = (activity: string): string => ACTIVITY[activity] ?? activity

/** Colour by what the threads do, from the knowledge base or from their innermost frames. */
export function tone(group: Pick<Group, 'activity'>): Tone {
  if (group.activity === 'idle') return 'idle'
  return group.activity === 'cpu' ? 'running' : 'waiting'
}

/** The tone of a bar: a plain group is drawn as idle. */
export function barTone(group: Pick<Group, 'activity'>): Exclude<Tone, 'plain'> {
  const own = tone(group)
  return own === 'plain' ? 'idle' : own
}

export function categoryWords(category: string | null): string {
  return (category ?? 'unknown').replaceAll('_', ' ')
}

/** "Query: updating", "Sleep". */
export function sessionWords(group: { command: string | null; state: string | null }): string {
  const parts = [group.command, group.state].filter((part) => part !== null && part !== '')
  return parts.length ? parts.join(': ') : 'no state'
}

/** "file.cc:12", "file.cc", "" */
export function frameSource(frame: { file: string | null; line: number | null }): string {
  if (!frame.file) return ''
  return frame.line ? `${frame.file}:${frame.line}` : frame.file
}

/** One line of the thread list; a stack without thread ids is one line for all of its threads. */
export type Thread = {
  readonly key: string
  readonly group: Group
  readonly thread: Group['threads'][number] | null
  readonly count: number
}

/** The threads of a sample; `frame`: those in this function; `words`: in a name or an id. */
export function threadRows(
  { groups }: Pick<Stacks, 'groups'>,
  { idle, frame, words }: { idle: boolean; frame: string; words: string },
): Thread[] {
  const wanted = words.trim().toLowerCase()
  const rows: Thread[] = []
  for (const group of groups) {
    if (!idle && group.set_aside) continue
    if (
      frame &&
      !group.frames.some((item) => item.function === frame || plain(item.function) === frame)
    )
      continue
    const inStack =
      wanted === '' ||
      group.name.toLowerCase().includes(wanted) ||
      group.frames.some((frame) => frame.function.toLowerCase().includes(wanted))
    for (const thread of group.threads) {
      const ids = `${thread.pthread ?? ''} ${thread.lwp ?? ''} ${thread.name ?? ''}`.toLowerCase()
      if (!inStack && !ids.includes(wanted)) continue
      rows.push({ key: thread.pthread ?? `lwp:${thread.lwp}`, group, thread, count: 1 })
    }
    const unnamed = group.count - group.threads.length
    if (unnamed > 0 && inStack) {
      rows.push({ key: `group:${group.id}`, group, thread: null, count: unnamed })
    }
  }
  return rows
}

/** Strip the arguments of a function name, as the flame graph does. */
function plain(name: string): string {
  return name.replace(/\(.*\)$/, '')
}

/** The groups as a table for a file. */
export function stackRows(groups: readonly Group[]): Rows {
  return {
    columns: [
      'threads',
      'share',
      'name',
      'activity',
      'signature',
      'pile',
      'by',
      'meaning',
      'stack',
    ],
    rows: groups.map((group) => [
      group.count,
      group.share,
      group.name,
      group.activity,
      group.signature,
      group.verdict?.pile ?? 'unreviewed',
      group.verdict?.by ?? null,
      group.meaning,
      group.frames.map((frame) => frame.function).join(';'),
    ]),
  }
}

/** The sessions as a table for a file. */
export function sessionRows(sessions: readonly Session[]): Rows {
  return {
    columns: ['session', 'user', 'host', 'db', 'command', 'state', 'time_s', 'query'],
    rows: sessions.map((session) => [
      session.session_id,
      session.user,
      session.client_host,
      session.db,
      session.command,
      session.state,
      session.time_s,
      session.query,
    ]),
  }
}

/** The threads as a table for a file. */
export function threadTable(threads: readonly Thread[]): Rows {
  return {
    columns: ['lwp', 'os_thread', 'name', 'threads', 'activity', 'does', 'stack'],
    rows: threads.map(({ group, thread, count }) => [
      thread?.lwp ?? null,
      thread?.pthread ?? null,
      thread?.name ?? null,
      count,
      group.activity,
      group.name,
      group.frames.map((frame) => frame.function).join(';'),
    ]),
  }
}

/** The function and the one it was called in: "f in g" gives [f, g]; one alone gives [f, null]. */
export function splitName(name: string): readonly [leaf: string, caller: string | null] {
  const at = name.indexOf(' in ')
  return at < 0 ? [name, null] : [name.slice(0, at), name.slice(at + 4)]
}

/**
 * For groups with one name, the callers further out that tell them apart, by the id of the group:
 * "btr_cur_search_to_nth_level < row_ins_sec_index_entry". Without such a caller, any frame that does.
 */
export function callersApart(groups: readonly Pick<Group, 'id' | 'name' | 'frames'>[]) {
  const sameName = new Map<string, Pick<Group, 'id' | 'name' | 'frames'>[]>()
  for (const group of groups) sameName.set(group.name, [...(sameName.get(group.name) ?? []), group])
  const apart = new Map<string, string>()
  for (const [name, same] of sameName) {
    if (same.length < 2) continue
    const having = (called: string) =>
      same.filter(({ frames }) => frames.some((frame) => plain(frame.function) === called)).length
    for (const { id, frames } of same) {
      const called = frames.map((frame) => plain(frame.function))
      const beyond = called.slice(called.lastIndexOf(splitName(name)[1] ?? '') + 1)
      const own = [beyond, called]
        .map((stack) => stack.filter((each) => having(each) < same.length))
        .find((stack) => stack.length > 0)
      if (!own) continue
      const rarest = [...own].sort((a, b) => having(a) - having(b)).slice(0, 2)
      apart.set(id, own.filter((each) => rarest.includes(each)).join(' < '))
    }
  }
  return apart
}
