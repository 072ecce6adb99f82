/** The delivery log of a webhook: requests, responses, and a button to deliver again. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Delivery, Webhook } from '@/api/schema'
import { Button } from '@/ui/controls/Button'
import { Chip, type Tone } from '@/ui/controls/Chip'
import { CopyButton } from '@/ui/controls/CopyButton'
import { Dialog } from '@/ui/panels/Dialog'
import { EmptyState, Problem, SkeletonRows } from '@/ui/display/States'
import { type Column, Table } from '@/ui/table/Table'
import { Measured, Time } from '@/ui/display/Value'
import { deliveriesQuery, useDeliverAgain } from './webhookQueries'

export function Deliveries({ hook }: { readonly hook: Webhook }) {
  const log = useQuery(deliveriesQuery(hook.id))
  const again = useDeliverAgain(hook.id)
  const [open, setOpen] = useState<string | null>(null)
  const opened = log.data?.find((item) => item.id === open)
  return (
    <section className="deliveries" aria-label="Deliveries">
      <h2>
        Deliveries <span className="muted">last 100</span>
      </h2>
      {again.error && <Problem error={again.error} what="The delivery was not repeated" />}
      {log.error ? (
        <Problem
          error={log.error}
          what="The deliveries could not be read"
          onRetry={() => void log.refetch()}
        />
      ) : !log.data ? (
        <SkeletonRows rows={3} />
      ) : log.data.length === 0 ? (
        <EmptyState compact title="No deliveries yet">
          Events that this webhook subscribes to are sent from now on.
        </EmptyState>
      ) : (
        <Table
          label="Deliveries"
          rows={log.data}
          columns={columns(again.isPending ? again.variables : null, (id) => again.mutate(id))}
          rowKey={(row) => row.id}
          selected={open}
          onSelect={(row) => setOpen(row.id)}
        />
      )}
      {opened && <Sent delivery={opened} onClose={() => setOpen(null)} />}
    </section>
  )
}

const TONE: Readonly<Record<string, Tone>> = {
  delivered: 'running',
  waiting: 'waiting',
  failed: 'holding',
}

/** Return the displayed state of a delivery; a failed attempt is retried later. */
const stateOf = ({ state, attempts }: Delivery) =>
  state === 'waiting' && attempts > 0 ? 'will retry' : state

const columns = (
  busy: string | null,
  onAgain: (id: string) => void,
): readonly Column<Delivery>[] => [
  {
    key: 'at',
    head: 'Time',
    width: '172px',
    sort: (row) => row.created_at,
    cell: (row) => <Time at={row.created_at} />,
  },
  {
    key: 'event',
    head: 'Event',
    width: 'minmax(180px, 1fr)',
    sort: (row) => row.event,
    cell: (row) => <span className="mono">{row.event}</span>,
  },
  {
    key: 'state',
    head: 'State',
    width: '100px',
    sort: (row) => row.state,
    cell: (row) => <Chip tone={TONE[row.state] ?? 'idle'}>{stateOf(row)}</Chip>,
  },
  {
    key: 'attempts',
    head: 'Attempts',
    kind: 'number',
    width: '80px',
    sort: (row) => row.attempts,
    cell: (row) => <Measured value={row.attempts} />,
  },
  {
    key: 'status',
    head: 'Status',
    title: 'HTTP status of the last response',
    kind: 'number',
    width: '72px',
    sort: (row) => row.status_code,
    cell: (row) => row.status_code ?? <span className="faint">–</span>,
  },
  {
    key: 'answer',
    head: 'Response',
    width: 'minmax(180px, 2fr)',
    sort: (row) => row.answer,
    cell: (row) =>
      row.answer ? <span title={row.answer}>{row.answer}</span> : <span className="faint">–</span>,
  },
  {
    key: 'again',
    head: <span className="visually-hidden">What can be done</span>,
    width: '124px',
    cell: (row) =>
      row.state === 'waiting' ? null : (
        <Button size="small" busy={busy === row.id} onClick={() => onAgain(row.id)}>
          Deliver again
        </Button>
      ),
  },
]

function Sent({
  delivery,
  onClose,
}: {
  readonly delivery: Delivery
  readonly onClose: () => void
}) {
  const body = JSON.stringify(delivery.payload, null, 2)
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={delivery.event}
      width={680}
      description={
        <>
          {delivery.state}
          {delivery.last_at && (
            <>
              , last tried <Time at={delivery.last_at} />
            </>
          )}
        </>
      }
      footer={<CopyButton text={body}>Copy request</CopyButton>}
    >
      <h3>Sent</h3>
      <pre className="delivery-text">{body}</pre>
      <h3>Answered {delivery.status_code}</h3>
      <pre className="delivery-text">{delivery.answer ?? 'nothing yet'}</pre>
    </Dialog>
  )
}
