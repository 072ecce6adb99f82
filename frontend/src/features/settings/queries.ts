/** Queries and writes of tokens, users and your own profile. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import type { Me, NewToken, NewUser, ProfileChange, SessionEnd, UserChange } from '@/api/schema'

export const tokensQuery = queryOptions({
  queryKey: keys.tokens,
  queryFn: () => unwrap(api.GET('/api/v1/tokens')),
})

export const usersQuery = queryOptions({
  queryKey: keys.users,
  queryFn: () => unwrap(api.GET('/api/v1/users')),
})

export function useMakeToken() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: NewToken) => unwrap(api.POST('/api/v1/tokens', { body })),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.tokens }),
  })
}

export function useRevokeToken() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(api.DELETE('/api/v1/tokens/{token_id}', { params: { path: { token_id: id } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.tokens }),
  })
}

export function useMakeUser() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: NewUser) => unwrap(api.POST('/api/v1/users', { body })),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.users }),
  })
}

export function useChangeUser() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ id, change }: { id: string; change: UserChange }) =>
      unwrap(
        api.PATCH('/api/v1/users/{user_id}', {
          params: { path: { user_id: id } },
          body: change,
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.users }),
  })
}

/** Return the mutation that creates a link with which a user signs in once. */
export function useMakeUserLink() {
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(api.POST('/api/v1/users/{user_id}/link', { params: { path: { user_id: id } } })),
  })
}

export function useChangeProfile() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: ProfileChange) => unwrap(api.PATCH('/api/v1/session/user', { body })),
    onSuccess: (user) => {
      client.setQueryData<Me>(keys.session, (me) => me && { ...me, user })
      void client.invalidateQueries({ queryKey: keys.users })
    },
  })
}

export const sessionsQuery = queryOptions({
  queryKey: keys.sessions,
  queryFn: () => unwrap(api.GET('/api/v1/session/all')),
})

export function useEndSession() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: SessionEnd) => unwrap(api.POST('/api/v1/session/all/end', { body })),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.sessions }),
  })
}
