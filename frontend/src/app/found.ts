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

/** Return the line under a title: nothing where the hint is an address. */
export function hintOf(found: Found): string | undefined {
  if (found.kind === 'pin' || found.kind === 'view') return undefined
  return found.hint ?? undefined
}
