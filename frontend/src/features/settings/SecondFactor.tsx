/** Your second factor: an authenticator app, and recovery codes for the day it is lost. */
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import type { NewFactor } from '@/api/schema'
import { Button } from '@/ui/controls/Button'
import { CopyButton } from '@/ui/controls/CopyButton'
import { Problem, SkeletonRows } from '@/ui/display/States'
import { AskSecret, problemOf } from './AskSecret'

const factorQuery = queryOptions({
  queryKey: [...keys.sessions, 'factor'],
  queryFn: () => unwrap(api.GET('/api/v1/session/factor')),
})

export function SecondFactor() {
  const client = useQueryClient()
  const factor = useQuery(factorQuery)
  const refresh = () => client.invalidateQueries({ queryKey: factorQuery.queryKey })
  const begin = useMutation({
    mutationFn: (current_password: string) =>
      unwrap(api.POST('/api/v1/session/factor', { body: { current_password } })),
  })
  const confirm = useMutation({
    mutationFn: (code: string) =>
      unwrap(api.POST('/api/v1/session/factor/confirm', { body: { code } })),
    onSuccess: () => {
      begin.reset()
      void refresh()
    },
  })
  const remove = useMutation({
    mutationFn: (code: string) =>
      unwrap(api.POST('/api/v1/session/factor/remove', { body: { code } })),
    onSuccess: () => {
      confirm.reset()
      void refresh()
    },
  })
  const codes = confirm.data?.recovery_codes
  return (
    <section className="settings-fields settings-narrow" aria-label="Second factor">
      <h2>Second factor</h2>
      {factor.error && <Problem compact error={factor.error} what="It could not be read" />}
      {factor.isPending ? (
        <SkeletonRows rows={2} />
      ) : codes ? (
        <Recovery codes={codes} onDone={() => confirm.reset()} />
      ) : factor.data?.on ? (
        <>
          <p>
            Sign-in asks for a code from your authenticator app. Recovery codes left:{' '}
            {factor.data.recovery_codes_left}.
          </p>
          <AskSecret
            label="Code"
            button="Switch it off"
            busy={remove.isPending}
            problem={problemOf(remove.error, 'code')}
            onSend={(code) => remove.mutate(code)}
          />
        </>
      ) : begin.data ? (
        <>
          <Secret factor={begin.data} />
          <AskSecret
            label="Code from the app"
            button="Switch it on"
            busy={confirm.isPending}
            problem={problemOf(confirm.error, 'code')}
            onSend={(code) => confirm.mutate(code)}
          />
        </>
      ) : (
        <>
          <p>Ask for a code from an authenticator app when you sign in.</p>
          <AskSecret
            label="Current password"
            secret
            button="Set up an app"
            busy={begin.isPending}
            problem={problemOf(begin.error, 'current_password')}
            onSend={(password) => begin.mutate(password)}
          />
        </>
      )}
    </section>
  )
}

function Secret({ factor }: { readonly factor: NewFactor }) {
  return (
    <div className="made-token">
      <p>
        Enter this key into the app, or <a href={factor.address}>open it on this device</a>.
      </p>
      <code>{factor.secret.replace(/(.{4})(?=.)/g, '$1 ')}</code>
      <CopyButton text={factor.secret}>Copy the key</CopyButton>
    </div>
  )
}

function Recovery({
  codes,
  onDone,
}: {
  readonly codes: readonly string[]
  readonly onDone: () => void
}) {
  return (
    <>
      <p>
        The second factor is on. Each of these recovery codes signs you in once without the app.
        Keep them elsewhere; they are shown only once.
      </p>
      <pre>{codes.join('\n')}</pre>
      <div className="btn-row">
        <CopyButton text={codes.join('\n')}>Copy the codes</CopyButton>
        <Button onClick={onDone}>Done, hide them</Button>
      </div>
    </>
  )
}
