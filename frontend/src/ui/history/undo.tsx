/** The "Deleted. Undo" toast: shown for some seconds after each deletion into the bin. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import { Store, useStore } from '@/state/store'
import { Button } from '@/ui/controls/Button'
import './undo.css'

type Offer = { readonly text: string; readonly undo: () => Promise<unknown> }

const SHOWN_MS = 10_000

/** The last deletion and its undo. */
const offered = new Store<Offer | null>(null)

const deletedText = (title: string) =>
  `Deleted: ${title.length > 80 ? `${title.slice(0, 80)}…` : title}`

/** The bin of the installation, for admins. */
export const deletedIncidentsQuery = queryOptions({
  queryKey: keys.deletedIncidents,
  queryFn: () => unwrap(api.GET('/api/v1/deleted-incidents')),
})

/** Return a function that offers the undo of a deleted incident, for admins. */
export function useOfferIncidentUndo() {
  const restore = useRestoreIncident()
  return (id: string, title: string) =>
    offered.set({ text: deletedText(title), undo: () => restore.mutateAsync(id) })
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
    offered.set({
      text: deletedText(title),
      undo: async () => {
        await unwrap(
          api.POST('/api/v1/incidents/{incident_id}/deleted/{kind}/{item_id}/restore', {
            params: { path: { incident_id: incidentId, kind, item_id: id } },
          }),
        )
        await client.invalidateQueries({ queryKey: keys.incident(incidentId) })
      },
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
  useEffect(() => {
    if (state !== 'offered') return
    const timer = setTimeout(close, SHOWN_MS)
    return () => clearTimeout(timer)
  }, [state])
  const takeBack = () => {
    setState('busy')
    undo().then(close, () => setState('failed'))
  }
  return (
    <div className="undo">
      <span>{state === 'failed' ? 'Could not be restored: see the deleted items.' : text}</span>
      {state !== 'failed' && (
        <Button size="small" busy={state === 'busy'} onClick={takeBack}>
          Undo
        </Button>
      )}
      <Button size="small" variant="ghost" onClick={close}>
        Close
      </Button>
    </div>
  )
}
