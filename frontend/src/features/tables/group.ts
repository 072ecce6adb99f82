/** The groups of sessions: their address and their name. */
import type { Processlist } from '@/api/schema'

const NONE: Readonly<Record<Processlist['by'], string>> = {
  digest: 'no statement',
  state: 'no state',
  user: 'no user',
  client: 'no client',
  db: 'no schema',
  command: 'no command',
}

type Group = { readonly key: string | null }

/** "=" before the key, because the empty key is a group too. */
export const groupKey = (group: Group) => `=${group.key ?? ''}`

export const groupName = (group: Group, by: Processlist['by']) => group.key || NONE[by]
