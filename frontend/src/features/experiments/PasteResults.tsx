/** The dialog that turns a pasted table of results into runs: paste, check what was understood, import. */
import { formatNumber } from '@/format'
import { useStored } from '@/state/stored'
import { Button } from '@/ui/controls/Button'
import { EditableField } from '@/ui/controls/EditableField'
import { Field } from '@/ui/controls/Field'
import { HappenedField, useGiven } from '@/ui/controls/HappenedField'
import { Problem } from '@/ui/display/States'
import { Dialog } from '@/ui/panels/Dialog'
import { type TablePreview, useExperimentWrites } from './queries'
import './story.css'

type Column = TablePreview['columns'][number]

const ROLES: readonly (readonly [Column['role'], string])[] = [
  ['parameter', 'parameter'],
  ['value', 'value'],
  ['outcome', 'outcome'],
  ['title', 'title'],
  ['ignore', 'leave out'],
]

const EXAMPLE = `| machines | QPS (1/s) | result    |
|---------:|----------:|-----------|
|       21 |   102 481 | fine      |
|       22 |     9 100 | collapsed |`

const PLACES = [
  ['host', 'Host'],
  ['build', 'Build'],
  ['cores', 'Cores'],
  ['dataset', 'Dataset'],
] as const

/** What is typed and not imported yet; it stays when the dialog closes. */
const NOTHING = {
  text: '',
  sweep: '',
  title: '',
  when: '',
  host: '',
  build: '',
  cores: '',
  dataset: '',
}

export function PasteResults({
  incidentId,
  onClose,
}: {
  readonly incidentId: string
  readonly onClose: () => void
}) {
  const { preview, importTable } = useExperimentWrites(incidentId)
  const [draft, setDraft] = useStored(`draft.results.${incidentId}`, NOTHING)
  const { text, sweep, title, when, ...places } = draft
  const change = (typed: Partial<typeof NOTHING>) => setDraft({ ...draft, ...typed })
  const began = useGiven(when)
  const read = preview.data
  const look = (roles: { columns?: Column[]; failures?: string[] } = {}) =>
    preview.mutate({
      text,
      sweep: sweep.trim(),
      columns: roles.columns ?? null,
      failures: roles.failures ?? null,
    })
  const save = () =>
    read &&
    began &&
    importTable.mutate(
      {
        text,
        sweep: sweep.trim(),
        title: title.trim(),
        columns: read.columns,
        failures: read.failures,
        ran_from: began.at,
        ran_precision: began.precision,
        ...places,
      },
      {
        onSuccess: () => {
          setDraft(NOTHING)
          onClose()
        },
      },
    )
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title="Paste a table of results"
      description="One row per run. Markdown, CSV, tabs, columns aligned with blanks, or the box of the mysql client. The values stay marked as imported."
      width={760}
      footer={
        read ? (
          <Button
            variant="primary"
            busy={importTable.isPending}
            disabled={began === null}
            onClick={save}
          >
            {`Import ${formatNumber(read.runs.length)} ${read.runs.length === 1 ? 'run' : 'runs'}`}
          </Button>
        ) : (
          <Button
            variant="primary"
            busy={preview.isPending}
            disabled={!text.trim()}
            onClick={() => look()}
          >
            Preview
          </Button>
        )
      }
    >
      <div className="story-paste">
        {preview.isError && <Problem compact error={preview.error} what="The table was not read" />}
        {importTable.isError && (
          <Problem compact error={importTable.error} what="The runs were not imported" />
        )}
        <Field label="Table">
          {(ids) => (
            <textarea
              {...ids}
              className="textarea"
              rows={6}
              placeholder={EXAMPLE}
              value={text}
              onChange={(event) => {
                change({ text: event.target.value })
                preview.reset()
              }}
            />
          )}
        </Field>
        <EditableField
          label="Sweep"
          hint="Name shared by its runs; a run of it with the same parameters gets the values"
          value={sweep}
          onChange={(name) => {
            change({ sweep: name })
            preview.reset()
          }}
        />
        {read && <Preview read={read} onChange={look} />}
        <details className="story-fold">
          <summary>Title, time and environment</summary>
          <EditableField
            label="Title"
            hint="Put before the parameters of each run"
            value={title}
            onChange={(words) => change({ title: words })}
          />
          <HappenedField
            label="When did the runs begin?"
            empty="only the import is dated"
            value={when}
            onChange={(time) => change({ when: time })}
          />
          <div className="story-pair">
            {PLACES.map(([name, label]) => (
              <EditableField
                key={name}
                label={label}
                value={places[name]}
                onChange={(place) => change({ [name]: place })}
              />
            ))}
          </div>
        </details>
      </div>
    </Dialog>
  )
}

function Preview({
  read,
  onChange,
}: {
  readonly read: TablePreview
  readonly onChange: (change: { columns?: Column[]; failures?: string[] }) => void
}) {
  const updated = read.runs.filter((run) => run.updates !== null).length
  return (
    <div className="story-preview">
      <p className="muted" role="status">
        {formatNumber(read.runs.length - updated)} new, {formatNumber(updated)} updated
        {read.problems.length > 0 && `; ${formatNumber(read.problems.length)} left out`}
      </p>
      <table className="story-measures" aria-label="What was read">
        <thead>
          <tr>
            {read.columns.map((column, at) => (
              <th key={column.name} scope="col">
                {column.name}
                {column.unit && <span className="unit">{column.unit}</span>}
                <select
                  className="select"
                  aria-label={`Role of ${column.name}`}
                  value={column.role}
                  onChange={(event) =>
                    onChange({
                      columns: read.columns.map((other, n) =>
                        n === at ? { ...other, role: event.target.value as Column['role'] } : other,
                      ),
                    })
                  }
                >
                  {ROLES.map(([role, words]) => (
                    <option key={role} value={role}>
                      {words}
                    </option>
                  ))}
                </select>
              </th>
            ))}
            <th scope="col">becomes</th>
          </tr>
        </thead>
        <tbody>
          {read.runs.slice(0, 20).map(({ run, updates }) => (
            <tr key={run.line}>
              {read.columns.map((column) => (
                <td key={column.name}>
                  {column.role === 'parameter' && run.parameters[column.name]}
                  {column.role === 'value' &&
                    formatNumber(run.values.find((value) => value.name === column.name)?.value)}
                  {column.role === 'outcome' && run.outcome}
                  {column.role === 'title' && run.title}
                </td>
              ))}
              <td className="muted">
                {updates === null ? 'a new run' : `values of run ${updates}`}
                {run.failed !== null && (run.failed ? ', failed' : ', did not fail')}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {read.outcomes.length > 0 && (
        <fieldset>
          <legend>Which outcomes are failures?</legend>
          {read.outcomes.map((outcome) => (
            <label key={outcome}>
              <input
                type="checkbox"
                checked={read.failures.includes(outcome)}
                onChange={(event) =>
                  onChange({
                    columns: read.columns,
                    failures: event.target.checked
                      ? [...read.failures, outcome]
                      : read.failures.filter((name) => name !== outcome),
                  })
                }
              />{' '}
              {outcome}
            </label>
          ))}
        </fieldset>
      )}
      {read.problems.length > 0 && (
        <ul className="muted">
          {read.problems.slice(0, 5).map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
    </div>
  )
}
