/** The bell: comments that mention you. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from 'react-router'
import { api, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import { IconButton } from '@/ui/controls/Button'
import { BellIcon } from '@/ui/controls/icons'
import { Menu, MenuItem, MenuLabel, MenuLine } from '@/ui/controls/Menu'
import { subjectPath } from '@/ui/history/trailWords'

/** Polled, because the events of other incidents do not reach this page. */
const EVERY_MS = 60_000
const SHOWN = 12

export function Mentions({ incidentId }: { readonly incidentId: string }) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const queryKey = keys.of(incidentId, 'mentions')
  const { data } = useQuery({
    queryKey,
    queryFn: () => unwrap(api.GET('/api/v1/mentions')),
    refetchInterval: EVERY_MS,
  })
  const seen = useMutation({
    mutationFn: (ids: string[] | null) =>
      unwrap(api.POST('/api/v1/mentions/seen', { body: { ids } })),
    onSettled: () => client.invalidateQueries({ queryKey }),
  })
  const mentions = data ?? []
  const fresh = mentions.filter((mention) => !mention.seen).length
  const label = fresh === 0 ? 'Mentions' : `Mentions: ${fresh} new`
  return (
    <Menu
      trigger={
        <IconButton
          label={label}
          icon={
            <span className="bell">
              <BellIcon />
              {fresh > 0 && <span className="bell-count">{fresh}</span>}
            </span>
          }
        />
      }
    >
      <MenuLabel>Mentions of you</MenuLabel>
      {mentions.slice(0, SHOWN).map((mention) => (
        <MenuItem
          key={mention.id}
          hint={mention.seen ? mention.incident.slice(0, 24) : `● ${mention.incident.slice(0, 24)}`}
          onSelect={() => {
            if (!mention.seen) seen.mutate([mention.id])
            void navigate(subjectPath(mention.incident_id, mention.subject))
          }}
        >
          {mention.by}: {mention.body}
        </MenuItem>
      ))}
      {mentions.length === 0 && (
        <MenuItem disabled onSelect={() => undefined}>
          No mentions
        </MenuItem>
      )}
      {fresh > 0 && (
        <>
          <MenuLine />
          <MenuItem onSelect={() => seen.mutate(null)}>Mark all as seen</MenuItem>
        </>
      )}
    </Menu>
  )
}
