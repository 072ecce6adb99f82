/** The colours of the classes of time: the same class has the same colour wherever that is possible. */

/** A class's usual colour: green works, amber waits for a latch or a lock, vermilion for a row. */
const USUAL: Readonly<Record<string, string>> = {
  working: 'var(--cat-3)',
  row_lock: 'var(--cat-6)',
  metadata_lock: 'var(--cat-2)',
  table_lock: 'var(--cat-7)',
  global_lock: 'var(--cat-7)',
  user_lock: 'var(--cat-4)',
  latch: 'var(--cat-2)',
  commit_queue: 'var(--cat-1)',
  log_flush: 'var(--cat-4)',
  data_read: 'var(--cat-7)',
  data_write: 'var(--cat-7)',
  redo_space: 'var(--cat-5)',
  throttled: 'var(--cat-4)',
  replication: 'var(--cat-1)',
  client: 'var(--cat-5)',
}
const OTHER = 'var(--cat-other)'
const ALL = [2, 6, 1, 4, 5, 7, 3].map((number) => `var(--cat-${number})`)

/** Give each class a colour; no two large classes share one while seven suffice. */
export function classColours(
  classes: readonly { readonly id: string; readonly share: number }[],
): Map<string, string> {
  const colours = new Map<string, string>()
  const taken = new Set<string>()
  for (const { id } of [...classes].sort((a, b) => b.share - a.share)) {
    const usual = USUAL[id]
    const free = usual && taken.has(usual) ? ALL.find((colour) => !taken.has(colour)) : usual
    const colour = free ?? OTHER
    colours.set(id, colour)
    taken.add(colour)
  }
  return colours
}
