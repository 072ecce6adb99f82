/** What the stacks ask for: the samples there are, one sample's groups, and their piles. */
import { type QueryClient, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import type { components } from '@/api/schema'

export type Stacks = components['schemas']['Stacks']
export type Pile = components['schemas']['NewStackPile']['pile']

export const momentsQuery = (id: string) =>
  queryOptions({
    queryKey: keys.of(id, 'stacks', 'moments'),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/stacks/moments', {
          params: { path: { incident_id: id } },
        }),
      ),
  })

/** Asks while the screen's code and the session are still on their way. */
export function askAhead(client: QueryClient, id: string): void {
  void client.prefetchQuery(momentsQuery(id))
}

export const stacksQuery = (id: string, artifact: string, snapshot: number) =>
  queryOptions({
    queryKey: keys.of(id, 'stacks', artifact, snapshot),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/stacks', {
          params: { path: { incident_id: id }, query: { artifact, snapshot } },
        }),
      ),
    enabled: artifact !== '',
  })

/** Puts a stack on a pile at once, and takes it back when the server refuses. */
export function useJudge(id: string, artifact: string, snapshot: number) {
  const client = useQueryClient()
  const key = stacksQuery(id, artifact, snapshot).queryKey
  return useMutation({
    mutationFn: ({ stack, pile }: { stack: string; pile: Pile }) =>
      unwrap(
        api.PUT('/api/v1/incidents/{incident_id}/stacks/{stack_key}/verdict', {
          params: { path: { incident_id: id, stack_key: stack } },
          body: { pile },
        }),
      ),
    onMutate: async ({ stack, pile }) => {
      await client.cancelQueries({ queryKey: key })
      const before = client.getQueryData(key)
      client.setQueryData(key, (old) => old && { ...old, groups: judged(old, stack, pile) })
      return { before }
    },
    onError: (_, __, context) => client.setQueryData(key, context?.before),
    onSettled: () => client.invalidateQueries({ queryKey: key }),
  })
}

function judged({ groups }: Stacks, stack: string, pile: Pile): Stacks['groups'] {
  const at = new Date().toISOString()
  const verdict = pile === 'unreviewed' ? null : { pile, by: 'you', at }
  return groups.map((group) => (group.id === stack ? { ...group, verdict } : group))
}
