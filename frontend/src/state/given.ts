/** Time and host that a person gives to evidence that prints neither. */

/** What the server stores; null: not given. */
export type Given = {
  /** ISO 8601, UTC. */
  readonly at: string | null
  readonly within_s: number | null
  readonly host: string | null
}

/** The fields as typed. */
export type GivenDraft = {
  /** Value of a datetime-local field: "2020-11-10T18:42" or with seconds; "" when empty. */
  readonly wall: string
  /** IANA zone of `wall`. */
  readonly zone: string
  /** Seconds, as text: the value of a select. */
  readonly within: string
  readonly host: string
}

export const NO_GIVEN: GivenDraft = { wall: '', zone: 'UTC', within: '60', host: '' }

/** Choices for how far a given time may be off: seconds and label. */
export const WITHIN: readonly (readonly [seconds: string, label: string])[] = [
  ['0', 'exactly'],
  ['10', '± 10 s'],
  ['60', '± 1 min'],
  ['300', '± 5 min'],
  ['3600', '± 1 h'],
  ['86400', '± 1 day'],
]

/** Return what was typed, or null when neither a time nor a host was. */
export function givenOf(draft: GivenDraft): Given | null {
  const at = draft.wall ? utcOf(draft.wall, draft.zone) : null
  const host = draft.host.trim() || null
  if (at === null && host === null) return null
  return { at, within_s: at === null ? null : Number(draft.within), host }
}

/** Return the draft that shows a stored time and host, in UTC. */
export function draftOf(given: Given): GivenDraft {
  return {
    wall: given.at ? given.at.slice(0, 19) : '',
    zone: 'UTC',
    within: nearestWithin(given.within_s),
    host: given.host ?? '',
  }
}

/** Convert a wall-clock time of an IANA zone to ISO 8601 in UTC; null when it is no time. */
export function utcOf(wall: string, zone: string): string | null {
  const asUtc = Date.parse(`${wall}Z`)
  if (Number.isNaN(asUtc)) return null
  // The offset depends on the instant, so the second step corrects the first near a change of clocks.
  let instant = asUtc
  for (let step = 0; step < 2; step += 1) instant = asUtc - offsetMs(instant, zone)
  return new Date(instant).toISOString()
}

/** Zones to choose from: UTC, that of the servers, that of this browser. */
export function zonesFor(serverZone: string | null): readonly string[] {
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone
  return [...new Set(['UTC', serverZone, here])].filter(
    (zone): zone is string => !!zone && isNamed(zone),
  )
}

function isNamed(zone: string): boolean {
  try {
    Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    return false
  }
}

function nearestWithin(seconds: number | null): string {
  const wanted = seconds ?? 0
  const enough = WITHIN.find(([value]) => Number(value) >= wanted)
  return (enough ?? WITHIN.at(-1) ?? ['0'])[0]
}

/** Milliseconds that the zone's clocks are ahead of UTC at an instant. */
function offsetMs(instant: number, zone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  }).formatToParts(new Date(instant))
  const value = (type: string) => Number(parts.find((part) => part.type === type)?.value)
  const wall = Date.UTC(
    value('year'),
    value('month') - 1,
    value('day'),
    value('hour'),
    value('minute'),
    value('second'),
  )
  return wall - Math.floor(instant / 1000) * 1000
}
