/** The menu of actions on an artifact. */
import { useState } from 'react'
import type { Artifact } from '@/api/schema'
import { useMay } from '@/api/queries'
import { asProblem } from '@/api/problem'
import { useUrlChange } from '@/state/url'
import { Button } from '@/ui/controls/Button'
import { copyText } from '@/ui/controls/CopyButton'
import { Dialog } from '@/ui/panels/Dialog'
import { DownIcon } from '@/ui/controls/icons'
import { Menu, MenuItem, MenuLine } from '@/ui/controls/Menu'
import { Problem } from '@/ui/display/States'
import { TypeChooser } from './TypeChooser'
import { useChangeArtifact, useDeleteArtifact, useReparse } from './queries'

export function ArtifactActions({
  incidentId,
  artifact,
  onMapColumns,
}: {
  readonly incidentId: string
  readonly artifact: Artifact
  /** Opens the column dialog; undefined when the artifact is not a table. */
  readonly onMapColumns?: (() => void) | undefined
}) {
  const [dialog, setDialog] = useState<'type' | 'delete' | null>(null)
  const change = useChangeArtifact(incidentId)
  const reparse = useReparse(incidentId)
  const remove = useDeleteArtifact(incidentId)
  const go = useUrlChange()
  const mayWrite = useMay('contributor')
  const mayDelete = useMay('admin')
  const failed = change.error ?? reparse.error
  return (
    <>
      {failed && (
        <span className="viewer-failed" role="alert">
          {asProblem(failed).detail}
        </span>
      )}
      <Menu
        trigger={
          <Button size="small" busy={change.isPending || reparse.isPending}>
            Actions <DownIcon size={12} />
          </Button>
        }
      >
        {mayWrite && (
          <>
            <MenuItem onSelect={() => reparse.mutate(artifact.id)}>Parse again</MenuItem>
            <MenuItem onSelect={() => setDialog('type')}>Set the type…</MenuItem>
            {onMapColumns && <MenuItem onSelect={onMapColumns}>Define the columns…</MenuItem>}
            <MenuItem
              onSelect={() =>
                change.mutate({ id: artifact.id, change: { excluded: !artifact.excluded } })
              }
            >
              {artifact.excluded ? 'Include in the analysis' : 'Exclude from the analysis'}
            </MenuItem>
            <MenuLine />
          </>
        )}
        <MenuItem
          onSelect={() => {
            window.location.assign(`/api/v1/artifacts/${artifact.id}/download`)
          }}
        >
          Download the raw bytes
        </MenuItem>
        <MenuItem onSelect={() => void copyText(artifact.sha256)}>Copy the SHA-256</MenuItem>
        {mayDelete && (
          <>
            <MenuLine />
            <MenuItem danger onSelect={() => setDialog('delete')}>
              Delete…
            </MenuItem>
          </>
        )}
      </Menu>
      <Dialog
        open={dialog === 'type'}
        onOpenChange={(open) => !open && setDialog(null)}
        title="Set the type"
        description={<span className="mono">{artifact.path}</span>}
      >
        <TypeChooser incidentId={incidentId} artifact={artifact} onDone={() => setDialog(null)} />
      </Dialog>
      <Dialog
        open={dialog === 'delete'}
        onOpenChange={(open) => !open && setDialog(null)}
        title="Delete the artifact"
        footer={
          <>
            <Button onClick={() => setDialog(null)}>Keep it</Button>
            <Button
              variant="danger"
              busy={remove.isPending}
              onClick={() =>
                remove.mutate(artifact.id, {
                  onSuccess: () => go({ artifact: [], line: [], to: [] }),
                })
              }
            >
              Delete
            </Button>
          </>
        }
      >
        <p>
          <code>{artifact.path}</code> is removed from the incident and the analysis. Pins on its
          lines keep their excerpt and turn stale. The bytes are kept for 30 days.
        </p>
        {remove.error && <Problem compact error={remove.error} what="It was not deleted" />}
      </Dialog>
    </>
  )
}
