/** Queries and writes of webhooks and their deliveries. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import type { NewWebhook, WebhookChange } from '@/api/schema'

/** Refetch interval of the log while a delivery is pending. */
const POLL_MS = 3000

export const webhooksQuery = queryOptions({
  queryKey: keys.webhooks,
  queryFn: () => unwrap(api.GET('/api/v1/webhooks')),
})

export const deliveriesQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.webhooks, id, 'deliveries'],
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/webhooks/{webhook_id}/deliveries', {
          params: { path: { webhook_id: id } },
        }),
      ),
    refetchInterval: ({ state }) =>
      state.data?.some((item) => item.state === 'waiting') ? POLL_MS : false,
  })

/** Build a mutation that refetches the webhooks and their logs afterwards. */
function useWrite<T, R>(write: (input: T) => Promise<R>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: write,
    onSettled: () => client.invalidateQueries({ queryKey: keys.webhooks }),
  })
}

export const useMakeWebhook = () =>
  useWrite((body: NewWebhook) => unwrap(api.POST('/api/v1/webhooks', { body })))

export const useChangeWebhook = () =>
  useWrite(({ id, change }: { id: string; change: WebhookChange }) =>
    unwrap(
      api.PATCH('/api/v1/webhooks/{webhook_id}', {
        params: { path: { webhook_id: id } },
        body: change,
      }),
    ),
  )

export const useDeleteWebhook = () =>
  useWrite((id: string) =>
    unwrap(api.DELETE('/api/v1/webhooks/{webhook_id}', { params: { path: { webhook_id: id } } })),
  )

export const useDeliverAgain = (webhookId: string) =>
  useWrite((deliveryId: string) =>
    unwrap(
      api.POST('/api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver', {
        params: { path: { webhook_id: webhookId, delivery_id: deliveryId } },
      }),
    ),
  )
