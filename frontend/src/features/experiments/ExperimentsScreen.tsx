/** The experiment log: changes, predictions, observations. */
import { useQuery } from '@tanstack/react-query'
import { useMay } from '@/api/queries'
import { useIncidentId } from '@/state/incident'
import { text, useUrlState } from '@/state/url'
import { Button } from '@/ui/controls/Button'
import { cx } from '@/ui/controls/cx'
import { EmptyState, NotRefreshed, Problem, SkeletonRows } from '@/ui/display/States'
import { Detail } from './Detail'
import { Planning } from './Planning'
import { experimentsQuery, hypothesisNamesQuery } from './queries'
import { predictedNumber, sweepsOf } from './sweep'
import { SweepTable } from './SweepTable'
import { SymptomTable } from './SymptomTable'
import { Measured, VerdictChip } from './VerdictChip'
import './experiments.css'

/** Scroll the selected row into view, also when a link selected it. */
const showRow = (row: HTMLTableRowElement | null) => row?.scrollIntoView({ block: 'nearest' })

export default function ExperimentsScreen() {
  const id = useIncidentId()
  const mayWrite = useMay('contributor')
  const [open, setOpen] = useUrlState('experiment', text, '')
  const [plan, setPlan] = useUrlState('plan', text, '')
  const list = useQuery(experimentsQuery(id))
  const { data } = list
  const hypotheses = useQuery(hypothesisNamesQuery(id))
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
  const statement = (hypothesis: string | null) =>
    hypotheses.data?.find((item) => item.id === hypothesis)?.statement ?? ''
  return (
    <div className="experiments">
      <div className="experiments-main scroll">
        <NotRefreshed query={list} />
        <header className="experiments-head">
          <h2>Experiments</h2>
          {mayWrite && (
            <Button variant="primary" onClick={() => setPlan('new')}>
              Plan an experiment
            </Button>
          )}
        </header>
        {data.length === 0 ? (
          <EmptyState title="No experiments yet">
            Change one thing, predict the effect before you start, then record the result, also when
            the prediction fails.
          </EmptyState>
        ) : (
          <table className="experiments-table" aria-label="Experiments">
            <thead>
              <tr>
                <th scope="col">#</th>
                <th scope="col">Experiment</th>
                <th scope="col">Change</th>
                <th scope="col">Predicted</th>
                <th scope="col">Observed</th>
                <th scope="col">Verdict</th>
                <th scope="col">By</th>
              </tr>
            </thead>
            <tbody>
              {data.map((item) => (
                <tr
                  key={item.id}
                  ref={item.id === open ? showRow : undefined}
                  data-testid="experiment-row"
                  className={cx(item.id === open && 'selected')}
                >
                  <td className="num">{item.number}</td>
                  <td>
                    <button type="button" className="linklike" onClick={() => setOpen(item.id)}>
                      {item.title}
                    </button>
                    <div className="faint">{statement(item.hypothesis_id)}</div>
                  </td>
                  <td>{item.change}</td>
                  <td>
                    {item.prediction.text}
                    <div className={cx(item.prediction.text && 'faint')}>
                      {predictedNumber(item.prediction)}
                    </div>
                  </td>
                  <td>
                    <Measured experiment={item} />
                    <div>{item.observation?.text ?? ''}</div>
                  </td>
                  <td>
                    <VerdictChip experiment={item} />
                  </td>
                  <td>{item.by}</td>
                </tr>
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
