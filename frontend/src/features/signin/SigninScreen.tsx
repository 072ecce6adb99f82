/** The sign-in page: by one-time link (which creates the first admin), or by email and password. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useEffect, useState } from 'react'
import { Navigate, useNavigate, useSearchParams } from 'react-router'
import { api, mayHaveSession, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import { asProblem } from '@/api/problem'
import type { Me } from '@/api/schema'
import { Button } from '@/ui/controls/Button'
import { Field } from '@/ui/controls/Field'
import { Banner, Problem } from '@/ui/display/States'
import { SigninPanel } from './SigninPanel'

export default function SigninScreen() {
  const [params] = useSearchParams()
  const link = params.get('link')
  const next = safeNext(params.get('next'))
  const trouble = params.get('trouble')
  const setup = useQuery({
    queryKey: keys.setup,
    queryFn: () => unwrap(api.GET('/api/v1/setup')),
    staleTime: 0,
  })
  // The cookie may still be valid: then no sign-in is needed.
  const session = useQuery({
    queryKey: [...keys.session, 'peek'],
    queryFn: async () => {
      const { data } = await api.GET('/api/v1/session')
      return data ?? null
    },
    enabled: !link && mayHaveSession(),
    retry: false,
  })
  useEffect(() => {
    document.title = 'Sign in · Pileup'
  }, [])
  if (session.data) return <Navigate to={next} replace />

  return (
    <SigninPanel>
      {setup.error ? (
        <Problem
          error={setup.error}
          what="Pileup does not respond"
          onRetry={() => void setup.refetch()}
        />
      ) : !setup.data ? null : link ? (
        setup.data.has_users ? (
          <ByLink link={link} next={next} invited={params.has('invited')} />
        ) : (
          <FirstUser link={link} next={next} />
        )
      ) : setup.data.has_users ? (
        <>
          {trouble && <Trouble why={trouble} />}
          {setup.data.provider && <ByProvider name={setup.data.provider} next={next} />}
          <ByPassword next={next} />
        </>
      ) : (
        <NoLink />
      )}
      {setup.data && <footer className="faint">Pileup {setup.data.version}</footer>}
    </SigninPanel>
  )
}

/** Return the address to open after sign-in: only paths of this app, else the list of incidents. */
export function safeNext(next: string | null): string {
  return next && /^\/(?![/\\])/.test(next) && !next.startsWith('/sign-in') ? next : '/'
}

function useSignedIn(next: string) {
  const client = useQueryClient()
  const navigate = useNavigate()
  return (me: Me) => {
    client.clear()
    client.setQueryData(keys.session, me)
    void navigate(next, { replace: true })
  }
}

function FirstUser({ link, next }: { readonly link: string; readonly next: string }) {
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const create = useMutation({
    mutationFn: () =>
      unwrap(
        api.POST('/api/v1/session/link', {
          body: { link, name: name.trim() || 'admin', email: email.trim(), password },
        }),
      ),
    onSuccess: useSignedIn(next),
  })
  const errors = fieldErrors(create.error)
  return (
    <form className="signin-form" onSubmit={(event) => submit(event, create.mutate)}>
      <p>You are the first user. This account becomes an admin and can add other users.</p>
      <Field label="Name" problem={errors['name']}>
        {(ids) => (
          <input
            {...ids}
            className="input"
            autoComplete="name"
            autoFocus
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <Field label="Email" problem={errors['email']}>
        {(ids) => (
          <input
            {...ids}
            className="input"
            type="email"
            autoComplete="email"
            required
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        )}
      </Field>
      <Field
        label="Password"
        hint="10 characters or more that are hard to guess."
        problem={errors['password']}
      >
        {(ids) => (
          <input
            {...ids}
            className="input"
            type="password"
            autoComplete="new-password"
            required
            minLength={10}
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        )}
      </Field>
      {create.error && <Problem compact error={create.error} what="The account was not created" />}
      <Button type="submit" variant="primary" busy={create.isPending}>
        Create the account and sign in
      </Button>
    </form>
  )
}

function ByLink({
  link,
  next,
  invited,
}: {
  readonly link: string
  readonly next: string
  readonly invited: boolean
}) {
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const signIn = useMutation({
    mutationFn: () =>
      unwrap(
        api.POST('/api/v1/session/link', {
          body: { link, password: password || null, code: code || null },
        }),
      ),
    onSuccess: useSignedIn(next),
  })
  // Not automatically on load: a link preview or a reload would use up the link.
  return (
    <form className="signin-form" onSubmit={(event) => submit(event, signIn.mutate)}>
      <p>
        {invited
          ? 'You are invited to Pileup. This link signs you in once; later you sign in with your email address and the password that you choose here.'
          : 'This link signs you in once.'}
      </p>
      {invited && (
        <Field
          label="Password"
          hint="10 characters or more that are hard to guess. A new password revokes your API tokens."
          problem={fieldErrors(signIn.error)['password']}
        >
          {(ids) => (
            <input
              {...ids}
              className="input"
              type="password"
              autoComplete="new-password"
              autoFocus
              required
              minLength={10}
              value={password}
              onChange={(event) => setPassword(event.target.value)}
            />
          )}
        </Field>
      )}
      <FactorCode error={signIn.error} code={code} onChange={setCode} />
      {signIn.error && !wantsCode(signIn.error) && (
        <Problem compact error={signIn.error} what="The link did not sign you in" />
      )}
      <Button type="submit" variant="primary" autoFocus={!invited} busy={signIn.isPending}>
        {invited ? 'Save the password and sign in' : 'Sign in with this link'}
      </Button>
      {signIn.error && !wantsCode(signIn.error) && !invited && <ByPassword next={next} />}
    </form>
  )
}

function ByProvider({ name, next }: { readonly name: string; readonly next: string }) {
  return (
    <a
      className="btn signin-provider"
      href={`/api/v1/session/oidc?next=${encodeURIComponent(next)}`}
    >
      Sign in with {name}
    </a>
  )
}

/** Why the provider signed nobody in (api/accounts/oidc.py). */
const TROUBLES: Readonly<Record<string, string>> = {
  off: 'This installation has no provider to sign in with.',
  provider:
    'The provider does not answer, or its answer could not be verified. Try again in a moment.',
  unknown:
    'No account is linked to you at the provider. Sign in as usual and link it under Settings, or ask an admin to invite you.',
  address:
    'An account with your email address exists already. Sign in as usual and link the provider under Settings.',
  disabled: 'Your account is disabled; ask an admin.',
  linked: 'Another user has linked this identity at the provider already.',
}

function Trouble({ why }: { readonly why: string }) {
  return (
    <Banner tone="holding">
      {TROUBLES[why] ?? 'The sign-in did not complete. Start it again in this browser.'}
    </Banner>
  )
}

function ByPassword({ next }: { readonly next: string }) {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const signIn = useMutation({
    mutationFn: () =>
      unwrap(
        api.POST('/api/v1/session', {
          body: { email: email.trim(), password, code: code || null },
        }),
      ),
    onSuccess: useSignedIn(next),
  })
  return (
    <form className="signin-form" onSubmit={(event) => submit(event, signIn.mutate)}>
      <Field label="Email">
        {(ids) => (
          <input
            {...ids}
            className="input"
            type="email"
            autoComplete="username"
            autoFocus
            required
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        )}
      </Field>
      <Field label="Password">
        {(ids) => (
          <input
            {...ids}
            className="input"
            type="password"
            autoComplete="current-password"
            required
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        )}
      </Field>
      <FactorCode error={signIn.error} code={code} onChange={setCode} />
      {signIn.error && !wantsCode(signIn.error) && (
        <Problem compact error={signIn.error} what="Sign-in failed" />
      )}
      <Button type="submit" variant="primary" busy={signIn.isPending}>
        Sign in
      </Button>
      <p className="faint">
        Lost the password? An admin can create a sign-in link for you. On the machine that runs
        Pileup, <code>pileup run</code> prints one for an admin.
      </p>
    </form>
  )
}

/** The code of the second factor, once the server wants it. */
function FactorCode({
  error,
  code,
  onChange,
}: {
  readonly error: unknown
  readonly code: string
  readonly onChange: (code: string) => void
}) {
  // Only the first refusal says that there is a factor; while the next one is under way there is none.
  if (!wantsCode(error) && !code) return null
  return (
    <Field
      label="Code"
      hint="From your authenticator app, or a recovery code."
      problem={code ? fieldErrors(error)['code'] : undefined}
    >
      {(ids) => (
        <input
          {...ids}
          className="input"
          autoComplete="one-time-code"
          autoFocus
          maxLength={40}
          value={code}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}

const wantsCode = (error: unknown) => 'code' in fieldErrors(error)

function NoLink() {
  return (
    <div className="signin-form">
      <p>
        Nobody has an account yet. The first is made with the one-time link that{' '}
        <code>pileup run</code> printed in its terminal: open that link in this browser.
      </p>
      <p className="muted">It begins with {window.location.origin}/sign-in?link=</p>
    </div>
  )
}

function submit(event: FormEvent, run: () => void) {
  event.preventDefault()
  run()
}

function fieldErrors(error: unknown): Record<string, string> {
  if (!error) return {}
  return Object.fromEntries(asProblem(error).errors.map((item) => [item.field, item.message]))
}
