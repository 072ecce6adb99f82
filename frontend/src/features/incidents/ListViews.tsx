/** The views of the list that the user keeps: a filter and order under a name. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { Button } from '@/ui/controls/Button'
import { Field } from '@/ui/controls/Field'
import { DownIcon } from '@/ui/controls/icons'
import { Menu, MenuItem } from '@/ui/controls/Menu'
import { Problem } from '@/ui/display/States'
import { offerUndo } from '@/ui/history/undo'
import { Dialog } from '@/ui/panels/Dialog'
import { dropListView, keepListView, listViewsQuery } from './queries'

export function ListViews() {
  const navigate = useNavigate()
  const { search } = useLocation()
  const client = useQueryClient()
  const { data: views = [] } = useQuery(listViewsQuery)
  const [naming, setNaming] = useState(false)
  const query = search.replace(/^\?/, '')
  const shown = views.find((view) => view.query === query)
  const onSuccess = () => client.invalidateQueries({ queryKey: listViewsQuery.queryKey })
  const keep = useMutation({ mutationFn: keepListView, onSuccess })
  const drop = useMutation({ mutationFn: dropListView, onSuccess })
  return (
    <>
      <Menu
        trigger={
          <Button size="small" pressed={shown !== undefined}>
            {shown?.name ?? 'Views'} <DownIcon size={12} />
          </Button>
        }
      >
        <MenuItem onSelect={() => void navigate('/')}>All incidents</MenuItem>
        {views.map((view) => (
          <MenuItem key={view.id} onSelect={() => void navigate(`/?${view.query}`)}>
            {view.name}
          </MenuItem>
        ))}
        {!shown && query && <MenuItem onSelect={() => setNaming(true)}>Save this view…</MenuItem>}
        {shown && (
          <MenuItem
            danger
            onSelect={() =>
              drop.mutate(shown.id, {
                onSuccess: () =>
                  offerUndo(`Deleted the view: ${shown.name}`, () => keep.mutateAsync(shown)),
              })
            }
          >
            Delete the view “{shown.name}”
          </MenuItem>
        )}
      </Menu>
      {drop.error && <Problem compact error={drop.error} what="The view was not deleted" />}
      {naming && (
        <NameView
          busy={keep.isPending}
          error={keep.error}
          onClose={() => setNaming(false)}
          onSave={(name) => keep.mutate({ name, query }, { onSuccess: () => setNaming(false) })}
        />
      )}
    </>
  )
}

function NameView({
  busy,
  error,
  onSave,
  onClose,
}: {
  readonly busy: boolean
  readonly error: Error | null
  readonly onSave: (name: string) => void
  readonly onClose: () => void
}) {
  const [name, setName] = useState('')
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Save this view"
      description="Only you see it. The same name replaces the view that has it."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            type="submit"
            form="list-view"
            busy={busy}
            disabled={!name.trim()}
          >
            Save the view
          </Button>
        </>
      }
    >
      <form
        id="list-view"
        onSubmit={(event) => {
          event.preventDefault()
          if (name.trim()) onSave(name.trim())
        }}
      >
        <Field label="Name">
          {(ids) => (
            <input
              {...ids}
              className="input"
              autoFocus
              maxLength={80}
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        {error && <Problem compact error={error} what="The view was not saved" />}
      </form>
    </Dialog>
  )
}
