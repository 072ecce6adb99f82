import { describe, expect, it } from 'vitest'
import type { TableMapping } from '@/api/schema'
import { draftOf, seriesWords, withColumn, withDelimiter, withHeader } from './mapping'

const column = (name: string, role: TableMapping['columns'][number]['role']) => ({
  name,
  role,
  series: null,
  kind: 'gauge' as const,
  unit: null,
})
const mapping: TableMapping = {
  delimiter: ';',
  decimal: ',',
  header_line: 3,
  time_format: 'dmy',
  zone: '-08:00',
  columns: [
    column('date', 'time'),
    column('clock', 'time'),
    column('server', 'host'),
    column('node', 'label'),
    column('threads', 'value'),
  ],
}
const roles = (draft: { columns?: readonly { role: string }[] | null | undefined }) =>
  draft.columns?.map(({ role }) => role)

describe('a draft of a mapping', () => {
  it('is the whole mapping, so that what is shown is what is saved', () => {
    expect(draftOf(mapping)).toEqual(mapping)
  })

  it('moves the host, and the column that had it becomes a label', () => {
    expect(roles(withColumn(mapping, 3, { role: 'host' }))).toEqual([
      'time',
      'time',
      'label',
      'host',
      'value',
    ])
  })

  it('keeps a date beside its time of day, and moves the time elsewhere', () => {
    expect(roles(withColumn(mapping, 1, { role: 'ignore' }))?.slice(0, 2)).toEqual([
      'time',
      'ignore',
    ])
    expect(roles(withColumn(mapping, 4, { role: 'time' }))).toEqual([
      'ignore',
      'ignore',
      'host',
      'label',
      'time',
    ])
  })

  it('is guessed anew by another separator or header, except for the zone', () => {
    expect(withDelimiter(mapping, ',')).toEqual({ delimiter: ',', zone: '-08:00' })
    expect(withHeader(mapping, 0)).toEqual({
      delimiter: ';',
      decimal: ',',
      zone: '-08:00',
      header_line: 0,
    })
  })

  it('names a series with its labels and host', () => {
    expect(seriesWords({ name: 'metric.qps', labels: 'shard=7', host: 'db-1' })).toBe(
      'metric.qps {shard=7} of db-1',
    )
  })
})
