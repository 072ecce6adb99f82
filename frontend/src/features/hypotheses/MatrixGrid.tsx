/** The grid: evidence down, hypotheses across; one cell has the focus and the keys act on it. */
import { type KeyboardEvent, useRef } from 'react'
import { Link } from 'react-router'
import { useMay } from '@/api/queries'
import { formatCount } from '@/format'
import { useKeys } from '@/state/keys'
import { ShareBar } from '@/ui/display/Bar'
import { cx } from '@/ui/controls/cx'
import { Problem } from '@/ui/display/States'
import type { TermName } from '@/ui/display/glossary'
import { Term } from '@/ui/display/Term'
import { MATRIX_KEYS } from './keys'
import {
  type Chosen,
  groupsOf,
  lookOf,
  type Matrix,
  type MatrixCell,
  type MatrixHypothesis,
  type MatrixRow,
  type Mode,
  moved,
  type Place,
  placeOf,
  type Rating,
  ratingOf,
  describeCell,
  shapeOf,
} from './matrix'
import { useMatrixWrites } from './queries'

type Props = {
  readonly incidentId: string
  readonly matrix: Matrix
  readonly mode: Mode
  /** Whether a past state is shown, which cannot be changed. */
  readonly frozen: boolean
  readonly chosen: Chosen | null
  readonly onChoose: (cell: Chosen) => void
  readonly onComment: () => void
}

const LEVELS = ['low', 'normal', 'high'] as const
type Level = (typeof LEVELS)[number]

export function MatrixGrid(props: Props) {
  const { incidentId, matrix, mode, frozen, chosen, onChoose, onComment } = props
  const mayWrite = useMay('contributor') && !frozen
  const { rate, weigh } = useMatrixWrites(incidentId)
  const body = useRef<HTMLTableElement>(null)
  useKeys(MATRIX_KEYS, {})
  const { rows, hypotheses } = matrix
  const at = placeOf(matrix, chosen)

  const go = ({ row, column }: Place) => {
    const [pin, hypothesis] = [rows[row], hypotheses[column]]
    if (!pin || !hypothesis) return
    onChoose({ pin: pin.pin_id, hypothesis: hypothesis.id })
    body.current?.querySelector<HTMLElement>(`[data-place="${row}:${column}"]`)?.focus()
  }
  const onKey = (event: KeyboardEvent, place: Place) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const cell = rows[place.row]?.cells[place.column]
    const pin = rows[place.row]?.pin_id
    if (!cell || !pin) return
    const next = moved(place, event.key, rows.length, hypotheses.length)
    const rating = ratingOf(event.key)
    const give = (value: Rating | null, rule: string | null) =>
      rate.mutate({
        pin_id: pin,
        hypothesis_id: cell.hypothesis_id,
        rating: value,
        proposed_by: rule,
      })
    if (next) go(next)
    else if (rating !== undefined && mayWrite) give(rating, null)
    else if (event.key === 'Enter' && cell.proposed && mayWrite)
      give(cell.proposed.rating, cell.proposed.rule)
    else if (event.key.toLowerCase() === 'c' && mayWrite) {
      go(place)
      onComment()
    } else return
    event.preventDefault()
    event.stopPropagation()
  }
  const failed = rate.error ?? weigh.error
  return (
    <>
      {failed && <Problem compact error={failed} what="The rating was not saved" />}
      <div className="matrix-scroll scroll">
        <table ref={body} className="matrix" role="grid" aria-label="Evidence against hypotheses">
          <Head rows={rows.length} hypotheses={hypotheses} />
          {groupsOf(rows).map((group) => (
            <tbody key={group.title}>
              <tr className="matrix-group">
                <th scope="rowgroup" colSpan={hypotheses.length + 4}>
                  {group.title} <span className="faint">{group.rows.length}</span>
                </th>
              </tr>
              {group.rows.map((row, index) => (
                <tr key={row.pin_id} className={cx(!row.discriminates && 'matrix-dim')}>
                  <th className="matrix-evidence" scope="row">
                    <span className="matrix-label">{row.label}</span>
                    <Link to={row.view} title={row.title}>
                      {row.title}
                    </Link>
                    {row.stale && <span className="matrix-stale">stale</span>}
                  </th>
                  {row.cells.map((cell, column) => {
                    const place = { row: group.first + index, column }
                    const hypothesis = hypotheses[column]
                    return hypothesis ? (
                      <Cell
                        key={cell.hypothesis_id}
                        row={row}
                        hypothesis={hypothesis}
                        cell={cell}
                        mode={mode}
                        place={place}
                        chosen={
                          chosen?.pin === row.pin_id && chosen.hypothesis === cell.hypothesis_id
                        }
                        entry={at.row === place.row && at.column === place.column}
                        onChoose={() => go(place)}
                        onKey={(event) => onKey(event, place)}
                      />
                    ) : null
                  })}
                  <Weight
                    row={row}
                    disabled={!mayWrite}
                    onWeigh={(change) => weigh.mutate({ row, ...change })}
                  />
                  <td className="matrix-end">
                    <ShareBar
                      value={row.diagnosticity === null ? null : row.diagnosticity / 2}
                      width={44}
                    />
                    <span className="matrix-number">
                      {row.diagnosticity === null ? '–' : row.diagnosticity.toFixed(1)}
                    </span>
                  </td>
                </tr>
              ))}
            </tbody>
          ))}
          <Totals hypotheses={hypotheses} />
        </table>
      </div>
    </>
  )
}

function Head({
  rows,
  hypotheses,
}: {
  readonly rows: number
  readonly hypotheses: readonly MatrixHypothesis[]
}) {
  return (
    <thead>
      <tr>
        <th className="matrix-corner" scope="col">
          <span className="muted">
            {formatCount(rows, 'piece')} of evidence · the most telling first
          </span>
        </th>
        {hypotheses.map((hypothesis) => (
          <HypothesisHead key={hypothesis.id} hypothesis={hypothesis} />
        ))}
        <th className="matrix-end" scope="col">
          <Term of="credibility">Credibility</Term>
        </th>
        <th className="matrix-end" scope="col">
          <Term of="relevance">Relevance</Term>
        </th>
        <th className="matrix-end" scope="col">
          <Term of="diagnostic value">Diagnostic value</Term>
        </th>
      </tr>
    </thead>
  )
}

/** The totals of each hypothesis: contradicting evidence, rating coverage, confidence. */
function Totals({ hypotheses }: { readonly hypotheses: readonly MatrixHypothesis[] }) {
  return (
    <tfoot>
      <Foot title="Contradicted" term="contradicted">
        {hypotheses.map((hypothesis) => (
          <td key={hypothesis.id} className={cx(hypothesis.leads && 'matrix-leads')}>
            {hypothesis.rank === null ? '–' : hypothesis.inconsistency.toFixed(1)}
          </td>
        ))}
      </Foot>
      <Foot title="Coverage" term="coverage">
        {hypotheses.map((hypothesis) => (
          <td key={hypothesis.id}>
            {hypothesis.coverage === null ? '–' : `${Math.round(hypothesis.coverage * 100)}%`}
          </td>
        ))}
      </Foot>
      <Foot title="Confidence" term="confidence">
        {hypotheses.map((hypothesis) => (
          <td key={hypothesis.id}>
            {hypothesis.confidence === null ? '–' : `${hypothesis.confidence}%`}
          </td>
        ))}
      </Foot>
    </tfoot>
  )
}

function HypothesisHead({ hypothesis }: { readonly hypothesis: MatrixHypothesis }) {
  return (
    <th
      scope="col"
      className={cx('matrix-hypothesis', hypothesis.closed && 'matrix-dim')}
      title={hypothesis.statement}
    >
      <span className="matrix-hypothesis-line">
        <span className="matrix-label">{hypothesis.label}</span>
        {hypothesis.leads && <span className="matrix-lead">leads</span>}
        {hypothesis.closed && <span className="faint">refuted</span>}
      </span>
      <span className="matrix-statement">{hypothesis.statement}</span>
    </th>
  )
}

function Cell({
  row,
  hypothesis,
  cell,
  mode,
  place,
  chosen,
  entry,
  onChoose,
  onKey,
}: {
  readonly row: MatrixRow
  readonly hypothesis: MatrixHypothesis
  readonly cell: MatrixCell
  readonly mode: Mode
  readonly place: Place
  readonly chosen: boolean
  readonly entry: boolean
  readonly onChoose: () => void
  readonly onKey: (event: KeyboardEvent) => void
}) {
  const look = lookOf(cell, mode)
  return (
    <td
      role="gridcell"
      className={cx('matrix-cell', `matrix-${look.tint}`, chosen && 'chosen')}
      data-place={`${place.row}:${place.column}`}
      data-testid={`cell-${row.label}-${hypothesis.label}`}
      tabIndex={entry ? 0 : -1}
      aria-label={describeCell(row, hypothesis, cell)}
      aria-selected={chosen}
      onClick={onChoose}
      onKeyDown={onKey}
    >
      {look.letter && (
        <span className={cx('matrix-letter', look.proposed && 'matrix-proposed')}>
          <span aria-hidden="true">{shapeOf(look.letter)}</span> {look.letter}
        </span>
      )}
      {mode !== 'mine' && cell.mine && cell.votes.length > 1 && (
        <span className="matrix-mine" title="Your rating">
          {cell.mine}
        </span>
      )}
      {cell.blind && (
        <span className="matrix-blind-mark" title="Others rated: hidden until you rate" />
      )}
      {mode !== 'mine' && look.apart > 0.2 && (
        <span className="matrix-apart" title="People disagree here" />
      )}
      {cell.comments > 0 && <span className="matrix-comments">{cell.comments}</span>}
    </td>
  )
}

function Weight({
  row,
  disabled,
  onWeigh,
}: {
  readonly row: MatrixRow
  readonly disabled: boolean
  readonly onWeigh: (change: { credibility: Level; relevance: Level }) => void
}) {
  const { credibility, relevance } = row
  return (
    <>
      {(
        [
          ['Credibility', credibility, (to: Level) => onWeigh({ credibility: to, relevance })],
          ['Relevance', relevance, (to: Level) => onWeigh({ credibility, relevance: to })],
        ] as const
      ).map(([name, value, change]) => (
        <td key={name} className="matrix-end">
          <select
            className={cx('matrix-level', value === 'normal' && 'faint')}
            aria-label={`${name} of ${row.label}`}
            disabled={disabled}
            value={value}
            onChange={(event) => change(event.target.value as Level)}
          >
            {LEVELS.map((level) => (
              <option key={level}>{level}</option>
            ))}
          </select>
        </td>
      ))}
    </>
  )
}

function Foot({
  title,
  term,
  children,
}: {
  readonly title: string
  readonly term: TermName
  readonly children: React.ReactNode
}) {
  return (
    <tr>
      <th scope="row">
        <Term of={term}>{title}</Term>
      </th>
      {children}
      <td colSpan={3} />
    </tr>
  )
}
