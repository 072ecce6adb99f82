/** Other people on the incident, without the reader's own tabs: an avatar each, a link to their screen, and "follow me". */
import { useEffect, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import type { Peer } from '@/api/events'
import { useMe } from '@/api/queries'
import { colourOf, initials, setLeading, useLeading, usePeers } from '@/state/presence'
import { Menu, MenuItem, MenuLabel, MenuLine } from '@/ui/controls/Menu'

type Screens = readonly { readonly path: string; readonly name: string }[]

const SHOWN = 5

export function Here({ screens }: { readonly screens: Screens }) {
  const peers = usePeers()
  const leading = useLeading()
  const [followed, setFollowed] = useState<string | null>(null)
  useFollow(peers.find((peer) => peer.tab === followed) ?? null)
  const own = useMe().user.id
  const people = oneTabEach(peers.filter((peer) => peer.user_id !== own))
  if (people.length === 0 && !leading) return null
  return (
    <ul className="here-list" aria-label="Who is here">
      {people.slice(0, SHOWN).map((peer) => (
        <li key={peer.tab}>
          <Person
            peer={peer}
            where={screenOf(peer.address, screens)}
            followed={peer.tab === followed}
            onFollow={(on) => setFollowed(on ? peer.tab : null)}
          />
        </li>
      ))}
      {people.length > SHOWN && <li className="faint">+{people.length - SHOWN}</li>}
    </ul>
  )
}

function Person({
  peer,
  where,
  followed,
  onFollow,
}: {
  readonly peer: Peer
  readonly where: string
  readonly followed: boolean
  readonly onFollow: (on: boolean) => void
}) {
  const navigate = useNavigate()
  const leading = useLeading()
  const colour = colourOf(peer.user_id)
  return (
    <Menu
      trigger={
        <button
          type="button"
          className="avatar"
          data-testid="avatar"
          data-follow={peer.follow || followed || undefined}
          style={{ '--avatar': colour } as React.CSSProperties}
          title={`${peer.name}: ${where}`}
          aria-label={`${peer.name} is on ${where}${peer.text ? ', writing' : ''}`}
        >
          {initials(peer.name)}
        </button>
      }
    >
      <MenuLabel>
        {peer.name} · {where}
      </MenuLabel>
      <MenuItem onSelect={() => void navigate(peer.address)}>Go there</MenuItem>
      <MenuItem onSelect={() => onFollow(!followed)}>
        {followed ? `Stop following ${peer.name}` : `Follow ${peer.name}`}
      </MenuItem>
      <MenuLine />
      <MenuItem onSelect={() => setLeading(!leading)}>
        {leading ? 'End “follow me”' : 'Ask the others to follow me'}
      </MenuItem>
    </Menu>
  )
}

/** Navigate to the screen of the followed person. */
function useFollow(peer: Peer | null): void {
  const navigate = useNavigate()
  const { pathname, search } = useLocation()
  const address = peer?.address
  useEffect(() => {
    if (address && address !== pathname + search) void navigate(address)
    // Only their moves trigger: the follower may navigate freely in between.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [address, navigate])
}

/** Keep one tab per person: the one being written in, else the most recent. */
function oneTabEach(peers: readonly Peer[]): readonly Peer[] {
  const people = new Map<string, Peer>()
  for (const peer of peers) {
    const known = people.get(peer.user_id)
    if (!known || (peer.text && !known.text)) people.set(peer.user_id, peer)
  }
  return [...people.values()]
}

function screenOf(address: string, screens: Screens): string {
  const path = address.split(/[/?]/)[3]
  return screens.find((screen) => screen.path === path)?.name ?? 'this incident'
}
