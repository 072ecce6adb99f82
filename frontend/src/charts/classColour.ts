/** The colours of the classes of time: a class has the same colour on every screen and in every incident. */

/** Green works, amber waits for a latch, reds wait for rows and tables, blues for commits and pages. */
const COLOURS: Readonly<Record<string, string>> = {
  working: 'var(--cat-3)',
  row_lock: 'var(--cat-6)',
  metadata_lock: 'var(--cat-10)',
  table_lock: 'var(--cat-8)',
  global_lock: 'var(--cat-9)',
  user_lock: 'var(--cat-11)',
  latch: 'var(--cat-2)',
  commit_queue: 'var(--cat-1)',
  log_flush: 'var(--cat-4)',
  data_read: 'var(--cat-7)',
  data_write: 'var(--cat-5)',
  redo_space: 'var(--cat-12)',
  throttled: 'var(--cat-13)',
  replication: 'var(--cat-14)',
  client: 'var(--cat-15)',
}

/** Return the colour of a class by its id; what no file names is grey. */
export const classColour = (id: string): string => COLOURS[id] ?? 'var(--cat-other)'
