/** Chooses one side: which part, of which host, bundle or run. */
import { useRange, useZone } from '@/state/incident'
import { Button } from '@/ui/Button'
import { Field } from '@/ui/Field'
import type { Choices } from './queries'
import { type Part, type Side } from './sides'

const PARTS: Record<Part, string> = {
  whole: 'everything',
  baseline: 'the baseline',
  stall: 'the stall',
  window: 'a window',
}

export function SideChooser({
  name,
  side,
  choices,
  onChange,
}: {
  readonly name: 'A' | 'B'
  readonly side: Side
  readonly choices: Choices
  readonly onChange: (next: Side) => void
}) {
  const zone = useZone()
  const [range] = useRange()
  const set = (change: Partial<Side>) => onChange({ ...side, ...change })
  return (
    <fieldset className="compare-side">
      <legend>Side {name}</legend>
      <Field label="Part">
        {(ids) => (
          <select
            {...ids}
            className="input"
            value={side.part}
            onChange={(event) => set({ part: event.target.value as Part, start: '', end: '' })}
          >
            {(Object.keys(PARTS) as Part[]).map((part) => (
              <option key={part} value={part}>
                {PARTS[part]}
              </option>
            ))}
          </select>
        )}
      </Field>
      {choices.hosts.length > 1 && (
        <Pick label="Host" all="all hosts" value={side.host} onPick={(host) => set({ host })}>
          {choices.hosts.map((host) => [host, host])}
        </Pick>
      )}
      {choices.bundles.length > 1 && (
        <Pick
          label="Bundle"
          all="all bundles"
          value={side.bundle}
          onPick={(bundle) => set({ bundle, experiment: '' })}
        >
          {choices.bundles.map((bundle) => [bundle, bundle.split('/').at(-1) ?? bundle])}
        </Pick>
      )}
      {choices.runs.length > 0 && (
        <Pick
          label="Run"
          all="the incident itself"
          value={side.experiment}
          onPick={(experiment) => set({ experiment, bundle: '' })}
        >
          {choices.runs.map((run) => [run.id, `${run.number}: ${run.title}`])}
        </Pick>
      )}
      {side.part === 'window' && (
        <div className="compare-window">
          {side.start && side.end ? (
            <p className="mono">
              {zone.format(side.start)} – {zone.format(side.end)}
            </p>
          ) : (
            <p className="muted">
              {range.from && range.to
                ? 'Take the range that the other screens show.'
                : 'Brush a range on the timeline first.'}
            </p>
          )}
          <Button
            size="small"
            disabled={!range.from || !range.to}
            onClick={() => set({ start: range.from ?? '', end: range.to ?? '' })}
          >
            Take the shared range
          </Button>
        </div>
      )}
    </fieldset>
  )
}

function Pick({
  label,
  all,
  value,
  onPick,
  children,
}: {
  readonly label: string
  readonly all: string
  readonly value: string
  readonly onPick: (value: string) => void
  readonly children: readonly (readonly [value: string, text: string])[]
}) {
  return (
    <Field label={label}>
      {(ids) => (
        <select
          {...ids}
          className="input"
          value={value}
          onChange={(event) => onPick(event.target.value)}
        >
          <option value="">{all}</option>
          {children.map(([key, text]) => (
            <option key={key} value={key}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}
