/** The order of the list: archives before their members, excluded artifacts last. */
import type { Artifact } from '@/api/schema'

type Node = Pick<Artifact, 'id' | 'parent_id' | 'excluded' | 'state'>

/** Whether the analysis leaves the artifact out: a person excluded it, or it belongs to an experiment. */
export const isExcluded = ({ excluded, state }: Pick<Node, 'excluded' | 'state'>) =>
  excluded || state === 'excluded'

export function orderByArchive<T extends Node>(items: readonly T[]): T[] {
  const here = new Set(items.map((item) => item.id))
  const children = new Map<string | null, T[]>()
  for (const item of items) {
    const parent = item.parent_id !== null && here.has(item.parent_id) ? item.parent_id : null
    const list = children.get(parent)
    if (list) list.push(item)
    else children.set(parent, [item])
  }
  const under = (parent: string | null): T[] =>
    (children.get(parent) ?? []).flatMap((item) => [item, ...under(item.id)])
  const ordered = (children.get(null) ?? []).map((root) => [root, ...under(root.id)])
  const allOut = (family: readonly T[]) => {
    const files = family.filter((item) => !children.has(item.id))
    return files.every(isExcluded)
  }
  return [...ordered.filter((f) => !allOut(f)), ...ordered.filter(allOut)].flat()
}
