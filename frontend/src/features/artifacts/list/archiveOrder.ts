/** The order of the list: archives before their members, excluded artifacts last. */

type Node = { readonly id: string; readonly parent_id: string | null; readonly excluded: boolean }

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
    return files.every((item) => item.excluded)
  }
  return [...ordered.filter((f) => !allOut(f)), ...ordered.filter(allOut)].flat()
}
