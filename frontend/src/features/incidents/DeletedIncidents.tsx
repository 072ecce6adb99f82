/** The bin of the installation, for admins: deleted incidents, and how to restore them. */
import { useQuery } from '@tanstack/react-query'
import type { DeletedItem } from '@/api/schema'
import { Button } from '@/ui/controls/Button'
import { Dialog } from '@/ui/panels/Dialog'
import { EmptyState, Problem, SkeletonRows } from '@/ui/display/States'
import { type Column, Table } from '@/ui/table/Table'
import { deletedIncidentsQuery, useRestoreIncident } from '@/ui/history/undo'
import { Ago } from '@/ui/display/Value'

export function DeletedIncidents({ onClose }: { readonly onClose: () => void }) {
  const { data, error, refetch } = useQuery(deletedIncidentsQuery)
  const restore = useRestoreIncident()
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Deleted incidents"
      width={760}
      {...(data && {
        description: `Kept for ${data.days} days after the deletion, then deleted permanently.`,
      })}
    >
      {restore.error && <Problem compact error={restore.error} what="It was not restored" />}
      {error ? (
        <Problem error={error} what="The bin could not be read" onRetry={() => void refetch()} />
      ) : !data ? (
        <SkeletonRows rows={3} />
      ) : data.items.length === 0 ? (
        <EmptyState compact title="The bin is empty" />
      ) : (
        <Table
          label="Deleted incidents"
          rows={data.items}
          columns={columns(restore.isPending ? restore.variables : null, (id) =>
            restore.mutate(id),
          )}
          rowKey={(row) => row.id}
        />
      )}
    </Dialog>
  )
}

const columns = (
  busy: string | null,
  onRestore: (id: string) => void,
): readonly Column<DeletedItem>[] => [
  {
    key: 'title',
    head: 'Incident',
    width: 'minmax(220px, 2fr)',
    sort: (row) => row.title,
    cell: (row) => <span title={row.title}>{row.title}</span>,
  },
  {
    key: 'by',
    head: 'Deleted by',
    width: 'minmax(110px, 1fr)',
    sort: (row) => row.deleted_by,
    cell: (row) => row.deleted_by ?? <span className="faint">–</span>,
  },
  {
    key: 'when',
    head: 'When',
    width: '110px',
    sort: (row) => row.deleted_at,
    cell: (row) => <Ago at={row.deleted_at} />,
  },
  {
    key: 'restore',
    head: <span className="visually-hidden">What can be done</span>,
    width: '96px',
    cell: (row) => (
      <Button
        size="small"
        busy={busy === row.id}
        aria-label={`Restore ${row.title}`}
        onClick={() => onRestore(row.id)}
      >
        Restore
      </Button>
    ),
  },
]
