/** A button that moves a hypothesis or an experiment to the bin and offers the undo. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import { Button } from './Button'
import { Problem } from '@/ui/display/States'
import { useOfferUndo } from '@/ui/history/undo'

export function DeleteButton({
  incidentId,
  kind,
  id,
  title,
  onDeleted,
}: {
  readonly incidentId: string
  readonly kind: 'hypothesis' | 'experiment'
  readonly id: string
  readonly title: string
  readonly onDeleted: () => void
}) {
  const client = useQueryClient()
  const offer = useOfferUndo(incidentId)
  const remove = useMutation({
    mutationFn: () =>
      kind === 'hypothesis'
        ? unwrap(
            api.DELETE('/api/v1/hypotheses/{hypothesis_id}', {
              params: { path: { hypothesis_id: id } },
            }),
          )
        : unwrap(
            api.DELETE('/api/v1/experiments/{experiment_id}', {
              params: { path: { experiment_id: id } },
            }),
          ),
    onSuccess: () => {
      onDeleted()
      offer(kind, id, title)
      return client.invalidateQueries({ queryKey: keys.incident(incidentId) })
    },
  })
  return (
    <>
      {remove.isError && <Problem compact error={remove.error} what="It was not deleted" />}
      <Button size="small" busy={remove.isPending} onClick={() => remove.mutate()}>
        Delete the {kind}
      </Button>
    </>
  )
}
