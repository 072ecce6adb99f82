/** The clock of an artifact: how its times map to UTC, and a zone and offset set by hand. */
import { useDeferredValue, useState } from 'react'
import { useMay } from '@/api/queries'
import type { Artifact } from '@/api/schema'
import { formatCount, formatNumber } from '@/format'
import { Button } from '@/ui/controls/Button'
import { Field } from '@/ui/controls/Field'
import { Fields } from '@/ui/panels/Inspector'
import { EmptyState, Problem } from '@/ui/display/States'
import { Time } from '@/ui/display/Value'
import { useChangeArtifact, useClockPreview } from '../queries'
import { isUndated } from '../state'
import { GivenTime } from './GivenTime'

const QUALITY: Record<NonNullable<Artifact['clock']>['quality'], string> = {
  exact: 'exact: stated in the file',
  derived: 'derived from other files of the capture',
  assumed: 'assumed: not stated in the capture',
  given: 'set by hand',
  unknown: 'unknown',
}

const WITHOUT_ZONE: typeof QUALITY = {
  exact: 'none needed: the times are absolute',
  derived: 'none needed: placed by other files',
  assumed: 'none',
  given: 'none needed: the time was given',
  unknown: 'not known: the file prints no time',
}

export function ClockTab({
  incidentId,
  artifact,
}: {
  readonly incidentId: string
  readonly artifact: Artifact
}) {
  const { clock } = artifact
  const may = useMay('contributor')
  return (
    <div className="receipt scroll">
      {clock ? (
        <>
          <p className="receipt-sum">{clock.how}</p>
          <Fields
            items={[
              ['Source', clock.source],
              artifact.host !== null && [
                'Server',
                clock.host_how ? `${artifact.host}. ${clock.host_how}` : artifact.host,
              ],
              ['Zone', clock.zone ?? WITHOUT_ZONE[clock.quality]],
              ['Offset', `${formatNumber(clock.offset_s, 3)} s`],
              ['Certainty', QUALITY[clock.quality]],
              clock.dispersion_s !== null && [
                'Dispersion',
                `± ${formatNumber(clock.dispersion_s, 3)} s${clock.anchors ? ` over ${formatCount(clock.anchors, 'anchor')}` : ''}`,
              ],
              [
                'Covers',
                <span key="range">
                  <Time at={artifact.first} zone />
                  {artifact.last !== artifact.first && (
                    <>
                      {' '}
                      – <Time at={artifact.last} />
                    </>
                  )}
                </span>,
              ],
            ]}
          />
          {clock.jumps.map((jump) => (
            <p key={jump} className="clock-jump">
              {jump}
            </p>
          ))}
          <Suggestion incidentId={incidentId} artifact={artifact} />
        </>
      ) : (
        <EmptyState compact title="No clock yet">
          {artifact.first
            ? 'Available after the analysis.'
            : 'This artifact prints no time, or it is not parsed yet.'}
        </EmptyState>
      )}
      {may && (isUndated(artifact) || artifact.given_at !== null) && (
        <GivenTime
          key={`${artifact.given_at ?? ''}${artifact.given_host ?? ''}`}
          incidentId={incidentId}
          artifact={artifact}
        />
      )}
      {!isUndated(artifact) && artifact.given_at === null && (
        <ByHand
          key={`${artifact.zone ?? ''}${artifact.offset_s ?? ''}`}
          incidentId={incidentId}
          artifact={artifact}
        />
      )}
    </div>
  )
}

/** An offset suggested by counters or messages of another source; applied only on confirmation. */
function Suggestion({
  incidentId,
  artifact,
}: {
  readonly incidentId: string
  readonly artifact: Artifact
}) {
  const change = useChangeArtifact(incidentId)
  const may = useMay('contributor')
  const { clock } = artifact
  if (clock?.suggested_offset_s == null) return null
  const offset = clock.suggested_offset_s
  return (
    <section className="clock-suggestion" aria-label="Suggested offset">
      <h3>Suggested: {formatNumber(offset, 3)} s</h3>
      <p>{clock.suggested_how}</p>
      <p className="faint">
        {dryRun(clock.moves, clock.outside, 0)} The times in the file stay as they are.
      </p>
      {may && (
        <Button
          busy={change.isPending}
          onClick={() => change.mutate({ id: artifact.id, change: { offset_s: offset } })}
        >
          Accept the offset
        </Button>
      )}
      {change.error && <Problem compact error={change.error} what="The clock was not changed" />}
    </section>
  )
}

function dryRun(moves: number, outside: number, unplaced: number): string {
  const records = `${formatNumber(moves)} ${moves === 1 ? 'record moves' : 'records move'}`
  const out =
    outside === 0
      ? 'none is outside the time range of the other artifacts'
      : `${formatNumber(outside)} would be outside the time range of the other artifacts`
  const lost = unplaced > 0 ? `; ${formatNumber(unplaced)} do not exist in that zone` : ''
  return `Dry run: ${records}, ${out}${lost}.`
}

function ByHand({
  incidentId,
  artifact,
}: {
  readonly incidentId: string
  readonly artifact: Artifact
}) {
  const [zone, setZone] = useState(artifact.zone ?? '')
  const [offset, setOffset] = useState(artifact.offset_s === null ? '' : String(artifact.offset_s))
  const change = useChangeArtifact(incidentId)
  const may = useMay('contributor')
  const seconds = offset.trim() === '' ? null : Number(offset.trim().replace('\u2212', '-'))
  const wrong = seconds !== null && !Number.isFinite(seconds)
  const touched = zone !== (artifact.zone ?? '') || seconds !== artifact.offset_s
  const settled = useDeferredValue(zone.trim())
  const run = useClockPreview(
    artifact.id,
    settled,
    wrong ? null : seconds,
    touched && !wrong && artifact.clock !== null,
  )
  if (!may) return null
  return (
    <form
      className="clock-form"
      onSubmit={(event) => {
        event.preventDefault()
        if (!wrong)
          change.mutate({
            id: artifact.id,
            change: { zone: zone.trim() || null, offset_s: seconds },
          })
      }}
    >
      <h3>By hand</h3>
      <div className="clock-form-row">
        <Field label="Zone" hint="Europe/Berlin or +02:00; leave empty to use the derived zone.">
          {(ids) => (
            <>
              <input
                {...ids}
                className="input"
                list="zones"
                value={zone}
                onChange={(event) => setZone(event.target.value)}
              />
              <datalist id="zones">
                {ZONES.map((name) => (
                  <option key={name} value={name} />
                ))}
              </datalist>
            </>
          )}
        </Field>
        <Field
          label="Offset in seconds"
          hint="Added after the zone; negative for a clock that ran ahead."
          problem={wrong ? 'a number, such as -41.2' : undefined}
        >
          {(ids) => (
            <input
              {...ids}
              className="input num"
              inputMode="decimal"
              value={offset}
              onChange={(event) => setOffset(event.target.value)}
            />
          )}
        </Field>
      </div>
      <div className="btn-row">
        <Button type="submit" busy={change.isPending}>
          Re-apply time zone
        </Button>
        {(artifact.zone !== null || artifact.offset_s !== null) && (
          <Button
            variant="ghost"
            onClick={() =>
              change.mutate({ id: artifact.id, change: { zone: null, offset_s: null } })
            }
          >
            Use derived
          </Button>
        )}
      </div>
      {touched && run.data ? (
        <p className="clock-run" role="status">
          {dryRun(run.data.moves, run.data.outside, run.data.unplaced)} It would cover{' '}
          <Time at={run.data.first} zone /> – <Time at={run.data.last} />.
        </p>
      ) : (
        <p className="faint">The file is not changed; only the conversion to UTC is.</p>
      )}
      {change.error && <Problem compact error={change.error} what="The clock was not changed" />}
    </form>
  )
}

const ZONES: readonly string[] =
  typeof Intl.supportedValuesOf === 'function' ? ['UTC', ...Intl.supportedValuesOf('timeZone')] : []
