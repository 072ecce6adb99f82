/** The matrix of competing hypotheses and evidence, with the most useful next step. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation } from 'react-router'
import { useMay } from '@/api/queries'
import { number, oneOf, text, useUrlState } from '@/state/url'
import { Button } from '@/ui/controls/Button'
import { experimentAt, experimentPath } from '@/ui/evidence/evidence'
import { EmptyState, NotRefreshed, Problem, SkeletonRows } from '@/ui/display/States'
import { Time } from '@/ui/display/Value'
import { CellPanel } from './CellPanel'
import { MatrixGrid } from './MatrixGrid'
import {
  arranged,
  type Chosen,
  type Matrix,
  type Mode,
  type Order,
  orderOf,
  placeOf,
} from './matrix'
import { matrixQuery, useMatrixWrites } from './queries'
import './matrix.css'

const MODES: readonly (readonly [Mode, string])[] = [
  ['consensus', 'Consensus'],
  ['mine', 'Mine'],
  ['disagreement', 'Disagreement'],
]
const MODE = oneOf<Mode>(['consensus', 'mine', 'disagreement'])

export function MatrixTab({ incidentId }: { readonly incidentId: string }) {
  const [mode, setMode] = useUrlState('mode', MODE, 'consensus')
  const [back, setBack] = useUrlState('back', number, 0)
  const [cell, setCell] = useUrlState('cell', text, '')
  const [pin = '', hypothesisId = ''] = cell.split('/')
  const chosen: Chosen | null = cell ? { pin, hypothesis: hypothesisId } : null
  const setChosen = (next: Chosen | null) => setCell(next && `${next.pin}/${next.hypothesis}`)
  const [held, setHeld] = useState<Order | null>(null)
  const [commenting, setCommenting] = useState(false)
  const now = useQuery(matrixQuery(incidentId, mode, null))
  const moments = now.data?.moments ?? []
  const at = back > 0 ? (moments.at(-1 - back) ?? null) : null
  const then = useQuery({
    ...matrixQuery(incidentId, mode, at),
    enabled: at !== null,
    placeholderData: keepPreviousData,
  })
  const shown = at === null ? now : then
  const matrix = shown.data && arranged(shown.data, held)
  if (shown.isLoadingError) {
    return (
      <Problem
        error={shown.error}
        what="The matrix could not be read"
        onRetry={() => void shown.refetch()}
      />
    )
  }
  if (!matrix) return <SkeletonRows rows={8} />
  if (matrix.rows.length === 0 || matrix.hypotheses.length === 0) {
    return (
      <EmptyState title="No matrix yet">
        It compares every pin with every hypothesis. There{' '}
        {matrix.hypotheses.length === 0
          ? 'is no hypothesis yet: write one on the board.'
          : 'is no evidence yet: use “Pin as evidence” in any view.'}
      </EmptyState>
    )
  }
  const place = placeOf(matrix, chosen)
  const row = chosen && matrix.rows[place.row]
  const hypothesis = chosen && matrix.hypotheses[place.column]
  return (
    <div
      className="matrix-tab"
      onFocus={() => setHeld((order) => order ?? orderOf(matrix))}
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) setHeld(null)
      }}
    >
      <div className="matrix-main">
        <NotRefreshed query={shown} />
        <Verdict incidentId={incidentId} matrix={matrix} />
        <div className="matrix-tools">
          <div className="segments" role="group" aria-label="What the cells show">
            {MODES.map(([value, label]) => (
              <Button
                key={value}
                size="small"
                pressed={mode === value}
                onClick={() => setMode(value)}
              >
                {label}
              </Button>
            ))}
          </div>
          <History moments={moments} back={back} onChange={setBack} />
          <Blind incidentId={incidentId} matrix={matrix} />
        </div>
        <MatrixGrid
          incidentId={incidentId}
          matrix={matrix}
          mode={mode}
          frozen={at !== null}
          chosen={chosen}
          onChoose={setChosen}
          onComment={() => setCommenting(true)}
        />
      </div>
      {row && hypothesis && (
        <CellPanel
          key={`${row.pin_id}${hypothesis.id}`}
          incidentId={incidentId}
          row={row}
          hypothesis={hypothesis}
          mayOpen={matrix.may_open}
          frozen={at !== null}
          writing={commenting}
          onWritten={() => setCommenting(false)}
          onClose={() => {
            setChosen(null)
            setCommenting(false)
          }}
        />
      )}
    </div>
  )
}

/** The headline: the leading hypothesis, the evidence it depends on, and the next step. */
function Verdict({ incidentId, matrix }: { readonly incidentId: string; readonly matrix: Matrix }) {
  const steps = matrix.next?.steps ?? []
  return (
    <section className="matrix-verdict" aria-label="What the matrix says">
      <p className="matrix-headline" data-testid="sensitivity">
        {matrix.sensitivity}
      </p>
      {matrix.disputed && <p className="matrix-disputed">{matrix.disputed}</p>}
      {matrix.next && (
        <p className="muted">
          {matrix.next.standing}{' '}
          {steps.slice(0, 2).map((step, index) => (
            <span key={step.text} title={step.why}>
              {index === 0 ? <b>Next:</b> : 'Or:'} {step.text.replace(/\.?$/, '.')}{' '}
              <PlanStep incidentId={incidentId} step={step} />
            </span>
          ))}
        </p>
      )}
    </section>
  )
}

/** The button of a next step: plans an experiment for its hypothesis, or opens a planned one. */
function PlanStep({
  incidentId,
  step,
}: {
  readonly incidentId: string
  readonly step: NonNullable<Matrix['next']>['steps'][number]
}) {
  const { search } = useLocation()
  const mayWrite = useMay('contributor')
  if (step.experiment_id) {
    return (
      <>
        <Link to={experimentAt(incidentId, step.experiment_id, search)}>Open it</Link>{' '}
      </>
    )
  }
  if (!step.hypothesis_id || !mayWrite) return null
  return (
    <>
      <Link to={experimentPath(incidentId, `hypothesis:${step.hypothesis_id}`, search)}>
        Plan it
      </Link>{' '}
    </>
  )
}

function History({
  moments,
  back,
  onChange,
}: {
  readonly moments: readonly string[]
  readonly back: number
  readonly onChange: (back: number) => void
}) {
  if (moments.length < 2) return null
  const at = moments.at(-1 - back)
  return (
    <label className="matrix-history">
      <span className="muted">As it was</span>
      <input
        type="range"
        min={0}
        max={moments.length - 1}
        value={moments.length - 1 - back}
        aria-valuetext={back === 0 ? 'now' : at}
        onChange={(event) => onChange(moments.length - 1 - Number(event.target.value))}
      />
      <span className="matrix-history-at">{back === 0 || !at ? 'now' : <Time at={at} />}</span>
    </label>
  )
}

function Blind({ incidentId, matrix }: { readonly incidentId: string; readonly matrix: Matrix }) {
  const { open } = useMatrixWrites(incidentId)
  const mayWrite = useMay('contributor')
  if (matrix.hidden === 0) return null
  return (
    <span className="matrix-blind">
      <span className="matrix-blind-mark" aria-hidden="true" />
      {matrix.hidden} {matrix.hidden === 1 ? 'cell is' : 'cells are'} hidden from you; the scores
      leave
      {matrix.hidden === 1 ? ' it' : ' them'} out
      {matrix.may_open && mayWrite && (
        <Button
          size="small"
          busy={open.isPending}
          onClick={() => open.mutate({ pin_id: null, hypothesis_id: null })}
        >
          Open all
        </Button>
      )}
    </span>
  )
}
