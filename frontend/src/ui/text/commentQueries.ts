/** Queries and writes of comments, and the people who can be mentioned. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import { refresh } from '@/api/queries'

export const commentsQuery = (id: string, subject: string) =>
  queryOptions({
    queryKey: keys.of(id, 'comments', subject),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/comments', {
          params: { path: { incident_id: id }, query: { subject } },
        }),
      ),
  })

/** The people who can be mentioned in a comment. */
export const peopleQuery = queryOptions({
  queryKey: ['people'],
  queryFn: () => unwrap(api.GET('/api/v1/people')),
  staleTime: 60_000,
})

export function useCommentWrites(id: string) {
  const client = useQueryClient()
  const onSettled = () => refresh(client, id, 'comments')
  return {
    add: useMutation({
      mutationFn: (body: { subject: string; body: string }) =>
        unwrap(
          api.POST('/api/v1/incidents/{incident_id}/comments', {
            params: { path: { incident_id: id } },
            body,
          }),
        ),
      onSettled,
    }),
    remove: useMutation({
      mutationFn: (comment: string) =>
        unwrap(
          api.DELETE('/api/v1/comments/{comment_id}', {
            params: { path: { comment_id: comment } },
          }),
        ),
      onSettled,
    }),
  }
}
