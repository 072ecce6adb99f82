/** The head of a lane: name, value at the crosshair, how it changed, its clock, what can be done with it. */
import { type DragEvent, memo, useEffect, useRef } from 'react'
import { iso } from '@/charts/time'
import { formatMeasured, formatRatio, formatDuration, unitAfter, unitText } from '@/format'
import { IconButton } from '@/ui/controls/Button'
import { DownIcon, PinIcon } from '@/ui/controls/icons'
import { Menu, MenuChoice, MenuItem, MenuLabel, MenuLine } from '@/ui/controls/Menu'
import { MAX_PICTURE, usePin } from '@/ui/evidence/pin'
import type { PlacedClock } from '@/api/schema'
import type { LaneActions } from './laneActions'
import { laneSvg } from './exportView'
import type { WindowLane } from '../model/documents'
import { type Choice, COLOURS, type Lane, type Scale, type Size } from '../model/laneTypes'
import type { TimelineView } from './view'

type Props = {
  readonly incidentId: string
  readonly view: TimelineView
  readonly lane: Lane
  readonly index: number
  readonly delta: WindowLane | undefined
  readonly clock: PlacedClock | undefined
  readonly active: boolean
  /** A mark of this lane is chosen. */
  readonly picked: boolean
  /** Whether evidence may be pinned: checked once for all heads, which mount and unmount during a scroll. */
  readonly mayWrite: boolean
  readonly actions: LaneActions
}

/** Below this height name and facts share one line. */
const SMALL = 34

/** Drawn again only when something of its own lane changes, not with each range or scroll. */
export const LaneHead = memo(function LaneHead(props: Props) {
  const { view, lane, index, delta, clock, active, picked, actions } = props
  const value = useRef<HTMLSpanElement>(null)
  const resting = useRest(lane, delta)
  useEffect(
    () =>
      view.onValue(lane.id, (now) => {
        const span = value.current
        if (!span) return
        span.textContent = now ? unitAfter(now.text, now.unit) : resting
        span.classList.toggle('tl-value', now !== null)
      }),
    [view, lane.id, resting],
  )
  const drag = (event: DragEvent) => {
    event.dataTransfer.setData('text/x-pileup-lane', lane.id)
    event.dataTransfer.effectAllowed = 'move'
  }
  const small = lane.height < SMALL
  return (
    <div
      className={`tl-head-in${active ? ' tl-active' : ''}${small ? ' tl-small' : ''}`}
      data-testid={`lane-${lane.kind === 'metric' ? lane.series.name : lane.title}`}
      draggable
      onDragStart={drag}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault()
        const dragged = event.dataTransfer.getData('text/x-pileup-lane')
        if (dragged && dragged !== lane.id) actions.drop(dragged, index)
      }}
    >
      <button
        type="button"
        className={`tl-name ellipsis${lane.kind === 'heat' ? ' mono' : ''}`}
        title={[lane.title, lane.sub, lane.hint, lane.host ?? ''].filter(Boolean).join('\n')}
        aria-pressed={active}
        onClick={() => actions.activate(lane)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !picked) return
          event.preventDefault()
          actions.enter()
        }}
      >
        {lane.choice.pinned && <PinIcon size={10} />}
        {lane.title}
      </button>
      <span className="tl-facts">
        <span ref={value} className="faint tl-resting">
          {resting}
        </span>
        {!small && lane.sub && (
          <span className="faint ellipsis" title={lane.sub}>
            {lane.sub}
          </span>
        )}
        {clock && <ClockBadge clock={clock} />}
      </span>
      {!small && <Change lane={lane} delta={delta} />}
      <Tools {...props} />
    </div>
  )
})

/** The value shown without a crosshair. */
function useRest(lane: Lane, delta: WindowLane | undefined): string {
  if (lane.kind === 'metric') {
    const most = delta?.max ?? null
    return most === null ? '' : `max ${unitAfter(formatMeasured(most), unitText(lane.unit))}`
  }
  return lane.kind === 'heat' || lane.height >= SMALL ? '' : lane.sub
}

/** The window against the one before it. */
function Change({ lane, delta }: { readonly lane: Lane; readonly delta: WindowLane | undefined }) {
  if (lane.kind !== 'metric') return null
  if (delta?.now != null && delta.before != null) {
    const ratio = delta.before === 0 ? null : delta.now / delta.before
    const even = ratio !== null && ratio > 0.9 && ratio < 1.1
    if (even || (ratio === null && delta.now === 0)) return null
    return (
      <span
        className="tl-change num"
        title={`Mean of this window ${formatMeasured(delta.now)}, of the one before ${formatMeasured(delta.before)}`}
      >
        {ratio !== null && ratio > 0
          ? formatRatio(ratio)
          : `${delta.now > delta.before ? '+' : '\u2212'}${formatMeasured(Math.abs(delta.now - delta.before))}`}
      </span>
    )
  }
  return null
}

/** Shows how sure the times of a lane are, where they are not exact. */
function ClockBadge({ clock }: { readonly clock: PlacedClock }) {
  const { quality, dispersion_s: spread, how, offset_s: offset } = clock.clock
  const exact = quality === 'exact' || (quality === 'given' && !spread)
  if (exact && !spread && !offset) return null
  const name = spread ? `± ${formatDuration(spread)}` : quality
  return (
    <span className="tl-clock" title={`Clock: ${how}${offset ? `; moved by ${offset} s` : ''}`}>
      ◷ {name}
    </span>
  )
}

function Tools({ incidentId, view, lane, index, actions, delta, clock: source, mayWrite }: Props) {
  const pin = usePin(incidentId)
  const { choice } = lane
  const metric = lane.kind === 'metric' ? lane : null
  const onChoice = (change: Partial<Choice>) => actions.choose(lane, change)
  const asEvidence = () => {
    if (!metric) return
    const [start, end] = view.range
    const most = delta?.max ?? null
    const address = new URLSearchParams({ series: metric.id, start: iso(start), end: iso(end) })
    const title = `${lane.title}${most !== null ? `: up to ${unitAfter(formatMeasured(most), unitText(metric.unit))}` : ''}`
    const picture = laneSvg(view, lane, title)
    pin({
      kind: 'series',
      title,
      picture: picture.length <= MAX_PICTURE ? picture : null,
      locator: {
        series: [metric.id],
        start: iso(start),
        end: iso(end),
        ...(most !== null ? { value: String(most) } : {}),
      },
      view: `/incidents/${incidentId}/timeline?${address.toString()}`,
    })
  }
  return (
    <span className="tl-tools">
      {metric && !metric.otherIncident && mayWrite && (
        <IconButton
          size="small"
          data-pin
          label={`Pin ${lane.title} as evidence`}
          icon={<PinIcon size={14} />}
          onClick={asEvidence}
        />
      )}
      <Menu
        lazy
        trigger={
          <IconButton
            size="small"
            label={`Set up the lane ${lane.title}`}
            icon={<DownIcon size={12} />}
          />
        }
      >
        <MenuLabel>Height</MenuLabel>
        <MenuChoice<Size>
          value={choice.size}
          onChange={(size) => onChoice({ size, folded: false })}
          options={[
            { value: 'compact', label: 'Compact' },
            { value: 'normal', label: 'Normal' },
            { value: 'tall', label: 'Tall' },
          ]}
        />
        {metric && (
          <>
            <MenuLabel>Scale</MenuLabel>
            <MenuChoice<Scale>
              value={choice.scale}
              onChange={(scale) => onChoice({ scale })}
              options={[
                { value: 'linear', label: 'Clipped', hint: 'to the stalls in sight' },
                { value: 'full', label: 'Full', hint: 'to the highest value' },
                { value: 'log', label: 'Logarithmic' },
                { value: 'shared', label: 'Shared', hint: 'with lanes of its unit' },
              ]}
            />
            <MenuLabel>Colour</MenuLabel>
            <MenuChoice<string>
              value={String(choice.colour)}
              onChange={(colour) => onChoice({ colour: Number(colour) })}
              options={COLOURS.map((label, at) => ({
                ...{ value: String(at + 1), label },
                hint: <span className="tl-swatch" style={{ background: `var(--cat-${at + 1})` }} />,
              }))}
            />
          </>
        )}
        <MenuLine />
        {source && (
          <MenuItem hint={source.path.split('/').at(-1)} onSelect={() => actions.source(source)}>
            Open its file
          </MenuItem>
        )}
        <MenuItem onSelect={() => onChoice({ pinned: !choice.pinned })}>
          {choice.pinned ? 'No longer keep at the top' : 'Keep at the top'}
        </MenuItem>
        <MenuItem onSelect={() => onChoice({ folded: !choice.folded })}>
          {choice.folded ? 'Unfold' : 'Fold'}
        </MenuItem>
        <MenuItem onSelect={() => actions.move(lane, index - 1)}>Move up</MenuItem>
        <MenuItem onSelect={() => actions.move(lane, index + 1)}>Move down</MenuItem>
        {metric && (
          <MenuItem onSelect={() => actions.remove(metric)}>
            {metric.otherIncident ? 'Remove the incident' : 'Remove the lane'}
          </MenuItem>
        )}
      </Menu>
    </span>
  )
}
