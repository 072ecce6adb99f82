/** The dialog for a symptom: a condition on records that is checked in the incident and in every run. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '@/ui/controls/Button'
import { Dialog } from '@/ui/panels/Dialog'
import { EditableField } from '@/ui/controls/EditableField'
import { Field } from '@/ui/controls/Field'
import { HappenedField, useGiven } from '@/ui/controls/HappenedField'
import { typedHappened } from '@/ui/controls/happened'
import { useZone } from '@/state/incident'
import { useStored } from '@/state/stored'
import { Problem } from '@/ui/display/States'
import { decimal } from './draft'
import './story.css'
import { type NewSymptom, seriesNamesQuery, type Symptom, useSymptomWrites } from './queries'

const KINDS = [
  ['series', 'A series above or below a value'],
  ['state', 'Threads in a session state'],
  ['stack', 'Threads with a function on their stack'],
  ['location', 'Threads waiting at a place in the code'],
  ['log', 'Log lines with a text'],
  ['prose', 'In words, answered by people for each run'],
] as const
const SIGNS = [
  ['>', 'above'],
  ['<', 'below'],
] as const
type Kind = (typeof KINDS)[number][0]

const TEXT: Record<Exclude<Kind, 'series'>, readonly [label: string, placeholder: string]> = {
  state: ['State', 'query end'],
  stack: ['Function', 'innobase_xa_prepare'],
  location: ['Place', 'btr0sea.ic:98'],
  log: ['Text', 'Difficult to find free blocks'],
  prose: ['Symptom', 'A restart helps for one or two hours, then it comes back'],
}

export function SymptomDialog({
  incidentId,
  was,
  onClose,
}: {
  incidentId: string
  /** The symptom to edit; undefined for a new one. */
  was?: Symptom | undefined
  onClose: () => void
}) {
  const { create, edit } = useSymptomWrites(incidentId)
  const write = was ? edit : create
  const before = was?.predicate
  const series = useQuery(seriesNamesQuery(incidentId))
  const [kind, setKind] = useState<Kind>(before?.kind ?? 'series')
  const [text, setText] = useStored(
    was ? null : `draft.symptom.${incidentId}`,
    before === undefined ? '' : before.kind === 'series' ? before.series : before.text,
  )
  const [op, setOp] = useState<'>' | '<'>(before?.kind === 'series' ? before.op : '>')
  const [value, setValue] = useState(before?.kind === 'series' ? String(before.value) : '')
  const [lasting, setLasting] = useState(before?.kind === 'series' ? String(before.for_s) : '10')
  const [least, setLeast] = useState(
    before !== undefined && 'at_least' in before ? String(before.at_least) : '10',
  )
  const zone = useZone()
  const [when, setWhen] = useState(
    typedHappened(was?.happened_at ?? null, was?.happened_precision ?? 'exact', zone.name),
  )
  const noticed = useGiven(when)
  const count = decimal(least)
  const seconds = decimal(lasting) ?? 0
  const level = decimal(value)
  const predicate: NewSymptom['predicate'] | null = !text.trim()
    ? null
    : kind === 'series'
      ? level === null || seconds < 0
        ? null
        : { kind, series: text.trim(), op, value: level, for_s: seconds }
      : kind === 'prose'
        ? { kind, text: text.trim() }
        : count === null || count < 1 || !Number.isInteger(count)
          ? null
          : { kind, text: text.trim(), at_least: count }
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={was ? 'Edit the symptom' : 'Add a symptom'}
      description={
        was
          ? 'It is checked again in the incident and in every run. Finished runs keep their recorded result.'
          : 'It is checked in the incident and in every run. Data that was not collected stays unknown.'
      }
      footer={
        <Button
          variant="primary"
          busy={write.isPending}
          disabled={predicate === null || noticed === null}
          onClick={() => {
            if (!predicate || !noticed) return
            const body = {
              predicate,
              happened_at: noticed.at,
              happened_precision: noticed.precision,
            }
            if (was) edit.mutate({ was, body }, { onSuccess: onClose })
            else
              create.mutate(body, {
                onSuccess: () => {
                  setText('')
                  onClose()
                },
              })
          }}
        >
          {kind === 'prose' ? 'Save' : 'Check'}
        </Button>
      }
    >
      <div className="plan">
        {write.isError && <Problem compact error={write.error} what="The symptom was not saved" />}
        <EditableField
          label="Condition"
          options={KINDS}
          value={kind}
          onChange={(next) => setKind(next as Kind)}
        />
        <Field label={kind === 'series' ? 'Series' : TEXT[kind][0]}>
          {(ids) => (
            <>
              <input
                {...ids}
                className="input"
                list={kind === 'series' ? 'symptom-series' : undefined}
                placeholder={kind === 'series' ? 'mysql.Threads_running' : TEXT[kind][1]}
                value={text}
                onChange={(event) => setText(event.target.value)}
              />
              <datalist id="symptom-series">
                {(series.data ?? []).slice(0, 2000).map((id) => (
                  <option key={id} value={id} />
                ))}
              </datalist>
            </>
          )}
        </Field>
        {kind === 'series' ? (
          <div className="plan-three">
            <EditableField
              label="Is"
              options={SIGNS}
              value={op}
              onChange={(sign) => setOp(sign as '>' | '<')}
            />
            <EditableField label="Value" inputMode="decimal" value={value} onChange={setValue} />
            <EditableField
              label="For at least"
              hint="Seconds, without a gap"
              inputMode="decimal"
              value={lasting}
              onChange={setLasting}
            />
          </div>
        ) : kind === 'prose' ? null : (
          <EditableField
            label={kind === 'log' ? 'Minimum lines' : 'Minimum threads'}
            hint={kind === 'log' ? 'In the whole log' : 'In one sample'}
            inputMode="numeric"
            value={least}
            onChange={setLeast}
          />
        )}
        <details className="story-fold">
          <summary>When was it noticed?</summary>
          <HappenedField label="Noticed" value={when} onChange={setWhen} />
        </details>
      </div>
    </Dialog>
  )
}
