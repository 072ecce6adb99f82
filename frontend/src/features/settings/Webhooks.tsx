/** Webhooks, for admins: address, events, the secret once, and the delivery log of each. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { MadeWebhook, NewWebhook, Webhook } from '@/api/schema'
import { text, useUrlState } from '@/state/url'
import { Button } from '@/ui/controls/Button'
import { Chip } from '@/ui/controls/Chip'
import { CopyButton } from '@/ui/controls/CopyButton'
import { Dialog } from '@/ui/panels/Dialog'
import { DownIcon, PlusIcon } from '@/ui/controls/icons'
import { Menu, MenuItem, MenuLine } from '@/ui/controls/Menu'
import { EmptyState, Problem, SkeletonRows } from '@/ui/display/States'
import { type Column, Table } from '@/ui/table/Table'
import { Ago } from '@/ui/display/Value'
import { Deliveries } from './Deliveries'
import { EVENTS, WebhookDialog } from './WebhookDialog'
import { useChangeWebhook, useDeleteWebhook, useMakeWebhook, webhooksQuery } from './webhookQueries'

export function Webhooks() {
  const hooks = useQuery(webhooksQuery)
  const make = useMakeWebhook()
  const change = useChangeWebhook()
  const [dialog, setDialog] = useState<
    { readonly kind: 'add' } | { readonly kind: 'edit' | 'delete'; readonly hook: Webhook } | null
  >(null)
  const [chosen, choose] = useUrlState('webhook', text, '')
  const close = () => setDialog(null)
  const shown = hooks.data?.find((item) => item.id === chosen)
  return (
    <div className="settings-pane scroll">
      <div className="settings-bar">
        <span className="muted">
          Webhooks notify other systems of state changes with a signed POST; see how-to/webhooks.md.
        </span>
        <Button
          variant="primary"
          icon={<PlusIcon size={14} />}
          onClick={() => setDialog({ kind: 'add' })}
        >
          Add a webhook
        </Button>
      </div>
      {make.data && <Made hook={make.data} onDone={() => make.reset()} />}
      {change.error && !dialog && (
        <Problem error={change.error} what="The webhook was not changed" />
      )}
      {hooks.isLoadingError ? (
        <Problem
          error={hooks.error}
          what="The webhooks could not be read"
          onRetry={() => void hooks.refetch()}
        />
      ) : !hooks.data ? (
        <SkeletonRows rows={4} />
      ) : hooks.data.length === 0 ? (
        <EmptyState compact title="No webhooks yet">
          Add one to tell a chat, a tracker or a pager when an incident changes state, an analysis
          ends or a report is approved.
        </EmptyState>
      ) : (
        <Table
          label="Webhooks"
          rows={hooks.data}
          columns={columns({
            onEnable: (hook) => change.mutate({ id: hook.id, change: { enabled: !hook.enabled } }),
            onEdit: (hook) => setDialog({ kind: 'edit', hook }),
            onDelete: (hook) => setDialog({ kind: 'delete', hook }),
          })}
          rowKey={(row) => row.id}
          selected={shown?.id ?? null}
          onSelect={(row) => choose(row.id)}
        />
      )}
      {shown ? (
        <Deliveries hook={shown} />
      ) : (
        !!hooks.data?.length && (
          <p className="settings-hint muted">Choose a webhook to see its deliveries.</p>
        )
      )}
      {dialog?.kind === 'add' && (
        <WebhookDialog
          busy={make.isPending}
          error={make.error}
          onSave={(body) => make.mutate(body, { onSuccess: close })}
          onClose={close}
        />
      )}
      {dialog?.kind === 'edit' && (
        <WebhookDialog
          hook={dialog.hook}
          busy={change.isPending}
          error={change.error}
          onSave={(body: NewWebhook) =>
            change.mutate({ id: dialog.hook.id, change: body }, { onSuccess: close })
          }
          onClose={close}
        />
      )}
      {dialog?.kind === 'delete' && <Delete hook={dialog.hook} onClose={close} />}
    </div>
  )
}

const columns = ({
  onEnable,
  onEdit,
  onDelete,
}: {
  readonly onEnable: (hook: Webhook) => void
  readonly onEdit: (hook: Webhook) => void
  readonly onDelete: (hook: Webhook) => void
}): readonly Column<Webhook>[] => [
  {
    key: 'url',
    head: 'Address',
    width: 'minmax(240px, 2fr)',
    sort: (row) => row.url,
    cell: (row) => (
      <span className="mono" title={row.url}>
        {row.url}
      </span>
    ),
  },
  {
    key: 'events',
    head: 'Events',
    width: 'minmax(220px, 2fr)',
    sort: (row) => row.events.length,
    text: (row) => row.events.join(', '),
    cell: (row) => (
      <span title={row.events.join('\n')}>
        {row.events.length === EVENTS.length ? 'everything' : row.events.join(', ')}
      </span>
    ),
  },
  {
    key: 'state',
    head: 'State',
    width: '100px',
    sort: (row) => String(row.enabled),
    cell: (row) => (
      <Chip tone={row.enabled ? 'running' : 'idle'}>{row.enabled ? 'enabled' : 'disabled'}</Chip>
    ),
  },
  {
    key: 'created',
    head: 'Created',
    width: '110px',
    sort: (row) => row.created_at,
    cell: (row) => <Ago at={row.created_at} />,
  },
  {
    key: 'acts',
    head: <span className="visually-hidden">What can be done</span>,
    width: '110px',
    cell: (row) => (
      <Menu
        trigger={
          <Button size="small" aria-label={`Actions on ${row.url}`}>
            Actions <DownIcon size={12} />
          </Button>
        }
      >
        <MenuItem onSelect={() => onEdit(row)}>Edit address or events…</MenuItem>
        <MenuItem onSelect={() => onEnable(row)}>{row.enabled ? 'Disable' : 'Enable'}</MenuItem>
        <MenuLine />
        <MenuItem danger onSelect={() => onDelete(row)}>
          Delete…
        </MenuItem>
      </Menu>
    ),
  },
]

function Made({ hook, onDone }: { readonly hook: MadeWebhook; readonly onDone: () => void }) {
  return (
    <section className="made" aria-label="The new webhook">
      <p>
        The secret for <strong className="mono">{hook.url}</strong>: it is shown only once. The
        receiver uses it to verify the signature.
      </p>
      <div className="made-token">
        <code>{hook.secret}</code>
        <CopyButton text={hook.secret}>Copy the secret</CopyButton>
      </div>
      <Button onClick={onDone}>Done, hide it</Button>
    </section>
  )
}

function Delete({ hook, onClose }: { readonly hook: Webhook; readonly onClose: () => void }) {
  const remove = useDeleteWebhook()
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Delete the webhook"
      footer={
        <>
          <Button onClick={onClose}>Keep it</Button>
          <Button
            variant="danger"
            busy={remove.isPending}
            onClick={() => remove.mutate(hook.id, { onSuccess: onClose })}
          >
            Delete permanently
          </Button>
        </>
      }
    >
      <p>
        <code>{hook.url}</code> receives no more events. Its secret and its delivery log are deleted
        permanently; to pause it, disable it instead.
      </p>
      {remove.error && <Problem compact error={remove.error} what="It was not deleted" />}
    </Dialog>
  )
}
