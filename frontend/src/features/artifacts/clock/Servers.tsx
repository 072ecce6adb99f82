/** Which file belongs to which server: join two, split one, or move files; each step can be undone. */
import { useState } from 'react'
import type { Artifact } from '@/api/schema'
import { Button } from '@/ui/controls/Button'
import { Field } from '@/ui/controls/Field'
import { Problem } from '@/ui/display/States'
import { Dialog } from '@/ui/panels/Dialog'
import { type HostMove, useGiveHost } from '../queries'
import { byServer, undoOf } from './serverFiles'

/** A line above the list that counts the servers and opens the dialog. */
export function ServersButton({
  incidentId,
  artifacts,
}: {
  readonly incidentId: string
  readonly artifacts: readonly Artifact[]
}) {
  const [open, setOpen] = useState(false)
  const groups = byServer(artifacts)
  const named = groups.filter(({ host }) => host !== null)
  const joined = artifacts.filter((item) => item.clock?.host_how)
  if (named.length < 2 && joined.length === 0 && artifacts.every((item) => !item.given_host))
    return null
  return (
    <div className="give-times-line">
      <span className="muted">
        {named.length === 1 ? `One server: ${named[0]?.host ?? ''}` : `${named.length} servers`}
        {joined.length > 0 &&
          `; ${joined.length} ${joined.length === 1 ? 'file prints' : 'files print'} another name`}
        .
      </span>
      <Button size="small" onClick={() => setOpen(true)}>
        Show servers
      </Button>
      {open && (
        <ServersDialog
          incidentId={incidentId}
          artifacts={artifacts}
          onClose={() => setOpen(false)}
        />
      )}
    </div>
  )
}

function ServersDialog({
  incidentId,
  artifacts,
  onClose,
}: {
  readonly incidentId: string
  readonly artifacts: readonly Artifact[]
  readonly onClose: () => void
}) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [name, setName] = useState('')
  const [undo, setUndo] = useState<readonly HostMove[] | null>(null)
  const give = useGiveHost(incidentId)
  const groups = byServer(artifacts)
  const hosts = groups.flatMap(({ host }) => (host === null ? [] : [host]))
  const move = (ids: readonly string[], host: string | null) => {
    const back = undoOf(artifacts, ids)
    give.mutate([{ ids, host }], {
      onSuccess: () => {
        setUndo(back)
        setChosen(new Set())
      },
    })
  }
  const toggle = (ids: readonly string[], isOn: boolean) => {
    const next = new Set(chosen)
    for (const id of ids) {
      if (isOn) next.add(id)
      else next.delete(id)
    }
    setChosen(next)
  }
  const ids = [...chosen]
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Files by server"
      width={760}
      footer={
        <>
          {undo && (
            <Button
              busy={give.isPending}
              onClick={() => give.mutate(undo, { onSuccess: () => setUndo(null) })}
            >
              Undo
            </Button>
          )}
          <Button variant="primary" onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      <div className="servers scroll">
        {groups.map(({ host, items }) => {
          const own = items.map((item) => item.id)
          return (
            <section key={host ?? ''} aria-label={host ?? 'No server'}>
              <h3>
                <label>
                  <input
                    type="checkbox"
                    checked={own.every((id) => chosen.has(id))}
                    onChange={(event) => toggle(own, event.target.checked)}
                  />{' '}
                  {host ?? 'No server'}
                </label>{' '}
                {hosts
                  .filter((other) => other !== host)
                  .slice(0, 4)
                  .map((other) => (
                    <Button
                      key={other}
                      size="small"
                      variant="ghost"
                      busy={give.isPending}
                      onClick={() => move(own, other)}
                    >
                      Join with {other}
                    </Button>
                  ))}
              </h3>
              <ul className="give-times-list">
                {items.map((item) => (
                  <li key={item.id}>
                    <label>
                      <input
                        type="checkbox"
                        checked={chosen.has(item.id)}
                        onChange={(event) => toggle([item.id], event.target.checked)}
                      />{' '}
                      <span className="mono">{item.path}</span>{' '}
                      <span className="faint">
                        {item.given_host ? 'set by hand' : (item.clock?.host_how ?? '')}
                      </span>
                    </label>{' '}
                    <FileAction item={item} busy={give.isPending} onMove={move} />
                  </li>
                ))}
              </ul>
            </section>
          )
        })}
      </div>
      <form
        className="clock-form-row"
        onSubmit={(event) => {
          event.preventDefault()
          if (name.trim() && ids.length > 0) move(ids, name.trim())
        }}
      >
        <Field label="Server" hint="One of the list, or a new name.">
          {(field) => (
            <>
              <input
                {...field}
                className="input"
                list="server-names"
                value={name}
                onChange={(event) => setName(event.target.value)}
              />
              <datalist id="server-names">
                {hosts.map((host) => (
                  <option key={host} value={host} />
                ))}
              </datalist>
            </>
          )}
        </Field>
        <Button type="submit" disabled={!name.trim() || ids.length === 0} busy={give.isPending}>
          Move {ids.length} {ids.length === 1 ? 'file' : 'files'}
        </Button>
      </form>
      {give.isSuccess && <p role="status">Saved. The analysis runs again.</p>}
      {give.error && <Problem compact error={give.error} what="The files were not moved" />}
    </Dialog>
  )
}

/** Split a file that was joined automatically, or take back what a person set. */
function FileAction({
  item,
  busy,
  onMove,
}: {
  readonly item: Artifact
  readonly busy: boolean
  readonly onMove: (ids: readonly string[], host: string | null) => void
}) {
  const printed = item.clock?.host_printed
  if (item.given_host)
    return (
      <Button size="small" variant="ghost" busy={busy} onClick={() => onMove([item.id], null)}>
        Use the derived server
      </Button>
    )
  if (!printed || printed === item.host) return null
  return (
    <Button size="small" variant="ghost" busy={busy} onClick={() => onMove([item.id], printed)}>
      Split off as {printed}
    </Button>
  )
}
