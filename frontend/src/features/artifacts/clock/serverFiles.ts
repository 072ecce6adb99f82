/** Files grouped by server, and the moves that restore what people had set. */
import type { Artifact } from '@/api/schema'
import type { HostMove } from '../queries'

interface ServerFiles {
  readonly host: string | null
  readonly items: readonly Artifact[]
}

/** Group artifacts by host: servers by name, files without one last. */
export function byServer(artifacts: readonly Artifact[]): ServerFiles[] {
  const groups = new Map<string | null, Artifact[]>()
  for (const item of artifacts) {
    const group = groups.get(item.host)
    if (group) group.push(item)
    else groups.set(item.host, [item])
  }
  return [...groups]
    .map(([host, items]) => ({ host, items }))
    .sort((a, b) => (a.host ?? '\uffff').localeCompare(b.host ?? '\uffff'))
}

/** Return the moves that give artifacts back the hosts that people had set, if any. */
export function undoOf(artifacts: readonly Artifact[], ids: readonly string[]): HostMove[] {
  const before = new Map<string | null, string[]>()
  for (const item of artifacts) {
    if (!ids.includes(item.id)) continue
    before.set(item.given_host, [...(before.get(item.given_host) ?? []), item.id])
  }
  return [...before].map(([host, of]) => ({ ids: of, host }))
}
