/** The dialog that moves an incident to the bin, for admins; it lists what is deleted with it. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import { Button } from '@/ui/controls/Button'
import { Dialog } from '@/ui/panels/Dialog'
import { Problem } from '@/ui/display/States'
import { deletedIncidentsQuery, useOfferIncidentUndo } from '@/ui/history/undo'

export function DeleteIncident({
  incident,
  onClose,
  onDeleted,
}: {
  readonly incident: { readonly id: string; readonly title: string; readonly artifacts: number }
  readonly onClose: () => void
  readonly onDeleted?: () => void
}) {
  const client = useQueryClient()
  const days = useQuery(deletedIncidentsQuery).data?.days
  const offer = useOfferIncidentUndo()
  const remove = useMutation({
    mutationFn: () =>
      unwrap(
        api.DELETE('/api/v1/incidents/{incident_id}', {
          params: { path: { incident_id: incident.id } },
        }),
      ),
    onSuccess: () => {
      onClose()
      onDeleted?.()
      offer(incident.id, incident.title)
      void client.invalidateQueries({ queryKey: keys.deletedIncidents })
      return client.invalidateQueries({ queryKey: keys.incidents })
    },
  })
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Delete the incident"
      footer={
        <>
          <Button onClick={onClose}>Keep it</Button>
          <Button variant="danger" busy={remove.isPending} onClick={() => remove.mutate()}>
            Delete
          </Button>
        </>
      }
    >
      <p>
        <strong>{incident.title}</strong> moves to the bin for everybody, with all{' '}
        {incident.artifacts > 0 && `${incident.artifacts} `}artifacts, pins, hypotheses, ratings,
        experiments, notes, comments, actions and the report.
      </p>
      <p className="muted">
        {days === undefined
          ? 'An admin can restore it from there.'
          : `An admin can restore it for ${days} days; then it is deleted permanently.`}{' '}
        Links to it do not work meanwhile.
      </p>
      {remove.error && <Problem compact error={remove.error} what="It was not deleted" />}
    </Dialog>
  )
}
