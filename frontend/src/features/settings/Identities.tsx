/** Your identities at the provider that signs in too: link one, remove one. */
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import { Button } from '@/ui/controls/Button'
import { Problem } from '@/ui/display/States'
import { Ago } from '@/ui/display/Value'

const identitiesQuery = queryOptions({
  queryKey: [...keys.sessions, 'identities'],
  queryFn: () => unwrap(api.GET('/api/v1/session/identities')),
})

export function Identities() {
  const client = useQueryClient()
  const setup = useQuery({
    queryKey: keys.setup,
    queryFn: () => unwrap(api.GET('/api/v1/setup')),
  })
  const identities = useQuery(identitiesQuery)
  const link = useMutation({
    mutationFn: () => unwrap(api.POST('/api/v1/session/identities')),
    onSuccess: ({ address }) => window.location.assign(address),
  })
  const unlink = useMutation({
    mutationFn: (id: string) =>
      unwrap(
        api.DELETE('/api/v1/session/identities/{identity_id}', {
          params: { path: { identity_id: id } },
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: identitiesQuery.queryKey }),
  })
  const name = setup.data?.provider
  if (!name || !identities.data) return null
  return (
    <section className="settings-fields settings-narrow" aria-label="Provider">
      <h2>Sign in with {name}</h2>
      {identities.data.map((identity) => (
        <div key={identity.id} className="btn-row">
          <span>
            Linked <Ago at={identity.created_at} />
          </span>
          <Button size="small" busy={unlink.isPending} onClick={() => unlink.mutate(identity.id)}>
            Remove
          </Button>
        </div>
      ))}
      {identities.data.length === 0 && (
        <div>
          <Button busy={link.isPending} onClick={() => link.mutate()}>
            Link your account at {name}
          </Button>
        </div>
      )}
      {link.error && <Problem compact error={link.error} what="The account was not linked" />}
      {unlink.error && <Problem compact error={unlink.error} what="The account was not removed" />}
    </section>
  )
}
