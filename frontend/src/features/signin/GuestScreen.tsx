/** The page of a guest link: its secret is behind the #, which no server and no preview gets to see. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useNavigate } from 'react-router'
import { api, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import { sessionQuery } from '@/api/queries'
import { Button } from '@/ui/controls/Button'
import { Problem } from '@/ui/display/States'
import { SigninPanel } from './SigninPanel'

export default function GuestScreen() {
  const [link] = useState(() => window.location.hash.slice(1))
  const client = useQueryClient()
  const navigate = useNavigate()
  const session = useQuery(sessionQuery)
  const open = useMutation({
    mutationFn: () => unwrap(api.POST('/api/v1/session/guest', { body: { link } })),
    onSuccess: (me) => {
      client.clear()
      client.setQueryData(keys.session, me)
      void navigate(`/incidents/${me.incident_id}/overview`, { replace: true })
    },
  })
  useEffect(() => {
    document.title = 'Guest link · Pileup'
  }, [])
  const user = session.data && !session.data.guest ? session.data.user : null
  return (
    <SigninPanel>
      <div className="signin-form">
        <p>You are invited to read one incident. You need no account and cannot change anything.</p>
        {user && (
          <p>
            You are signed in as {user.name}. Opening the link as a guest signs you out in this
            browser.
          </p>
        )}
        {open.error && <Problem compact error={open.error} what="The link was not opened" />}
        <Button variant="primary" autoFocus busy={open.isPending} onClick={() => open.mutate()}>
          {user ? 'Open as a guest' : 'Open the incident'}
        </Button>
      </div>
    </SigninPanel>
  )
}
