/** The experiment log: changes, predictions, observations. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { hypothesesQuery, useMay } from '@/api/queries'
import { useIncidentId } from '@/state/incident'
import { text, useUrlState } from '@/state/url'
import { useTimes } from '@/ui/controls/TimesToggle'
import { Button } from '@/ui/controls/Button'
import { cx } from '@/ui/controls/cx'
import { EmptyState, NotRefreshed, Problem, SkeletonRows } from '@/ui/display/States'
import { Chip } from '@/ui/controls/Chip'
import { Happened } from '@/ui/display/Happened'
import { Time } from '@/ui/display/Value'
import { Detail } from './Detail'
import { FAILED_WORDS } from './failed'
import { MeasureValue } from './Measures'
import { PasteResults } from './PasteResults'
import { Planning } from './Planning'
import { type Experiment, experimentsQuery, sweepsQuery } from './queries'
import { byTime, sameChange, sweepsOf } from './sweep'
import { SweepTable } from './SweepTable'
import { SymptomTable } from './SymptomTable'
import { VerdictChip } from './VerdictChip'
import './experiments.css'

/** Scroll the selected row into view, also when a link selected it. */
const showRow = (row: HTMLTableRowElement | null) => row?.scrollIntoView({ block: 'nearest' })

export default function ExperimentsScreen() {
  const id = useIncidentId()
  const mayWrite = useMay('contributor')
  const [open, setOpen] = useUrlState('experiment', text, '')
  const [plan, setPlan] = useUrlState('plan', text, '')
  const [by, setBy] = useTimes()
  const [pasting, setPasting] = useState(false)
  const list = useQuery(experimentsQuery(id))
  const sweeps = useQuery(sweepsQuery(id))
  const { data } = list
  const hypotheses = useQuery(hypothesesQuery(id))
  if (list.isLoadingError) {
    return (
      <Problem
        error={list.error}
        what="The experiments could not be read"
        onRetry={() => void list.refetch()}
      />
    )
  }
  if (!data) return <SkeletonRows rows={8} />
  const chosen = data.find((item) => item.id === open)
  const hasAuthors = data.some((item) => item.by)
  const statement = (hypothesis: string | null) =>
    hypotheses.data?.find((item) => item.id === hypothesis)?.statement ?? ''
  return (
    <div className="experiments">
      <div className="experiments-main scroll">
        <NotRefreshed query={list} />
        <header className="experiments-head">
          <h2>Experiments</h2>
          {mayWrite && (
            <span className="sweep-actions">
              <Button onClick={() => setPasting(true)}>Paste results</Button>
              <Button variant="primary" onClick={() => setPlan('new')}>
                Plan an experiment
              </Button>
            </span>
          )}
        </header>
        {data.length === 0 ? (
          <EmptyState title="No experiments yet">
            Change one thing, predict the effect before you start, then record the result, also when
            the prediction fails.
          </EmptyState>
        ) : (
          <table
            className={cx('experiments-table experiments-log', chosen && 'narrow')}
            aria-label="Experiments"
          >
            <thead>
              <tr>
                <th scope="col">#</th>
                <th scope="col">Experiment</th>
                <th scope="col">Change</th>
                <th scope="col">Predicted</th>
                <th scope="col">Observed</th>
                <th scope="col">Verdict</th>
                <th scope="col">
                  <button
                    type="button"
                    className="linklike"
                    title={
                      by === 'happened' ? 'Sort by when it was recorded' : 'Sort by when it ran'
                    }
                    onClick={() => setBy(by === 'happened' ? 'recorded' : 'happened')}
                  >
                    {by === 'happened' ? 'Ran' : 'Recorded'}
                  </button>
                </th>
                {hasAuthors && <th scope="col">By</th>}
              </tr>
            </thead>
            <tbody>
              {byTime(data, by).map((item) => (
                <Row
                  key={item.id}
                  item={item}
                  statement={statement(item.hypothesis_id)}
                  changedAs={sameChange(data, item)}
                  isOpen={item.id === open}
                  by={by}
                  hasAuthors={hasAuthors}
                  onOpen={setOpen}
                />
              ))}
            </tbody>
          </table>
        )}
        {sweepsOf(data).map((name) => (
          <SweepTable
            key={name}
            incidentId={id}
            name={name}
            experiments={data.filter((item) => item.sweep === name)}
            chart={sweeps.data?.find((item) => item.name === name)}
            onOpen={setOpen}
          />
        ))}
        <SymptomTable incidentId={id} experiments={data} onOpen={setOpen} />
      </div>
      {chosen && (
        <Detail
          key={chosen.id}
          incidentId={id}
          experiment={chosen}
          onClose={() => setOpen(null)}
          onRunLike={() => setPlan(`run:${chosen.id}`)}
          onChangePlan={() => setPlan(`change:${chosen.id}`)}
        />
      )}
      {pasting && <PasteResults incidentId={id} onClose={() => setPasting(false)} />}
      {mayWrite && plan && (
        <Planning
          key={plan}
          incidentId={id}
          plan={plan}
          experiments={data}
          onClose={() => setPlan(null)}
          onMade={setOpen}
        />
      )}
    </div>
  )
}

/** One experiment of the log. */
function Row({
  item,
  statement,
  changedAs,
  isOpen,
  by,
  hasAuthors,
  onOpen,
}: {
  readonly item: Experiment
  /** Of its hypothesis. */
  readonly statement: string
  /** The first run of its sweep with the same change; null for that run itself. */
  readonly changedAs: number | null
  readonly isOpen: boolean
  /** Which time of the run to show. */
  readonly by: 'happened' | 'recorded'
  /** Whether any run names who recorded it; those of a sample do not. */
  readonly hasAuthors: boolean
  readonly onOpen: (id: string) => void
}) {
  return (
    <tr
      ref={isOpen ? showRow : undefined}
      data-testid="experiment-row"
      className={cx(isOpen && 'selected')}
    >
      <td className="num">{item.number}</td>
      <td>
        <button type="button" className="linklike" onClick={() => onOpen(item.id)}>
          {item.title}
        </button>
        <div className="faint">{statement}</div>
      </td>
      <td>{changedAs ? <span className="faint">as in {changedAs}</span> : item.change}</td>
      <td>
        {item.prediction.text}
        <div className={cx(item.prediction.text && 'faint')}>{item.predicted}</div>
        {item.prediction_standing === 'recorded_after' && (
          <Chip tone="waiting">recorded after the run</Chip>
        )}
      </td>
      <td>
        {item.measures.map((measure, index) => (
          <div key={measure.id ?? index}>
            <span className="faint">{measure.name} </span>
            <MeasureValue measure={measure} />
          </div>
        ))}
        <div>{item.observation?.text ?? ''}</div>
      </td>
      <td>
        <VerdictChip experiment={item} />
        {item.failed_same_way && (
          <div className="faint experiment-failed">{FAILED_WORDS[item.failed_same_way]}</div>
        )}
      </td>
      <td className="experiment-ran">
        {item.began ? (
          <Happened
            at={item.ran_from}
            precision={item.ran_precision}
            recorded={item.started_at}
            by={by}
          />
        ) : item.started_at ? (
          <span className="faint">
            not known (recorded <Time at={item.started_at} />)
          </span>
        ) : (
          '–'
        )}
      </td>
      {hasAuthors && <td>{item.by}</td>}
    </tr>
  )
}
