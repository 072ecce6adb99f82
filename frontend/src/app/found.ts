/** Addresses and names of search results. */
import type { Found } from '@/api/schema'
import { sharedSearch } from '@/state/url'

export const KIND_NAMES: Readonly<Record<Found['kind'], string>> = {
  incident: 'incident',
  finding: 'finding',
  node: 'blocker',
  wait: 'wait',
  session: 'session',
  statement: 'statement',
  setting: 'variable',
  log: 'log',
  stack: 'stack',
  deadlock: 'deadlock',
  artifact: 'file',
  series: 'series',
  hypothesis: 'hypothesis',
  experiment: 'experiment',
  action: 'action',
  pin: 'pin',
  annotation: 'note',
  comment: 'comment',
  view: 'view',
}

/** Return where a result is shown. `search` is kept where all screens of the incident share it. */
export function hrefOf(found: Found, search: string): string {
  const base = `/incidents/${found.incident_id}`
  const to = (screen: string, extra: Record<string, string> = {}) =>
    `${base}/${screen}${sharedSearch(search, extra)}`
  const at: Record<string, string> = found.at ? { at: found.at } : {}
  switch (found.kind) {
    case 'incident':
      return to('overview')
    case 'finding':
      return to('overview', { finding: found.id })
    case 'node':
      return to('waits', { ...at, node: found.id })
    case 'wait':
      return to('waits', at)
    case 'session': {
      const [id = '', list = ''] = found.id.split(' ')
      return to('tables', { tab: 'sessions', at: momentOf(list), idle: '1', q: id })
    }
    case 'statement': {
      const [source = '', id = ''] = found.id.split(' ')
      return to('tables', { tab: 'queries', source, pick: id })
    }
    case 'setting':
      return to('tables', { tab: 'settings', view: 'all', q: found.id })
    case 'log':
      return to('tables', { tab: 'log', view: 'events', group: found.id })
    case 'stack':
      return to('stacks', { q: found.id })
    case 'deadlock':
      return to('tables', { tab: 'deadlocks' })
    case 'artifact':
      return to('artifacts', { artifact: found.id })
    case 'series':
      return to('timeline', { series: found.id })
    case 'hypothesis':
      return to('hypotheses', { hypothesis: found.id })
    case 'experiment':
      return to('experiments', { experiment: found.id })
    case 'action':
      return to('report', { panel: 'actions' })
    case 'annotation':
      return to('timeline')
    case 'comment':
      return to('activity')
    case 'pin':
      return found.hint ?? to('overview')
    case 'view':
      return `${base}/${found.hint ?? 'overview'}`
  }
}

/** Return a processlist's id in the sessions tab: the file's hash cut short, and its number. */
function momentOf(list: string): string {
  const [artifact = '', snapshot = '0'] = list.split(':')
  return `${artifact.slice(0, 16)}:${snapshot}`
}

/**
 * Return the text beside a title: of another incident, its name. Where the title lacks a word that was
 * searched for, the hint follows from that word on, or it says that the word is further on in what
 * was searched, so that each line says why it was found.
 */
export function hintOf(found: Found, words: string, isElsewhere: boolean): string | undefined {
  const hint = found.kind === 'pin' || found.kind === 'view' ? null : found.hint
  if (found.kind === 'incident') return hint ?? undefined
  const why = reasonOf(found.title, hint ?? '', words)
  if (isElsewhere) return why ? `${why.slice(0, MATCH)} · ${found.incident}` : found.incident
  if (why === FURTHER) return hint === null ? why : `${why} · ${hint}`
  return why ?? hint ?? undefined
}

const FURTHER = 'in its full text'
/** Characters before a match, and of the match in a line that also names its incident. */
const BEFORE = 16
const MATCH = 48

/** The hint from shortly before the first searched word that the title lacks; undefined if it lacks none. */
function reasonOf(title: string, hint: string, words: string): string | undefined {
  const lower = hint.toLowerCase()
  const lacking = words
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => !title.toLowerCase().includes(word))
  if (lacking.length === 0) return undefined
  const places = lacking.map((word) => lower.indexOf(word)).filter((place) => place >= 0)
  if (places.length === 0) return FURTHER
  const from = Math.min(...places) - BEFORE
  return from <= BEFORE ? hint : `…${hint.slice(from)}`
}
