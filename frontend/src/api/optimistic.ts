/** A write that shows at once, and is taken back when the server refuses it. */
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'

/**
 * `send` is the request. `patch` is what it makes of each cached answer under `key`; undefined leaves
 * that answer as it is. Whatever came of it, everything under `key` is fetched again.
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
