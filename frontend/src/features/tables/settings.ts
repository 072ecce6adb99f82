/** Logic of the settings tab: the default pair of sources and the filter of rows. */
import type { SettingRow, SettingSource } from '@/api/schema'
import { formatCount } from '@/format'

export type Show = 'differing' | 'mentioned' | 'all'

/** Return the default pair: a file and its server, else two servers or moments. */
export function firstPair(sources: readonly SettingSource[]): readonly [a: string, b: string] {
  const server = sources.find((source) => isServer(source)) ?? sources[0]
  if (!server) return ['', '']
  const file = sources.find((source) => source.is_file && source.host === server.host)
  if (file) return [file.id, server.id]
  const other = sources.find((source) => isServer(source) && source.id !== server.id)
  return other ? [server.id, other.id] : [server.id, '']
}

/** Resolve the source id of an address whose time a clock correction may have changed; null if unknown. */
export function sourceOf(sources: readonly SettingSource[], given: string): string | null {
  if (sources.some((source) => source.id === given)) return given
  const untimed = (id: string) => id.replace(/:\d*:/, ':')
  const same = sources.filter((source) => untimed(source.id) === untimed(given))
  return (same.length === 1 && same[0]?.id) || null
}

/** Return whether the source has server variables, not kernel settings or the few of a collector. */
const isServer = (item: SettingSource) => !item.is_file && /variables/i.test(item.source)

export function sourceWords(item: SettingSource): string {
  const name = item.path.split('/').at(-1) ?? item.path
  const where = item.host ? ` of ${item.host}` : ''
  return `${item.source === name ? name : `${name} (${item.source})`}${where}, ${formatCount(item.count, 'setting')}`
}

export function shownSettings(
  rows: readonly SettingRow[],
  show: Show,
  words: string,
  compared: boolean,
): SettingRow[] {
  const wanted = words.toLowerCase()
  return rows.filter((row) => {
    if (show === 'differing' && compared && !differs(row)) return false
    if (show === 'mentioned' && row.mentioned.length === 0) return false
    return (
      !wanted ||
      row.name.includes(wanted) ||
      (row.a?.value ?? '').toLowerCase().includes(wanted) ||
      (row.b?.value ?? '').toLowerCase().includes(wanted)
    )
  })
}

export const differs = (row: SettingRow) =>
  !row.volatile && (row.state === 'changed' || row.state === 'only_a' || row.state === 'only_b')

export const STATE_WORDS: Record<SettingRow['state'], readonly [sign: string, word: string]> = {
  same: ['=', 'same'],
  changed: ['≠', 'differs'],
  only_a: ['−', 'left only'],
  only_b: ['+', 'right only'],
  default: ['·', 'not in the file'],
}
