import { describe, expect, it } from 'vitest'
import {
  formatTick,
  formatDuration,
  formatMeasured,
  formatNumber,
  formatRatio,
  formatShare,
  formatTime,
  quantity,
  quantityBytes,
  UNKNOWN,
  zoneOffsetMinutes,
  keepUnits,
} from './format'

const plain = (text: string) => text.replace(/[\u2009\u202f]/g, ' ').replace(/\u2212/g, '-')

describe('numbers', () => {
  it('says a dash for what is not known, and never a zero', () => {
    for (const format of [formatNumber, formatMeasured, formatDuration, formatShare, formatRatio]) {
      expect(format(null)).toBe(UNKNOWN)
      expect(format(Number.NaN)).toBe(UNKNOWN)
    }
    expect(quantity(null, 's')).toEqual({ text: UNKNOWN, unit: '' })
    const ones = [
      'threads',
      'read views',
      'queries',
      'searches/s',
      'rounds/wait',
      'ms',
      'iops',
      's',
    ]
    expect(ones.map((unit) => quantity(1, unit).unit)).toEqual([
      ...['thread', 'read view', 'query', 'search/s', 'round/wait', 'ms', 'iops', 's'],
    ])
    expect(quantity(1.5, 'threads').unit).toBe('threads')
  })
  it.each([
    [0, '0'],
    [1234, '1234'],
    [12345.678, '12 345.68'],
    [-2.5, '-2.5'],
    [-0.001, '0'],
  ])('groups thousands of %s', (value, name) => expect(plain(formatNumber(value))).toBe(name))
  it.each([
    [0.012345, '0.0123'],
    [1.2345, '1.23'],
    [123.45, '123'],
    [98765, '98 765'],
    [0.00000123, '1.2e-6'],
  ])('keeps three significant digits of %s', (value, name) =>
    expect(plain(formatMeasured(value))).toBe(name),
  )
  it.each([
    [0, '0 B'],
    [1023, '1023 B'],
    [1536, '1.5 KiB'],
    [80_000_000, '76.3 MiB'],
  ])('counts %s bytes in powers of 1024', (value, name) => {
    const { text, unit } = quantityBytes(value)
    expect(`${plain(text)} ${unit}`).toBe(name)
  })
})

describe('durations', () => {
  it.each([
    [0, '0 s'],
    [0.0008, '800 µs'],
    [0.25, '250 ms'],
    [1.25, '1.3 s'],
    [96, '96 s'],
    [119.6, '120 s'],
    [750, '12 min 30 s'],
    [3600, '60 min'],
    [11_100, '3 h 5 min'],
    [187_200, '2 d 4 h'],
    [-3, '-3 s'],
  ])('%s s', (value, name) => expect(plain(formatDuration(value))).toBe(name))
})

it.each([
  [0, '0'],
  [0.2, '0.2'],
  [200, '200'],
  [1000, '1k'],
  [1_500_000, '1.5M'],
])('has %s at an axis, with a prefix of its own', (value, name) =>
  expect(formatTick(value)).toBe(name),
)

describe('shares and ratios', () => {
  it.each([
    [0, '0%'],
    [0.0004, '<0.1%'],
    [0.987, '98.7%'],
    [0.9996, '>99.9%'],
    [1, '100%'],
  ])('%s never rounds up to all nor down to nothing', (value, name) =>
    expect(plain(formatShare(value))).toBe(name),
  )
  it('turns a fall around', () => {
    expect(plain(formatRatio(38))).toBe('× 38')
    expect(plain(formatRatio(0.1))).toBe('÷ 10')
    expect(plain(formatRatio(1 / 532_122))).toBe('÷ >1000')
  })
})

describe('times', () => {
  const at = '2021-03-28T00:59:59.120Z'
  it('reads in UTC, a fixed offset and a named zone over its change', () => {
    expect(formatTime(at, 'UTC', 'full')).toBe('2021-03-28 00:59:59.120')
    expect(formatTime(at, '-08:00')).toBe('2021-03-27 16:59:59')
    expect(formatTime(at, 'Europe/Berlin')).toBe('2021-03-28 01:59:59')
    expect(formatTime('2021-03-28T01:00:00Z', 'Europe/Berlin', 'clock')).toBe('03:00:00')
  })
  it('knows the offset of a zone at a moment', () => {
    expect(zoneOffsetMinutes('Europe/Berlin', new Date('2021-01-01T00:00:00Z'))).toBe(60)
    expect(zoneOffsetMinutes('+05:30', new Date(at))).toBe(330)
  })
  it('says a dash for what is no time', () => expect(formatTime('nonsense', 'UTC')).toBe(UNKNOWN))
})

it('keeps a number and its unit on one line', () => {
  expect(keepUnits('about 40 sessions for 70 s, 57% of it, 1 sleeps, 2 GiB')).toBe(
    'about 40 sessions for 70\u00a0s, 57% of it, 1 sleeps, 2\u00a0GiB',
  )
})
