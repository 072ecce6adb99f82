/**
 * One formatter per kind of value. What is not known is a dash, never a zero. Thousands are set
 * apart by a narrow no-break space, and so is the unit, but for the per cent sign.
 */

export const UNKNOWN = '–'
const NARROW = '\u202f'

type Quantity = { readonly text: string; readonly unit: string }

/** "12 345.6"; digits: at most so many after the point. */
export function formatNumber(value: number | null | undefined, digits = 2): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return UNKNOWN
  const fixed = Math.abs(value).toFixed(digits)
  const [whole = '0', fraction = ''] = fixed.split('.')
  const grouped = whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, NARROW) : whole
  const rest = fraction.replace(/0+$/, '')
  const sign = value < 0 && Number(fixed) !== 0 ? '\u2212' : ''
  return sign + grouped + (rest ? `.${rest}` : '')
}

/** Format a count with its noun: '1 file', '26 files'. */
export const formatCount = (count: number, noun: string, nouns = `${noun}s`): string =>
  `${formatNumber(count, 0)} ${count === 1 ? noun : nouns}`

/** A measured value with some three significant digits: 0.0123, 1.23, 12.3, 1 234. */
export function formatMeasured(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return UNKNOWN
  if (value === 0) return '0'
  const magnitude = Math.floor(Math.log10(Math.abs(value)))
  if (magnitude < -4) return value.toExponential(1).replace('-', '\u2212')
  return formatNumber(value, Math.max(0, 2 - magnitude))
}

/** A number at an axis: 0, 200, 1.5k, 2M. */
export function formatTick(value: number): string {
  for (const [step, suffix] of STEPS)
    if (Math.abs(value) >= step) return `${formatMeasured(value / step)}${suffix}`
  return formatMeasured(value)
}
const STEPS = [
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
] as const

/** Bytes in powers of 1024. */
export function quantityBytes(value: number | null | undefined): Quantity {
  if (value === null || value === undefined) return { text: UNKNOWN, unit: '' }
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  let scaled = Math.abs(value)
  let step = 0
  while (scaled >= 1024 && step < units.length - 1) {
    scaled /= 1024
    step += 1
  }
  const digits = step === 0 || scaled >= 100 ? 0 : 1
  return { text: formatNumber(Math.sign(value) * scaled, digits), unit: units[step] ?? 'B' }
}

/** Seconds as a person reads them: "0.8 ms", "96 s", "12 min 30 s", "3 h 5 min", "2 d 4 h". */
export function formatDuration(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return UNKNOWN
  const sign = value < 0 ? '\u2212' : ''
  const s = Math.abs(value)
  if (s === 0) return `0${NARROW}s`
  if (s < 0.001) return `${sign}${formatMeasured(s * 1e6)}${NARROW}µs`
  if (s < 1) return `${sign}${formatMeasured(s * 1000)}${NARROW}ms`
  if (s < 120) return `${sign}${formatNumber(s, s < 10 ? 1 : 0)}${NARROW}s`
  const pairs: [number, string, number, string][] = [
    [60, 'min', 1, 's'],
    [3600, 'h', 60, 'min'],
    [86400, 'd', 3600, 'h'],
  ]
  const pick = s < 7200 ? pairs[0] : s < 172_800 ? pairs[1] : pairs[2]
  const [big, bigName, small, smallName] = pick ?? [60, 'min', 1, 's']
  const rounded = Math.round(s / small) * small
  const first = Math.floor(rounded / big)
  const second = Math.round((rounded - first * big) / small)
  const head = `${sign}${formatNumber(first, 0)}${NARROW}${bigName}`
  return second ? `${head} ${second}${NARROW}${smallName}` : head
}

/** 0..1 as "98.7%"; never rounds up to 100 nor down to 0. */
export function formatShare(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return UNKNOWN
  const percent = value * 100
  if (percent > 99.9 && percent < 100) return '>99.9%'
  if (percent > 0 && percent < 0.1) return '<0.1%'
  return `${formatNumber(percent, Math.abs(percent) < 99.95 && percent !== 0 ? 1 : 0)}%`
}

/** "× 38"; a fall reads "÷ 12". */
export function formatRatio(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return UNKNOWN
  if (value > 0 && value < 1) return `÷${NARROW}${formatTimes(1 / value)}`
  return `×${NARROW}${formatTimes(value)}`
}

/** How many times as much; more than a thousand times says something only of the smaller number. */
export const formatTimes = (times: number) =>
  times > MOST_TIMES ? `>${MOST_TIMES}` : formatMeasured(times)
const MOST_TIMES = 1000

/** A unit beside its number: "/s" for a rate of what has no unit. */
export const unitText = (unit: string | null) => (unit === '1/s' ? '/s' : (unit ?? ''))

/** A number and its unit in plain text: "12 MiB", "99%". */
export const unitAfter = (text: string, unit: string) =>
  `${text}${unit && unit !== '%' ? ' ' : ''}${unit}`

/** A value of a series in its unit ("s", "B", "%", "1/s", ...). */
export function quantity(value: number | null | undefined, unit: string | null): Quantity {
  if (value === null || value === undefined) return { text: UNKNOWN, unit: '' }
  if (unit === 'B' || unit === 'bytes') return quantityBytes(value)
  if (unit === 'B/s' || unit === 'bytes/s') {
    const { text, unit: scaled } = quantityBytes(value)
    return { text, unit: `${scaled}/s` }
  }
  const text = formatMeasured(value)
  const words = unitText(unit)
  return { text, unit: text === '1' ? singular(words) : words }
}

/** "threads" as one of them has it: "thread"; also "read view", "query" and "loop/s". */
function singular(unit: string): string {
  return unit.replace(/[a-z]{2,}(?=\/|$)/, (word) => {
    if (word === 'iops' || word.length < MIN_PLURAL) return word
    if (word.endsWith('ies')) return `${word.slice(0, -3)}y`
    return word.replace(/(?<=ch|sh|ss|x)es$|(?<!s)s$/, '')
  })
}

/** Shorter units, as ms, are no plurals. */
const MIN_PLURAL = 4

export type TimeStyle = 'full' | 'seconds' | 'clock' | 'date'

/**
 * A moment in a zone. full: 2021-04-05 09:31:02.120; seconds: without the fraction;
 * clock: 09:31:02; date: 2021-04-05. The zone itself is named by zoneLabel().
 */
export function formatTime(
  at: string | number | Date | null | undefined,
  zone: string,
  style: TimeStyle = 'seconds',
): string {
  if (at === null || at === undefined) return UNKNOWN
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return UNKNOWN
  const { year, month, day, hour, minute, second } = partsIn(date, zone)
  const day_ = `${year}-${month}-${day}`
  const clock = `${hour}:${minute}:${second}`
  if (style === 'date') return day_
  if (style === 'clock') return clock
  const ms = date.getUTCMilliseconds()
  const fraction = style === 'full' && ms ? `.${String(ms).padStart(3, '0')}` : ''
  return `${day_} ${clock}${fraction}`
}

/** "UTC", "-08:00", "Europe/Berlin (+02:00)". */
export function zoneLabel(zone: string, at: Date = new Date()): string {
  if (zone === 'UTC' || OFFSET.test(zone)) return zone
  return `${zone} (${offsetText(zoneOffsetMinutes(zone, at))})`
}

/** Minutes east of UTC at a moment. */
export function zoneOffsetMinutes(zone: string, at: Date): number {
  const fixed = fixedOffset(zone)
  if (fixed !== null) return fixed
  const { year, month, day, hour, minute, second } = partsIn(at, zone)
  const there = Date.UTC(+year, +month - 1, +day, +hour, +minute, +second)
  return Math.round((there - Math.floor(at.getTime() / 1000) * 1000) / 60_000)
}

/** A Date whose UTC fields read as the clock in the zone does; for axes only. */
export function shiftedToZone(at: Date | number, zone: string): Date {
  const date = new Date(at)
  return new Date(date.getTime() + zoneOffsetMinutes(zone, date) * 60_000)
}

/** "just now", "5 min ago", "3 d ago": only ever beside an exact time. */
export function formatAgo(at: string | null | undefined, now: number): string {
  if (!at) return UNKNOWN
  const s = (now - new Date(at).getTime()) / 1000
  if (s < 45) return 'just now'
  if (s < 5400) return `${Math.round(s / 60)} min ago`
  if (s < 129_600) return `${Math.round(s / 3600)} h ago`
  return `${Math.round(s / 86_400)} d ago`
}

const OFFSET = /^([+-])(\d{2}):?(\d{2})$/
const formatters = new Map<string, Intl.DateTimeFormat>()

type Parts = Record<'year' | 'month' | 'day' | 'hour' | 'minute' | 'second', string>

function partsIn(date: Date, zone: string): Parts {
  const fixed = fixedOffset(zone)
  if (fixed !== null) {
    const iso = new Date(date.getTime() + fixed * 60_000).toISOString()
    return {
      year: iso.slice(0, 4),
      month: iso.slice(5, 7),
      day: iso.slice(8, 10),
      hour: iso.slice(11, 13),
      minute: iso.slice(14, 16),
      second: iso.slice(17, 19),
    }
  }
  let formatter = formatters.get(zone)
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('en-CA', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    })
    formatters.set(zone, formatter)
  }
  const found: Partial<Parts> = {}
  for (const part of formatter.formatToParts(date)) {
    if (part.type in EMPTY) found[part.type as keyof Parts] = part.value
  }
  return { ...EMPTY, ...found }
}

const EMPTY: Parts = { year: '', month: '', day: '', hour: '', minute: '', second: '' }

function fixedOffset(zone: string): number | null {
  if (zone === 'UTC' || zone === 'Z') return 0
  const match = OFFSET.exec(zone)
  if (!match) return null
  const minutes = Number(match[2]) * 60 + Number(match[3])
  return match[1] === '-' ? -minutes : minutes
}

function offsetText(minutes: number): string {
  const sign = minutes < 0 ? '\u2212' : '+'
  const absolute = Math.abs(minutes)
  const pad = (n: number) => String(n).padStart(2, '0')
  return `${sign}${pad(Math.floor(absolute / 60))}:${pad(absolute % 60)}`
}

/** A number with its unit, in a sentence. */
export const NUMBER_WITH_UNIT = /(\d) ([mµn]?s|min|h|d|[KMGT]iB|[kMGT]B)(?!\w)/g

/** A sentence whose lines do not break between a number and its unit. */
export function keepUnits(text: string): string {
  return text.replace(NUMBER_WITH_UNIT, '$1\u00a0$2')
}

/** The words of a text, and the parts of those that may be broken: "buf0buf.cc:", "1460". */
export function wordsOf(text: string): string[] {
  return text.split(/(?<=[\s:_/])/)
}
