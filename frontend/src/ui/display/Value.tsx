/** Values with a small grey unit; an unknown value is a dash. */
import { formatAgo, formatDuration, formatShare, quantity, quantityBytes, UNKNOWN } from '@/format'
import { useZone } from '@/state/incident'
import type { TimeStyle } from '@/format'
import { useEffect, useState } from 'react'

type Maybe = number | null | undefined

/** A number with its unit. */
export function Measured({
  value,
  unit,
}: {
  readonly value: Maybe
  readonly unit?: string | null
}) {
  const shown = quantity(value, unit ?? null)
  return <Shown text={shown.text} unit={shown.unit} />
}

/** Bytes in powers of 1024; the exact number in the tooltip. */
export function BytesValue({ value }: { readonly value: Maybe }) {
  const shown = quantityBytes(value)
  return (
    <span title={value === null || value === undefined ? undefined : `${value} bytes`}>
      <Shown text={shown.text} unit={shown.unit} />
    </span>
  )
}

/** A duration in seconds, formatted for reading. */
export function Duration({ value }: { readonly value: Maybe }) {
  const name = formatDuration(value)
  if (name === UNKNOWN) return <span className="faint">{UNKNOWN}</span>
  return (
    <span title={`${value} s`}>
      {name.split(' ').map((part) => {
        const [number, unit] = withUnit(part)
        return (
          <span key={unit} className="duration-part">
            <Shown text={number} unit={unit} />
          </span>
        )
      })}
    </span>
  )
}

/** A share from 0 to 1, as a percentage. */
export function ShareValue({ value }: { readonly value: Maybe }) {
  return <Shown text={formatShare(value)} unit="" />
}

/** A time in the zone of the top bar; the tooltip shows UTC. */
export function Time({
  at,
  style = 'seconds',
  zone = false,
}: {
  readonly at: string | number | null | undefined
  readonly style?: TimeStyle
  /** Append the name of the zone. */
  readonly zone?: boolean
}) {
  const chosen = useZone()
  if (at === null || at === undefined) return <span className="faint">{UNKNOWN}</span>
  const iso = typeof at === 'number' ? new Date(at).toISOString() : at
  return (
    <time dateTime={iso} title={iso}>
      {chosen.format(at, style)}
      {zone && <span className="unit">{chosen.label}</span>}
    </time>
  )
}

/** An age such as "5 min ago", updated regularly; the tooltip shows the exact time. */
export function Ago({ at }: { readonly at: string | null | undefined }) {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000)
    return () => clearInterval(timer)
  }, [])
  return (
    <time dateTime={at ?? undefined} title={at ?? undefined}>
      {formatAgo(at, now)}
    </time>
  )
}

/** Splits a value from its unit, which follows after the last narrow space. */
function withUnit(text: string): [string, string] {
  const at = text.lastIndexOf('\u202f')
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

function Shown({ text, unit }: { readonly text: string; readonly unit: string }) {
  if (text === UNKNOWN) return <span className="faint">{UNKNOWN}</span>
  return (
    <>
      {text}
      {unit === '%' ? unit : unit && <span className="unit">{unit}</span>}
    </>
  )
}
