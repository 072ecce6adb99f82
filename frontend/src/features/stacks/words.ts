/** What a stack group is about, in words. */
import type { components } from '@/api/schema'

export type Group = components['schemas']['StackGroup']
export type Tone = 'idle' | 'waiting' | 'running' | 'plain'

/** Frames of libraries and of waiting itself: they say that a thread waits, not for what. */
const LIBRARY =
  /^(_|lll_|futex|pthread|syscall|poll$|ppoll|select$|epoll_|sched_yield|nanosleep|clock_nanosleep|os_event|os_cond|sync_array|rw_lock_|pfs_|mutex_|ut_delay|PolicyMutex|TTASEventMutex|safe_|inline_mysql_|native_|int$|\?\?|.*::\?\?)/

/** The first function that says what the thread does. */
export function telling(group: Pick<Group, 'frames'>): string {
  const named = group.frames.find((frame) => !LIBRARY.test(frame.function))
  return named?.function ?? group.frames[0]?.function ?? 'empty stack'
}

/** Colour by what the knowledge base says; without a signature none is claimed. */
export function tone(group: Pick<Group, 'set_aside' | 'category'>): Tone {
  if (group.set_aside) return 'idle'
  if (group.category === null) return 'plain'
  return group.category.endsWith('wait') ? 'waiting' : 'running'
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
