/** What the shades of heat cells mean: none, then five shades up to the highest count. */
import { formatCount, formatNumber } from '@/format'
import './heatLegend.css'

const SHADES = 5

type Props = {
  /** The highest count of the cells that share the colours. */
  readonly peak: number
  /** What is counted, in the singular: 'thread'. */
  readonly noun: string
  /** How a share of the peak becomes one of the shades. */
  readonly scale: 'linear' | 'square root'
}

/** The counts of each shade: [from, to]; a shade that no whole number falls into is left out. */
export function heatBounds(
  peak: number,
  scale: Props['scale'],
): readonly { readonly shade: number; readonly from: number; readonly to: number }[] {
  const upTo = (shade: number) =>
    Math.floor(peak * (scale === 'linear' ? shade / SHADES : (shade / SHADES) ** 2) + 1e-9)
  return Array.from({ length: SHADES }, (_, at) => ({
    shade: at + 1,
    from: at === 0 ? 1 : upTo(at) + 1,
    to: upTo(at + 1),
  })).filter(({ from, to }) => from <= to)
}

export function HeatLegend({ peak, noun, scale }: Props) {
  if (peak < 1) return null
  const bounds = heatBounds(peak, scale)
  return (
    <span
      className="heatlegend"
      role="img"
      aria-label={`Shades of the cells: from none to ${formatCount(peak, noun)}`}
    >
      <span className="heatlegend-end">0</span>
      <span className="heatlegend-shade" style={{ background: 'var(--heat-0)' }} title="none" />
      {bounds.map(({ shade, from, to }) => (
        <span
          key={shade}
          className="heatlegend-shade"
          style={{ background: `var(--heat-${shade})` }}
          title={
            from === to
              ? formatCount(to, noun)
              : `${formatNumber(from, 0)} to ${formatCount(to, noun)}`
          }
        />
      ))}
      <span className="heatlegend-end">{formatCount(peak, noun)}</span>
    </span>
  )
}
