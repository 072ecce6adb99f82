/** The health of this installation; `pileup doctor` on the server shows more. */
import { useQuery } from '@tanstack/react-query'
import { statusQuery } from '@/api/queries'
import { Chip } from '@/ui/controls/Chip'
import { Fields } from '@/ui/panels/Inspector'
import { Problem, SkeletonRows } from '@/ui/display/States'
import { Ago, BytesValue } from '@/ui/display/Value'

export function Installation() {
  const status = useQuery(statusQuery)
  if (status.isLoadingError)
    return <Problem error={status.error} onRetry={() => void status.refetch()} />
  if (!status.data) return <SkeletonRows rows={4} />
  const { version, signing, worker, queue, database, disk } = status.data
  return (
    <div className="settings-pane settings-fields scroll">
      <Fields
        items={[
          ['Version', version],
          [
            'Worker',
            <span key="worker">
              <Chip tone={worker.alive ? 'running' : 'holding'}>
                {worker.alive ? 'alive' : 'not running'}
              </Chip>{' '}
              {worker.names.join(', ')}
              {worker.last_seen && (
                <span className="faint">
                  {' '}
                  last heard <Ago at={worker.last_seen} />
                </span>
              )}
            </span>,
          ],
          ['Queue', `${queue.running} running, ${queue.queued} waiting`],
          [
            'Database',
            <Chip key="database" tone={database.ok ? 'running' : 'holding'}>
              {database.ok ? 'ok' : 'unhealthy'}
            </Chip>,
          ],
          [
            'Disk',
            <span key="disk">
              <BytesValue value={disk.free_bytes} /> free
            </span>,
          ],
          [
            'Signing key',
            <span key="signing" className="mono" title={`Public key ${signing.key}`}>
              {signing.fingerprint}
            </span>,
          ],
        ]}
      />
      <p className="muted">
        Releases and bundles are signed with this key. Whoever receives one compares the
        fingerprint: <code>pileup verify BUNDLE --key {signing.fingerprint.slice(0, 14)}…</code>
      </p>
      <p className="muted">
        On the machine that runs Pileup, <code>pileup doctor</code> checks each part and names the
        remedy.
      </p>
    </div>
  )
}
