import { describe, expect, it } from 'vitest'
import type { SettingRow, SettingSource } from '@/api/schema'
import { asRows } from './parts'
import { differs, firstPair, shownSettings, sourceOf } from './settings'

const source = (id: string, change: Partial<SettingSource> = {}): SettingSource => ({
  id,
  source: 'SHOW VARIABLES',
  host: 'db-1',
  artifact: id,
  path: `${id}.txt`,
  time: null,
  count: 500,
  line_first: 1,
  is_file: false,
  ...change,
})
const side = (value: string) => ({ value, cut: false, artifact: 'x', line: 1 })
const row = (name: string, change: Partial<SettingRow>): SettingRow => ({
  name,
  a: side('1'),
  b: side('1'),
  state: 'same',
  volatile: false,
  mentioned: [],
  ...change,
})

describe('settings', () => {
  it('begin with the file against its server, else with two servers, else with one', () => {
    const cnf = source('cnf', { is_file: true, source: 'my.cnf' })
    const kernel = source('sysctl', { source: 'sysctl' })
    expect(firstPair([kernel, source('v1'), source('v2'), cnf])).toEqual(['cnf', 'v1'])
    expect(firstPair([kernel, source('v1'), source('v2', { host: 'db-2' })])).toEqual(['v1', 'v2'])
    expect(firstPair([source('v1'), kernel])).toEqual(['v1', ''])
    expect(firstPair([])).toEqual(['', ''])
  })
  it('are found again by an address of before their clock was set', () => {
    const item = source('aa:1000:SHOW VARIABLES')
    const two = source('bb:1000:SHOW VARIABLES')
    expect(sourceOf([item, two], item.id)).toBe(item.id)
    expect(sourceOf([item, two], 'aa:2000:SHOW VARIABLES')).toBe(item.id)
    expect(sourceOf([item, two], 'cc:1000:SHOW VARIABLES')).toBeNull()
    const later = source('aa:3000:SHOW VARIABLES')
    expect(sourceOf([item, later], 'aa:2000:SHOW VARIABLES')).toBeNull()
  })
  const rows = [
    row('max_connections', { state: 'changed', b: side('900') }),
    row('server_uuid', { state: 'changed', volatile: true }),
    row('port', { state: 'default', a: null }),
    row('innodb_adaptive_hash_index', {
      mentioned: [{ by: 'finding', title: 'AHI', id: 'ahi', latch: false }],
    }),
  ]
  it('show what differs, without what always does', () => {
    expect(shownSettings(rows, 'differing', '', true).map((item) => item.name)).toEqual([
      'max_connections',
    ])
    expect(rows.filter(differs)).toHaveLength(1)
    expect(shownSettings(rows, 'differing', '', false)).toHaveLength(4)
  })
  it('show what is spoken of, and what holds a word', () => {
    expect(shownSettings(rows, 'mentioned', '', true).map((item) => item.name)).toEqual([
      'innodb_adaptive_hash_index',
    ])
    expect(shownSettings(rows, 'all', '900', true).map((item) => item.name)).toEqual([
      'max_connections',
    ])
  })
})

describe('rows as a file', () => {
  it('keeps numbers as numbers and the rest as text', () => {
    expect(asRows('a\tb\n-3\t=x\n1e3\t0x1f')).toEqual({
      columns: ['a', 'b'],
      rows: [
        [-3, '=x'],
        [1000, '0x1f'],
      ],
    })
  })
})
