/**
 * The technical terms that screens explain, as data: one sentence each, shown by `<Term>`. The words are
 * those of docs/reference/glossary.md.
 */
export const TERMS = {
  stall:
    'The time in which the server made no normal progress: sessions piled up, were refused or slowed down.',
  onset: 'The moment at which the stall began.',
  peak: 'The highest value inside the stall.',
  baseline: 'The time before the stall with which its values are compared.',
  'root blocker':
    'What blocks others and is not blocked itself: a session, a transaction, a lock or a latch.',
  'session time':
    'Added over all active sessions: ten sessions that wait for one second are ten seconds.',
  'thread-seconds': 'The time that threads were blocked, added over all of them.',
  latch:
    'A short protection of a structure in memory, a mutex or a read-write latch. Transactions do not hold it.',
  coverage:
    'The share of the cells that somebody has rated: where it is low, a score looks better than it is.',
  credibility:
    'How far the source of this evidence can be trusted; it multiplies the weight of the row.',
  relevance: 'How much this evidence says about the question; it multiplies the weight of the row.',
  'diagnostic value':
    'How far the ratings of a row differ between the hypotheses: 0 tells them apart not at all, 2 the most.',
  contradicted: 'The weighted sum of the evidence that contradicts a hypothesis: lower is better.',
  confidence: 'How likely people think the hypothesis is; independent of the ratings.',
  'clock offset':
    'How far the clock of a source is from the reference; added to its times before they are compared.',
  trunk: 'The frames with which nearly all stacks begin, such as the start of a thread.',
  pin: 'Evidence that somebody chose: it keeps its value and leads to the raw lines.',
  capture:
    'A time in which one host was observed closely enough to judge it, such as one pt-stalk trigger.',
} as const

export type TermName = keyof typeof TERMS

/** The classes of session time, by their id in the analysis. */
export const CLASSES: Readonly<Record<string, string>> = {
  working: 'Sessions that execute: on a CPU or ready to run.',
  row_lock: 'Sessions that wait until another transaction releases a row, a gap or a table.',
  metadata_lock:
    'Sessions that wait for the lock on the definition of a table, often behind a DDL statement.',
  table_lock: 'Sessions that wait for a lock on a whole table.',
  global_lock: 'Sessions that wait for the global read lock or the backup lock.',
  user_lock: 'Sessions that wait for a lock by name, from GET_LOCK().',
  latch: TERMS.latch,
  commit_queue:
    'Sessions whose commit waits for the commits before it: the binary log and the engine commit in order.',
  log_flush: 'Sessions that wait until the redo log is written to the disk.',
  data_read: 'Sessions that wait until pages are read from the disk.',
  data_write:
    'Sessions that wait until pages are written, or until a page of the buffer pool is free.',
  redo_space: 'Sessions that wait for space in the redo log: the checkpoint is too far behind.',
  throttled: 'Sessions that wait for a slot, such as innodb_thread_concurrency or a thread pool.',
  replication: 'Sessions that wait for a replica, or apply what a source sends.',
  client: 'Sessions that wait for the client or the network to read or send.',
  unknown: 'Active sessions whose wait no file of this capture names.',
}
