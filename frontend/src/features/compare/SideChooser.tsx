/** The form that defines one side: a part of the capture, and its host, capture or run. */
import { useRange, useZone, type Zone } from '@/state/incident'
import { Button, IconButton } from '@/ui/controls/Button'
import { Field } from '@/ui/controls/Field'
import { CloseIcon } from '@/ui/controls/icons'
import type { CompareChoices } from '@/api/queries'
import { type Part, type Side } from '@/state/sides'

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
  onRemove,
}: {
  readonly name: string
  readonly side: Side
  readonly choices: CompareChoices
  readonly onChange: (next: Side) => void
  readonly onRemove?: () => void
}) {
  const zone = useZone()
  const [range] = useRange()
  const severalStalls = choices.captures.some((capture) => capture.stalls.length > 1)
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
      {(choices.captures.length > 1 || severalStalls) && (
        <Pick
          label="Capture"
          all="all captures"
          value={side.capture}
          onPick={(capture) => set({ capture, experiments: [] })}
        >
          {choices.captures.flatMap((capture) => captureChoices(capture, zone))}
        </Pick>
      )}
      {choices.runs.length > 0 && (
        <Runs
          chosen={side.experiments}
          runs={choices.runs}
          onPick={(experiments) => set({ experiments, capture: '' })}
        />
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
                ? 'Use the range of the other screens.'
                : 'Brush a range on the timeline first.'}
            </p>
          )}
          <Button
            size="small"
            disabled={!range.from || !range.to}
            onClick={() => set({ start: range.from ?? '', end: range.to ?? '' })}
          >
            Use the shared range
          </Button>
        </div>
      )}
      {onRemove && (
        <span className="compare-remove">
          <IconButton
            label={`Remove side ${name}`}
            icon={<CloseIcon size={12} />}
            onClick={onRemove}
          />
        </span>
      )}
    </fieldset>
  )
}

/** A capture; of one with several stalls each stall, too. */
function captureChoices(
  capture: CompareChoices['captures'][number],
  zone: Zone,
): readonly (readonly [value: string, text: string])[] {
  const host = capture.host ? ` on ${capture.host}` : ''
  const times = `${zone.format(capture.first)} – ${zone.format(capture.last, 'clock')}`
  const stalls = capture.stalls.length > 1 ? capture.stalls : []
  return [
    [capture.id, `${times}${host}`],
    ...stalls.map(
      (stall) => [stall.id, `  stall at ${zone.format(stall.onset, 'clock')}`] as const,
    ),
  ]
}

/** Choose one run, or several of the same experiment to see their spread. */
function Runs({
  chosen,
  runs,
  onPick,
}: {
  readonly chosen: readonly string[]
  readonly runs: CompareChoices['runs']
  readonly onPick: (experiments: readonly string[]) => void
}) {
  const named = (run: CompareChoices['runs'][number]) =>
    [run.id, `${run.number}: ${run.title}`] as const
  const others = runs.filter((run) => !chosen.includes(run.id))
  return (
    <>
      {[...chosen, ''].slice(0, Math.max(1, chosen.length)).map((name, at) => (
        <Pick
          key={at}
          label={at === 0 ? 'Run' : `Run ${at + 1}`}
          all={at === 0 ? 'the incident itself' : 'not this one'}
          value={name}
          onPick={(next) =>
            onPick(
              chosen.length === 0
                ? [next]
                : chosen.map((id, i) => (i === at ? next : id)).filter(Boolean),
            )
          }
        >
          {runs.filter((run) => run.id === name || !chosen.includes(run.id)).map(named)}
        </Pick>
      ))}
      {chosen.length > 0 && others.length > 0 && (
        <Pick
          label="and"
          all="no further run"
          value=""
          onPick={(next) => onPick([...chosen, next])}
        >
          {others.map(named)}
        </Pick>
      )}
    </>
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
