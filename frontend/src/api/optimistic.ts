/** Optimistic writes: shown at once and rolled back when the server refuses them. */
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'

/**
 * Return a mutation that patches the cache before `send` finishes. `patch` returns the new value of each
 * cached response under `key`, or undefined to keep it. Afterwards every query under `key` is refetched.
 */
export function useOptimistic<Write, Cached>({
  key,
  send,
  patch,
}: {
  readonly key: QueryKey
  readonly send: (write: Write) => Promise<unknown>
  readonly patch: (cached: Cached, write: Write) => Cached | undefined
}) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: send,
    onMutate: async (write: Write) => {
      await client.cancelQueries({ queryKey: key })
      const before = client.getQueriesData<Cached>({ queryKey: key })
      for (const [cachedKey, cached] of before) {
        const next = cached === undefined ? undefined : patch(cached, write)
        if (next !== undefined) client.setQueryData(cachedKey, next)
      }
      return { before }
    },
    onError: (_error, _write, context) => {
      for (const [cachedKey, cached] of context?.before ?? [])
        client.setQueryData(cachedKey, cached)
    },
    onSettled: () => client.invalidateQueries({ queryKey: key }),
  })
}
