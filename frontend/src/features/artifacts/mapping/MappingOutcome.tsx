/** The result of a mapping: errors that block it, unparsed cells, the resulting series. */
import type { MappingPreview } from '@/api/schema'
import { formatCount, formatMeasured } from '@/format'
import { Chip } from '@/ui/controls/Chip'
import { Time } from '@/ui/display/Value'
import { seriesWords } from './mapping'

const KIND = { gauge: 'level', counter: 'counter', rate: 'rate' } as const

export function MappingOutcome({
  seen,
  guessed,
}: {
  readonly seen: MappingPreview
  readonly guessed: boolean
}) {
  return (
    <div className="mapping-outcome">
      <section aria-label="Result">
        <h3>
          {seen.remembered ? 'Remembered' : guessed ? 'Guessed' : 'Set by hand'}{' '}
          {guessed && !seen.sure && <Chip tone="waiting">not certain</Chip>}
        </h3>
        {guessed && <p className="muted">{capital(seen.why)}.</p>}
        {seen.remembered_at !== null && (
          <p className="muted">
            Set {seen.remembered_by !== null && `by ${seen.remembered_by} `}on{' '}
            <Time at={seen.remembered_at} style="date" />.
          </p>
        )}
        <p role="status">
          {seen.rows_timed} of the first {seen.rows_read} rows have a time that could be read
          {seen.cell_errors_total > 0 &&
            `; not read: ${formatCount(seen.cell_errors_total, 'cell or row', 'cells or rows')}`}
          .
        </p>
        {seen.problems
          .filter(({ field }) => field !== 'zone') // shown next to its field
          .map(({ message }) => (
            <p key={message} className="field-problem">
              {capital(message)}.
            </p>
          ))}
        {seen.cell_errors.length > 0 && (
          <ul className="mapping-errors">
            {seen.cell_errors.slice(0, 12).map((error, index) => (
              <li key={index}>
                <span className="mono">
                  line {error.line}
                  {error.column !== null && `, column ${error.column}`}
                </span>{' '}
                {error.message}: <code>{error.found || 'empty'}</code>
              </li>
            ))}
          </ul>
        )}
      </section>
      <section aria-label="Resulting series">
        <h3>
          Series <span className="faint">{seen.series_total}</span>
        </h3>
        {seen.series.length === 0 ? (
          <p className="muted">None yet: set the time column and the value columns.</p>
        ) : (
          <ul className="mapping-series">
            {seen.series.map((item) => (
              <li key={seriesWords(item)}>
                <span className="mono ellipsis" title={seriesWords(item)}>
                  {seriesWords(item)}
                </span>
                <span className="muted">
                  {KIND[item.kind]}
                  {item.unit && `, ${item.unit}`}
                </span>
                <span className="mapping-span">
                  {formatCount(item.values, 'value')}, {formatMeasured(item.low)} …{' '}
                  {formatMeasured(item.high)}
                </span>
              </li>
            ))}
          </ul>
        )}
      </section>
    </div>
  )
}

const capital = (words: string) => words.charAt(0).toUpperCase() + words.slice(1)
