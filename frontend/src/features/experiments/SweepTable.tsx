/** The runs of one sweep: a row per parameter set, or a pivot of two parameters. */
import { useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import { formatCount } from '@/format'
import { Button } from '@/ui/controls/Button'
import { ExportMenu } from '@/ui/controls/ExportMenu'
import { MeasureValue } from './Measures'
import { observedQuery, type Experiment, type Sweep } from './queries'
import { SweepChart } from './SweepChart'
import {
  each,
  failedWords,
  measureNames,
  measuresNamed,
  parametersOf,
  pivot,
  places,
  predicted,
  reproduced,
  seriesOf,
  spread,
  summaryOf,
  sweepRows,
  type Run,
} from './sweep'
import { VerdictChip } from './VerdictChip'

type Props = {
  readonly incidentId: string
  readonly name: string
  readonly experiments: readonly Experiment[]
  /** Its loads and threshold; undefined without a load. */
  readonly chart: Sweep | undefined
  readonly onOpen: (id: string) => void
}

export function SweepTable({ incidentId, name, experiments, chart, onOpen }: Props) {
  const now = useQueries({
    queries: experiments.map((experiment) => observedQuery(incidentId, experiment)),
  })
  const runs: readonly Run[] = experiments.map((experiment, i) => ({
    experiment: experiment,
    seen: experiment.computed ?? now[i]?.data ?? null,
  }))
  const names = parametersOf(runs)
  const series = seriesOf(runs)
  const measured = measureNames(runs)
  const [pivoted, setPivoted] = useState(false)
  const [down, across] = names
  return (
    <section className="sweep" aria-label={`Sweep ${name}`}>
      <header className="experiments-head">
        <h3>
          {name} <span className="faint">{formatCount(runs.length, 'run')}</span>
        </h3>
        <span className="sweep-actions">
          {names.length === 2 && (
            <Button size="small" pressed={pivoted} onClick={() => setPivoted(!pivoted)}>
              {down} × {across}
            </Button>
          )}
          <ExportMenu name={['sweep', name]} rows={() => sweepRows(runs)} markdown />
        </span>
      </header>
      {chart && <SweepChart sweep={chart} onOpen={onOpen} />}
      {pivoted && down !== undefined && across !== undefined ? (
        <Pivoted runs={runs} down={down} across={across} series={series} onOpen={onOpen} />
      ) : (
        <table className="experiments-table" aria-label={`Runs of the sweep ${name}`}>
          <thead>
            <tr>
              {names.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
              <th scope="col">Predicted</th>
              {series.map((name) => (
                <th
                  key={name}
                  scope="col"
                  className="num"
                  title="Median ± MAD (samples) of one run; median, minimum–maximum of several"
                >
                  {name}
                </th>
              ))}
              {measured.map((name) => (
                <th key={name} scope="col" className="num">
                  {name}
                </th>
              ))}
              <th scope="col">Symptoms</th>
              <th scope="col">Failed</th>
              <th scope="col">Verdict</th>
            </tr>
          </thead>
          <tbody>
            {places(runs).map((same) => (
              <tr key={same[0]?.experiment.id} data-testid="sweep-row">
                {names.map((name) => (
                  <td key={name}>{same[0]?.experiment.parameters[name] ?? '–'}</td>
                ))}
                <td>
                  {[...new Set(same.map(predicted))].map((name) => (
                    <div key={name}>{name}</div>
                  ))}
                </td>
                {series.map((name) => (
                  <td key={name} className="num">
                    {spread(summaryOf(same, name))}
                  </td>
                ))}
                {measured.map((name) => (
                  <td key={name} className="num">
                    {measuresNamed(same, name).map((measure, index) => (
                      <div key={measure.id ?? index}>
                        <MeasureValue measure={measure} />
                      </div>
                    ))}
                  </td>
                ))}
                <td title={each(same, (run) => run.seen?.symptoms?.text ?? '')}>
                  {each(same, reproduced) || '–'}
                </td>
                <td>{each(same, failedWords) || '–'}</td>
                <td>
                  {same.map((run) => (
                    <div key={run.experiment.id}>
                      <Opens run={run} onOpen={onOpen} />
                    </div>
                  ))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}

function Opens({ run, onOpen }: { readonly run: Run; readonly onOpen: Props['onOpen'] }) {
  const { experiment } = run
  return (
    <>
      <VerdictChip experiment={experiment} />{' '}
      <button type="button" className="linklike" onClick={() => onOpen(experiment.id)}>
        run {experiment.number}
      </button>
      {experiment.overruled_because && (
        <div className="faint">
          computed: {run.seen?.measured?.verdict.replace('_', ' ')}; overruled
        </div>
      )}
    </>
  )
}

function Pivoted({
  runs,
  down,
  across,
  series,
  onOpen,
}: {
  readonly runs: readonly Run[]
  readonly down: string
  readonly across: string
  readonly series: readonly string[]
  readonly onOpen: Props['onOpen']
}) {
  const table = pivot(runs, down, across)
  return (
    <table className="experiments-table">
      <thead>
        <tr>
          <th scope="col">
            {down} \ {across}
          </th>
          {table.across.map((name) => (
            <th key={name} scope="col">
              {name || '–'}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {table.down.map((row) => (
          <tr key={row}>
            <th scope="row">{row || '–'}</th>
            {table.across.map((column) => (
              <td key={column}>
                {table.at(row, column).length === 0 ? (
                  <span className="faint">not run</span>
                ) : (
                  series.map((name) => (
                    <div key={name}>
                      {spread(summaryOf(table.at(row, column), name))}{' '}
                      {series.length > 1 && <span className="faint">{name}</span>}
                    </div>
                  ))
                )}
                {table.at(row, column).map((run) => (
                  <div key={run.experiment.id}>
                    {run.experiment.measures.map((measure, index) => (
                      <div key={measure.id ?? index}>
                        <span className="faint">{measure.name} </span>
                        <MeasureValue measure={measure} />
                      </div>
                    ))}
                    <Opens run={run} onOpen={onOpen} />
                    {reproduced(run) && <span className="muted"> {reproduced(run)} symptoms</span>}
                  </div>
                ))}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
