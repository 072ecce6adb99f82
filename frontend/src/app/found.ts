/** Addresses and names of search results. */
import type { Found } from '@/api/schema'
import { sharedSearch } from '@/state/url'

export const KIND_NAMES: Readonly<Record<Found['kind'], string>> = {
  artifact: 'file',
  series: 'series',
  hypothesis: 'hypothesis',
  experiment: 'experiment',
  pin: 'pin',
  annotation: 'note',
  view: 'view',
}

export function hrefOf(base: string, found: Found, search: string): string {
  const to = (screen: string, extra: Record<string, string> = {}) =>
    `${base}/${screen}${sharedSearch(search, extra)}`
  switch (found.kind) {
    case 'artifact':
      return to('artifacts', { artifact: found.id })
    case 'series':
      return to('timeline', { series: found.id })
    case 'hypothesis':
      return to('hypotheses', { hypothesis: found.id })
    case 'experiment':
      return to('experiments', { experiment: found.id })
    case 'annotation':
      return to('timeline')
    case 'pin':
      return found.hint ?? to('overview')
    case 'view':
      return `${base}/${found.hint ?? 'overview'}`
  }
}
