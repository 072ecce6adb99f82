/**
 * l: a link to exactly this view. A long address becomes a short link of the server, because chats
 * and tickets cut it; who may not write, or has no connection, gets the address as it is.
 */
import { useCallback, useEffect, useState } from 'react'
import { asProblem } from '@/api/problem'
import { useMay } from '@/api/queries'
import { type KeyTable, useKeys } from '@/state/keys'
import { exactAddress } from '@/state/url'
import { Button } from '@/ui/controls/Button'
import { copyText } from '@/ui/controls/CopyButton'
import { Dialog } from '@/ui/panels/Dialog'
import { Field } from '@/ui/controls/Field'
import { Banner } from '@/ui/display/States'
import { useMakeViewLink } from './queries'

/** Longer addresses get cut on their way. */
const LONGEST = 1800

export const LINK_KEYS = {
  copy: { keys: ['l'], does: 'Copy a link to this view' },
} as const satisfies KeyTable

/** Screen and query below the incident, as the server keeps it. */
function viewOf({ pathname, search, hash }: Location | URL): string {
  return pathname.split('/').slice(3).join('/') + search + hash
}

export function useCopyLink(incidentId: string) {
  const [name, setSaid] = useState('')
  const may = useMay('contributor')
  const { mutateAsync } = useMakeViewLink(incidentId)
  useEffect(() => {
    if (!name) return
    const timer = setTimeout(() => setSaid(''), 2500)
    return () => clearTimeout(timer)
  }, [name])
  const copy = useCallback(async () => {
    const exact = new URL(exactAddress() + window.location.hash, window.location.origin)
    let url = exact.href
    if (url.length > LONGEST && may) {
      try {
        url = `${window.location.origin}/v/${(await mutateAsync({ view: viewOf(exact) })).id}`
      } catch {
        // The long address opens the same view.
      }
    }
    setSaid((await copyText(url)) ? 'Link copied' : 'The browser did not let us copy')
  }, [may, mutateAsync])
  useKeys(LINK_KEYS, { copy: () => void copy() })
  return { copy: () => void copy(), said: name, say: setSaid }
}

/** A name for this view, under which everybody finds it in the palette. */
export function NameView({
  incidentId,
  open,
  onOpenChange,
}: {
  readonly incidentId: string
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
}) {
  const [name, setName] = useState('')
  const make = useMakeViewLink(incidentId)
  const save = () => {
    make.mutate(
      { view: viewOf(new URL(exactAddress(), window.location.origin)), name: name.trim() },
      {
        onSuccess: () => {
          setName('')
          onOpenChange(false)
        },
      },
    )
  }
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Name this view"
      description="Everybody finds it by this name in the palette (Ctrl+K)."
      footer={
        <Button variant="primary" busy={make.isPending} disabled={!name.trim()} onClick={save}>
          Name it
        </Button>
      }
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (name.trim()) save()
        }}
      >
        <Field label="Name">
          {(ids) => (
            <input
              {...ids}
              value={name}
              maxLength={200}
              placeholder="The onset, four lanes"
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        {make.error && <Banner tone="holding">{asProblem(make.error).detail}</Banner>}
      </form>
    </Dialog>
  )
}
