/** Users and their roles, for admins. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { asProblem } from '@/api/problem'
import { useMe } from '@/api/queries'
import type { NewUser, SignInLink, UserChange, User } from '@/api/schema'
import { Button } from '@/ui/controls/Button'
import { Chip } from '@/ui/controls/Chip'
import { CopyButton } from '@/ui/controls/CopyButton'
import { Dialog } from '@/ui/panels/Dialog'
import { Field } from '@/ui/controls/Field'
import { PlusIcon } from '@/ui/controls/icons'
import { Problem, SkeletonRows } from '@/ui/display/States'
import { type Column, Table } from '@/ui/table/Table'
import { Time } from '@/ui/display/Value'
import { useChangeUser, useMakeUser, useMakeUserLink, usersQuery } from './queries'

type Role = User['role']
const ROLES: readonly (readonly [Role, string])[] = [
  ['viewer', 'sees everything, changes nothing'],
  ['contributor', 'uploads files, edits hypotheses, experiments and the report'],
  ['admin', 'also deletes, archives and manages users'],
]
/** What a role may do, as a sentence of its own. */
const mayOf = (role: Role) => {
  const may = ROLES.find(([each]) => each === role)?.[1] ?? ''
  return may.charAt(0).toUpperCase() + may.slice(1)
}

export function Users() {
  const me = useMe()
  const users = useQuery(usersQuery)
  const change = useChangeUser()
  const link = useMakeUserLink()
  const [adding, setAdding] = useState(false)
  const [invited, setInvited] = useState<User | null>(null)
  const invite = (user: User) => {
    setInvited(user)
    link.mutate(user.id)
  }
  return (
    <div className="settings-pane scroll">
      <div className="settings-bar">
        <span className="muted">
          Roles: {ROLES.map(([role, may]) => `${role} ${may}`).join('; ')}.
        </span>
        <Button variant="primary" icon={<PlusIcon size={14} />} onClick={() => setAdding(true)}>
          Add a user
        </Button>
      </div>
      {change.error && <Problem error={change.error} what="The user was not changed" />}
      {link.error && <Problem error={link.error} what="The link was not created" />}
      {link.data && invited && (
        <NewLink user={invited} link={link.data} onDone={() => link.reset()} />
      )}
      {users.isLoadingError ? (
        <Problem
          error={users.error}
          what="The users could not be read"
          onRetry={() => void users.refetch()}
        />
      ) : !users.data ? (
        <SkeletonRows rows={4} />
      ) : (
        <Table
          label="Users"
          rows={users.data}
          columns={columns(
            me.user.id,
            (id, fields) => change.mutate({ id, change: fields }),
            invite,
          )}
          rowKey={(row) => row.id}
        />
      )}
      {adding && <AddUser onClose={() => setAdding(false)} onInvite={invite} />}
    </div>
  )
}

const columns = (
  myId: string,
  onChange: (id: string, change: UserChange) => void,
  onInvite: (user: User) => void,
): readonly Column<User>[] => [
  {
    key: 'name',
    head: 'Name',
    width: 'minmax(140px, 1fr)',
    sort: (row) => row.name,
    cell: (row) => (
      <>
        {row.name} {row.id === myId && <span className="faint">(you)</span>}
      </>
    ),
  },
  {
    key: 'email',
    head: 'Email',
    width: 'minmax(130px, 1.4fr)',
    sort: (row) => row.email,
    cell: (row) => row.email ?? <span className="faint">–</span>,
  },
  {
    key: 'role',
    head: 'Role',
    width: '150px',
    sort: (row) => row.role,
    cell: (row) => (
      <select
        className="select settings-role"
        aria-label={`Role of ${row.name}`}
        disabled={row.id === myId}
        value={row.role}
        onChange={(event) =>
          onChange(row.id, {
            role: ROLES.find(([role]) => role === event.target.value)?.[0] ?? null,
          })
        }
      >
        {ROLES.map(([role]) => (
          <option key={role}>{role}</option>
        ))}
      </select>
    ),
  },
  {
    key: 'state',
    head: 'State',
    width: '100px',
    optional: true,
    sort: (row) => String(row.disabled),
    cell: (row) => (
      <Chip tone={row.disabled ? 'idle' : 'running'}>{row.disabled ? 'disabled' : 'active'}</Chip>
    ),
  },
  {
    key: 'created',
    head: 'Since',
    width: '110px',
    optional: true,
    sort: (row) => row.created_at,
    cell: (row) => <Time at={row.created_at} style="date" />,
  },
  {
    key: 'disable',
    head: <span className="visually-hidden">What can be done</span>,
    width: '200px',
    cell: (row) =>
      row.id === myId ? null : (
        <>
          {!row.disabled && (
            <Button
              size="small"
              variant="ghost"
              aria-label={`Create a sign-in link for ${row.name}`}
              onClick={() => onInvite(row)}
            >
              Sign-in link
            </Button>
          )}
          <Button
            size="small"
            variant="ghost"
            onClick={() => onChange(row.id, { disabled: !row.disabled })}
          >
            {row.disabled ? 'Enable' : 'Disable'}
          </Button>
        </>
      ),
  },
]

/** The link of an invited user; it is shown once. */
function NewLink({
  user,
  link,
  onDone,
}: {
  readonly user: User
  readonly link: SignInLink
  readonly onDone: () => void
}) {
  const address = `${window.location.origin}/sign-in?invited=1&link=${link.link}`
  return (
    <section className="made" aria-label={`Sign-in link for ${user.name}`}>
      <p>
        Send this link to {user.name}. It works once, until <Time at={link.expires_at} />, lets them
        choose a password, and is not shown again.
      </p>
      <div className="made-token">
        <code>{address}</code>
        <CopyButton text={address}>Copy the link</CopyButton>
      </div>
      <Button size="small" onClick={onDone}>
        Done
      </Button>
    </section>
  )
}

function AddUser({
  onClose,
  onInvite,
}: {
  readonly onClose: () => void
  readonly onInvite: (user: User) => void
}) {
  const [user, setUser] = useState<NewUser>({ name: '', email: '', role: 'contributor' })
  const make = useMakeUser()
  const errors = Object.fromEntries(
    make.error ? asProblem(make.error).errors.map((item) => [item.field, item.message]) : [],
  )
  const text = (key: 'name' | 'email', label: string, type: string, hint?: string) => (
    <Field label={label} hint={hint} problem={errors[key]}>
      {(ids) => (
        <input
          {...ids}
          className="input"
          type={type}
          required
          autoComplete="off"
          value={user[key]}
          onChange={(event) => setUser({ ...user, [key]: event.target.value })}
        />
      )}
    </Field>
  )
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Add a user"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form="add-user" busy={make.isPending}>
            Add and create the sign-in link
          </Button>
        </>
      }
    >
      <form
        id="add-user"
        className="settings-dialog"
        onSubmit={(event) => {
          event.preventDefault()
          make.mutate(user, {
            onSuccess: (created) => {
              onInvite(created)
              onClose()
            },
          })
        }}
      >
        {text('name', 'Name', 'text')}
        {text('email', 'Email', 'email')}
        <Field label="Role" hint={mayOf(user.role)}>
          {(ids) => (
            <select
              {...ids}
              className="select"
              value={user.role}
              onChange={(event) =>
                setUser({
                  ...user,
                  role: ROLES.find(([role]) => role === event.target.value)?.[0] ?? 'viewer',
                })
              }
            >
              {ROLES.map(([role]) => (
                <option key={role}>{role}</option>
              ))}
            </select>
          )}
        </Field>
        {make.error && <Problem compact error={make.error} what="The user was not added" />}
      </form>
    </Dialog>
  )
}
