/** The dialog that defines the columns of a table, with a live preview; the mapping is remembered. */
import { useEffect, useState } from 'react'
import type { Artifact, MappingDraft, MappingPreview, TableMapping } from '@/api/schema'
import { Button } from '@/ui/controls/Button'
import { Dialog } from '@/ui/panels/Dialog'
import { Field } from '@/ui/controls/Field'
import { EmptyState, Problem, SkeletonRows } from '@/ui/display/States'
import { MappingOutcome } from './MappingOutcome'
import { MappingTable } from './MappingTable'
import { DECIMALS, DELIMITERS, draftOf, TIME_FORMATS, withDelimiter, withHeader } from './mapping'
import { useForgetMapping, useMappingPreview, useSaveMapping } from './mappingQueries'
import './mapping.css'

const SETTLE_MS = 200

export function MappingDialog({
  incidentId,
  artifact,
  open,
  onOpenChange,
}: {
  readonly incidentId: string
  readonly artifact: Artifact
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
}) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Define the columns"
      description={<span className="mono">{artifact.path}</span>}
      width={1180}
    >
      <MappingForm incidentId={incidentId} artifact={artifact} onDone={() => onOpenChange(false)} />
    </Dialog>
  )
}

function MappingForm({
  incidentId,
  artifact,
  onDone,
}: {
  readonly incidentId: string
  readonly artifact: Artifact
  readonly onDone: () => void
}) {
  const [draft, setDraft] = useState<MappingDraft | null>(null)
  const settled = useSettled(draft)
  const first = useMappingPreview(artifact.id, null)
  const preview = useMappingPreview(artifact.id, settled)
  const save = useSaveMapping(incidentId, artifact.id)
  const forget = useForgetMapping(incidentId, artifact.id)

  // An invalid draft must not hide the form: the first preview is shown instead.
  const seen = preview.data ?? first.data
  if (!seen)
    return first.error ? (
      <Problem
        error={first.error}
        what="The first lines could not be read"
        onRetry={() => void first.refetch()}
      />
    ) : (
      <SkeletonRows rows={8} />
    )
  if (seen.head.every((line) => line.trim() === ''))
    return (
      <EmptyState compact title="No lines">
        The artifact is empty.
      </EmptyState>
    )
  const mapping = shown(seen.mapping, draft)
  const stale = preview.isPlaceholderData || settled !== draft
  return (
    <form
      className="mapping"
      aria-busy={stale}
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate(draftOf(mapping), { onSuccess: onDone })
      }}
    >
      <Settings seen={seen} mapping={mapping} onChange={setDraft} />
      <MappingTable mapping={mapping} seen={seen} busy={stale} onChange={setDraft} />
      <MappingOutcome seen={seen} guessed={draft === null} />
      {preview.error && <Problem compact error={preview.error} what="The preview failed" />}
      {(save.error ?? forget.error) && (
        <Problem compact error={save.error ?? forget.error} what="The mapping was not saved" />
      )}
      <footer className="mapping-foot">
        <span className="muted mapping-note">{remembers(seen)}</span>
        {first.data?.remembered && (
          <Button
            onClick={() => {
              window.location.assign(`/api/v1/artifacts/${artifact.id}/mapping/file`)
            }}
          >
            Save as file
          </Button>
        )}
        {first.data?.remembered && (
          <Button
            busy={forget.isPending}
            onClick={() => forget.mutate(undefined, { onSuccess: onDone })}
          >
            Forget mapping
          </Button>
        )}
        <Button onClick={onDone}>Cancel</Button>
        <Button
          type="submit"
          variant="primary"
          busy={save.isPending}
          disabled={stale || preview.isError || seen.problems.length > 0}
        >
          Parse with these columns
        </Button>
      </footer>
    </form>
  )
}

function Settings({
  seen,
  mapping,
  onChange,
}: {
  readonly seen: MappingPreview
  readonly mapping: TableMapping
  readonly onChange: (draft: MappingDraft) => void
}) {
  const set = (change: Partial<MappingDraft>) => onChange({ ...draftOf(mapping), ...change })
  const [choosing, setChoosing] = useState(false)
  const zone = seen.problems.find(({ field }) => field === 'zone')
  return (
    <div className="mapping-settings">
      <Field label="Separator">
        {(ids) => (
          <select
            {...ids}
            className="select"
            value={mapping.delimiter}
            onChange={(event) => onChange(withDelimiter(mapping, event.target.value))}
          >
            {DELIMITERS.map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Decimal sign">
        {(ids) => (
          <select
            {...ids}
            className="select"
            value={mapping.decimal}
            onChange={(event) => set({ decimal: event.target.value })}
          >
            {DECIMALS.map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Header">
        {(ids) => (
          <select
            {...ids}
            className="select"
            value={mapping.header_line}
            onChange={(event) => onChange(withHeader(mapping, Number(event.target.value)))}
          >
            <option value={0}>none</option>
            {seen.head.map((line, index) => (
              <option key={index} value={index + 1}>
                {`line ${index + 1}: ${line.slice(0, 60)}`}
              </option>
            ))}
            {mapping.header_line > seen.head.length && (
              <option value={mapping.header_line}>{`line ${mapping.header_line}`}</option>
            )}
          </select>
        )}
      </Field>
      <Field label="Time format">
        {(ids) => (
          <select
            {...ids}
            className="select"
            value={mapping.time_format}
            onChange={(event) =>
              set({ time_format: event.target.value as TableMapping['time_format'] })
            }
          >
            {TIME_FORMATS.map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Zone of times without one" problem={zone?.message}>
        {(ids) => (
          <input
            {...ids}
            className="input"
            value={mapping.zone ?? ''}
            placeholder="not set"
            list="mapping-zones"
            spellCheck={false}
            autoComplete="off"
            onFocus={() => setChoosing(true)}
            onChange={(event) => set({ zone: event.target.value || null })}
          />
        )}
      </Field>
      {choosing && (
        <datalist id="mapping-zones">
          {ZONES.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      )}
    </div>
  )
}

const ZONES: readonly string[] = ['UTC', ...Intl.supportedValuesOf('timeZone')]

/** Merge the choices of the user, shown at once, with the mapping of the server. */
function shown(mapping: TableMapping, draft: MappingDraft | null): TableMapping {
  if (draft === null) return mapping
  const columns =
    draft.columns?.length === mapping.columns.length
      ? mapping.columns.map((column, at) => ({ ...column, ...draft.columns?.[at] }))
      : mapping.columns
  return {
    delimiter: draft.delimiter ?? mapping.delimiter,
    decimal: draft.decimal ?? mapping.decimal,
    header_line: draft.header_line ?? mapping.header_line,
    time_format: draft.time_format ?? mapping.time_format,
    zone: draft.zone ?? null,
    columns: columns as TableMapping['columns'],
  }
}

function remembers(seen: MappingPreview): string {
  if (seen.mapping.header_line === 0)
    return 'Without a header the mapping is remembered for this file only.'
  const others =
    seen.same_header === 0
      ? ''
      : seen.same_header === 1
        ? ' One other artifact has this header and is parsed again too.'
        : ` ${seen.same_header} other artifacts have this header and are parsed again too.`
  return `Remembered for this header, and used for the next upload with it.${others}`
}

/** Return a debounced value: one preview per word, not per key press. */
function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLE_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
