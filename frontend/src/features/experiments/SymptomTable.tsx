/** The symptoms of the incident, and those added by users, in every run. */
import { useQueries, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useMay } from '@/api/queries'
import { formatNumber } from '@/format'
import { Button, IconButton } from '@/ui/controls/Button'
import { cx } from '@/ui/controls/cx'
import { ExportMenu } from '@/ui/controls/ExportMenu'
import { TimesToggle, useTimes } from '@/ui/controls/TimesToggle'
import { CloseIcon } from '@/ui/controls/icons'
import { Happened } from '@/ui/display/Happened'
import { Problem } from '@/ui/display/States'
import { useOfferUndo } from '@/ui/history/undo'
import {
  type Experiment,
  observedQuery,
  runSymptomsQuery,
  type Symptom,
  symptomsQuery,
  useSymptomWrites,
} from './queries'
import { SymptomDialog } from './SymptomDialog'
import {
  countOf,
  differently,
  markOf,
  type Seen,
  symptomExport,
  symptomRows,
  wordOf,
} from './symptoms'

type Props = {
  readonly incidentId: string
  readonly experiments: readonly Experiment[]
  readonly onOpen: (id: string) => void
}

export function SymptomTable({ incidentId, experiments, onOpen }: Props) {
  const mayWrite = useMay('contributor')
  const [writing, setWriting] = useState<Symptom | 'new' | null>(null)
  const own = useQuery(symptomsQuery(incidentId))
  const hasProse = (own.data ?? []).some((item) => item.predicate.kind === 'prose')
  const withFiles = experiments.filter(
    (experiment) => experiment.artifacts.length > 0 || (hasProse && experiment.state !== 'planned'),
  )
  const now = useQueries({
    queries: withFiles.map((withFile) => observedQuery(incidentId, withFile)),
  })
  const answers = useQueries({
    queries: withFiles.map((withFile) => runSymptomsQuery(incidentId, withFile, own.data ?? [])),
  })
  const { remove, answer } = useSymptomWrites(incidentId)
  const offer = useOfferUndo(incidentId)
  const runs = withFiles.map((experiment, i) => ({
    experiment,
    seen: experiment.computed?.symptoms ?? now[i]?.data?.symptoms ?? null,
    answers: answers[i]?.data ?? [],
  }))
  const rows = symptomRows(own.data ?? [], runs)
  const answerOf = (symptom: Symptom | null, run: Experiment | undefined) =>
    mayWrite && run && symptom?.predicate.kind === 'prose'
      ? (holds: boolean | null) => answer.mutate({ symptom: symptom.id, experiment: run.id, holds })
      : undefined
  if (own.isLoadingError)
    return <Problem compact error={own.error} what="The symptoms could not be read" />
  return (
    <section className="sweep" aria-label="Symptoms">
      <header className="experiments-head">
        <h3>
          Symptoms<span className="visually-hidden">: </span>{' '}
          <span className="faint">
            {rows.length > 0
              ? `${formatNumber(rows.length)}, each checked in every run with artifacts`
              : 'What a run must show to fail the same way'}
          </span>
        </h3>
        <span className="sweep-actions">
          {mayWrite && (
            <Button size="small" onClick={() => setWriting('new')}>
              Add a symptom
            </Button>
          )}
          {rows.some((row) => row.own?.happened_at) && <TimesToggle />}
          {rows.length > 0 && (
            <ExportMenu name="symptoms" rows={() => symptomExport(rows, runs)} markdown />
          )}
        </span>
      </header>
      {rows.length > 0 && (
        <table
          className="experiments-table symptoms"
          aria-label="Symptoms and what each run showed"
        >
          <thead>
            <tr>
              <th scope="col">Symptom</th>
              <th scope="col">incident</th>
              {runs.map(({ experiment }, i) => (
                <th key={experiment.id} scope="col">
                  <button
                    type="button"
                    className="linklike"
                    title={experiment.title}
                    onClick={() => onOpen(experiment.id)}
                  >
                    run {experiment.number}
                  </button>
                  <div className="muted" title={differentlyText(differently(rows, i))}>
                    {countOf(rows, i) || '–'}
                  </div>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.own?.id ?? row.words} data-testid="symptom-row">
                <th scope="row">
                  {row.words}
                  {row.own && (
                    <>
                      {' '}
                      <NotedBy symptom={row.own} />{' '}
                      {mayWrite && (
                        <button
                          type="button"
                          className="linklike"
                          aria-label={`Edit the symptom ${row.words}`}
                          onClick={() => setWriting(row.own)}
                        >
                          edit
                        </button>
                      )}
                      {mayWrite && (
                        <IconButton
                          label={`Delete the symptom ${row.words}`}
                          icon={<CloseIcon size={12} />}
                          onClick={() => {
                            const { own: gone } = row
                            if (!gone) return
                            remove.mutate(gone.id, {
                              onSuccess: () => offer('symptom', gone.id, gone.words),
                            })
                          }}
                        />
                      )}
                    </>
                  )}
                </th>
                <Cell seen={row.incident} text={row.own?.incident?.text ?? ''} />
                {row.cells.map((cell, i) => (
                  <Cell
                    key={runs[i]?.experiment.id}
                    seen={cell.seen}
                    text={cell.text}
                    differs={row.incident === false && cell.seen === true}
                    question={`Did run ${runs[i]?.experiment.number ?? ''} show it: ${row.words}?`}
                    onAnswer={answerOf(row.own, runs[i]?.experiment)}
                  />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {runs.map((run, i) => {
        const only = differently(rows, i)
        return only.length === 0 ? null : (
          <p key={run.experiment.id} className="muted">
            Run {run.experiment.number} {differentlyText(only)}.
          </p>
        )
      })}
      {writing && (
        <SymptomDialog
          incidentId={incidentId}
          was={writing === 'new' ? undefined : writing}
          onClose={() => setWriting(null)}
        />
      )}
    </section>
  )
}

/** Who wrote a symptom, and when it was noticed if a person gave that. */
function NotedBy({ symptom }: { readonly symptom: Symptom }) {
  const [by] = useTimes()
  return (
    <span className="faint">
      by {symptom.by}
      {symptom.happened_at && (
        <>
          ,{' '}
          <Happened
            at={symptom.happened_at}
            precision={symptom.happened_precision}
            recorded={symptom.recorded_at}
            by={by}
          />
        </>
      )}
    </span>
  )
}

const differentlyText = (words: readonly string[]) =>
  words.length === 0
    ? ''
    : `failed differently in ${words.slice(0, 3).join('; ')}${words.length > 3 ? ` and ${words.length - 3} more` : ''}`

function Cell({
  seen,
  text,
  differs = false,
  question,
  onAnswer,
}: {
  readonly seen: Seen
  readonly text: string
  readonly differs?: boolean
  readonly question?: string
  /** Of a symptom in words, which people answer. */
  readonly onAnswer?: ((holds: boolean | null) => void) | undefined
}) {
  return (
    <td className={cx('symptom-cell', `seen-${seen}`, differs && 'differs')} title={text}>
      <span aria-label={wordOf(seen)}>{markOf(seen)}</span>
      {text && <span className="faint"> {text.split(' (')[0]}</span>}
      {onAnswer && (
        <select
          className="select symptom-answer"
          aria-label={question}
          value={String(seen)}
          onChange={(event) =>
            onAnswer(event.target.value === 'null' ? null : event.target.value === 'true')
          }
        >
          <option value="null">answer</option>
          <option value="true">seen</option>
          <option value="false">not seen</option>
        </select>
      )}
    </td>
  )
}
