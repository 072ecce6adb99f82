/** The toast that undoes the last write: a deletion into the bin, a removal, a change of status. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import { useKeys } from '@/state/keys'
import { Store, useStore } from '@/state/store'
import { Button } from '@/ui/controls/Button'
import { UNDO_KEYS } from './undoKeys'
import './undo.css'

type Offer = { readonly text: string; readonly undo: () => Promise<unknown> }

const SHOWN_MS = 20_000

/** The last write that can be undone. */
const offered = new Store<Offer | null>(null)

/** Offer to undo a write: 'Removed from H2: E7 …'. */
export const offerUndo = (text: string, undo: () => Promise<unknown>) =>
  offered.set({ text: shortened(text), undo })

const shortened = (text: string) => (text.length > 90 ? `${text.slice(0, 90)}…` : text)

const deletedText = (title: string) => `Deleted: ${title}`

/** The bin of the installation, for admins. */
export const deletedIncidentsQuery = queryOptions({
  queryKey: keys.deletedIncidents,
  queryFn: () => unwrap(api.GET('/api/v1/deleted-incidents')),
})

/** Return a function that offers the undo of a deleted incident, for admins. */
export function useOfferIncidentUndo() {
  const restore = useRestoreIncident()
  return (id: string, title: string) => offerUndo(deletedText(title), () => restore.mutateAsync(id))
}

/** Return the mutation that restores an incident from the bin. */
export function useRestoreIncident() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(
        api.POST('/api/v1/deleted-incidents/{incident_id}/restore', {
          params: { path: { incident_id: id } },
        }),
      ),
    onSuccess: (_, id) =>
      Promise.all(
        [keys.incidents, keys.deletedIncidents, keys.incident(id)].map((queryKey) =>
          client.invalidateQueries({ queryKey }),
        ),
      ),
  })
}

/** Return a function that offers the undo of a deletion in an incident: see api/activity.py. */
export function useOfferUndo(incidentId: string) {
  const client = useQueryClient()
  return (kind: string, id: string, title: string) =>
    offerUndo(deletedText(title), async () => {
      await unwrap(
        api.POST('/api/v1/incidents/{incident_id}/deleted/{kind}/{item_id}/restore', {
          params: { path: { incident_id: incidentId, kind, item_id: id } },
        }),
      )
      await client.invalidateQueries({ queryKey: keys.incident(incidentId) })
    })
}

const close = () => offered.set(null)

/** The toast itself; used once per page. */
export function UndoToast() {
  const shown = useStore(offered)
  return (
    <div role="status" className="undo-place">
      {shown && <Toast key={shown.text} offer={shown} />}
    </div>
  )
}

function Toast({ offer: { text, undo } }: { readonly offer: Offer }) {
  const [state, setState] = useState<'offered' | 'busy' | 'failed'>('offered')
  // It stays while somebody reads or reaches it.
  const [held, setHeld] = useState(false)
  useEffect(() => {
    if (state !== 'offered' || held) return
    const timer = setTimeout(close, SHOWN_MS)
    return () => clearTimeout(timer)
  }, [state, held])
  const takeBack = () => {
    setState('busy')
    undo().then(close, () => setState('failed'))
  }
  useKeys(UNDO_KEYS, { undo: state === 'offered' ? takeBack : undefined })
  return (
    <div
      className="undo"
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <span>
        {state === 'failed' ? 'This could not be undone: somebody changed it since.' : text}
      </span>
      {state !== 'failed' && (
        <Button size="small" busy={state === 'busy'} onClick={takeBack}>
          Undo <kbd aria-hidden="true">z</kbd>
        </Button>
      )}
      <Button size="small" variant="ghost" onClick={close}>
        Close
      </Button>
    </div>
  )
}
