/** Fields for the time and the host of evidence that prints neither: "about 18:42 UTC ± 1 min, db-7". */
import { useMemo } from 'react'
import { useZone } from '@/state/incident'
import { Field } from '@/ui/controls/Field'
import { type GivenDraft, WITHIN, zonesFor } from '@/state/given'
import './intake.css'

export function GivenTimeFields({
  draft,
  onChange,
}: {
  readonly draft: GivenDraft
  readonly onChange: (draft: GivenDraft) => void
}) {
  const serverZone = useZone().incidentZone
  const zones = useMemo(() => {
    const known = zonesFor(serverZone)
    return known.includes(draft.zone) ? known : [...known, draft.zone]
  }, [serverZone, draft.zone])
  const set = (change: Partial<GivenDraft>) => onChange({ ...draft, ...change })
  return (
    <div className="given-fields">
      <Field label="When was this?">
        {(ids) => (
          <input
            {...ids}
            className="input"
            type="datetime-local"
            step={1}
            value={draft.wall}
            onChange={(event) => set({ wall: event.target.value })}
          />
        )}
      </Field>
      <Field label="Time zone">
        {(ids) => (
          <select
            {...ids}
            className="select"
            value={draft.zone}
            onChange={(event) => set({ zone: event.target.value })}
          >
            {zones.map((zone) => (
              <option key={zone}>{zone}</option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Precision">
        {(ids) => (
          <select
            {...ids}
            className="select"
            value={draft.within}
            onChange={(event) => set({ within: event.target.value })}
          >
            {WITHIN.map(([seconds, label]) => (
              <option key={seconds} value={seconds}>
                {label}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Host">
        {(ids) => (
          <input
            {...ids}
            className="input"
            maxLength={255}
            placeholder="db-7"
            value={draft.host}
            onChange={(event) => set({ host: event.target.value })}
          />
        )}
      </Field>
    </div>
  )
}
