/**
 * Key l: copy a link to exactly this view. A long address becomes a short link of the server, because
 * chats and tickets cut it; without write permission or a connection, the full address is copied.
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

/** Chats and tickets cut longer addresses. */
const LONGEST = 1800

export const LINK_KEYS = {
  copy: { keys: ['l'], does: 'Copy a link to this view' },
} as const satisfies KeyTable

/** Return screen and query below the incident, as the server stores them. */
function viewOf({ pathname, search, hash }: Location | URL): string {
  return pathname.split('/').slice(3).join('/') + search + hash
}

export function useCopyLink(incidentId: string) {
  const [notice, setNotice] = useState('')
  const may = useMay('contributor')
  const { mutateAsync } = useMakeViewLink(incidentId)
  useEffect(() => {
    if (!notice) return
    const timer = setTimeout(() => setNotice(''), 2500)
    return () => clearTimeout(timer)
  }, [notice])
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
    setNotice((await copyText(url)) ? 'Link copied' : 'The browser blocked the copy')
  }, [may, mutateAsync])
  useKeys(LINK_KEYS, { copy: () => void copy() })
  return { copy: () => void copy(), notice, notify: setNotice }
}

/** The dialog that names this view, so that everybody finds it in the palette. */
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
      description="Everyone can find the view by this name (Ctrl+K)."
      footer={
        <Button variant="primary" busy={make.isPending} disabled={!name.trim()} onClick={save}>
          Save name
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
