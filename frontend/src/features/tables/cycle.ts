/** A description of a deadlock in words. */
import type { DeadlockOut } from '@/api/schema'

/** Describe the deadlock in sentences, for screen readers and for copying. */
export function cycleText(deadlock: Pick<DeadlockOut, 'transactions' | 'edges'>): string[] {
  const trx = new Map(deadlock.transactions.map((transaction) => [transaction.number, transaction]))
  const name = (number: number) => {
    const item = trx.get(number)
    return `(${number}) transaction ${item?.trx_id ?? '?'}${item?.session_id != null ? ` of session ${item.session_id}` : ''}`
  }
  const lines = deadlock.edges.map(
    (edge) =>
      `${name(edge.waiter)} waits for ${edge.lock}, ` +
      (edge.held
        ? `held by ${name(edge.holder)} as ${edge.held}.`
        : `held by ${name(edge.holder)}, inferred from the order of the dump.`),
  )
  const victim = deadlock.transactions.find((transaction) => transaction.victim)
  return [
    ...lines,
    victim
      ? `The server rolled back ${name(victim.number)}.`
      : 'Rolled back transaction unknown: the dump is cut off.',
  ]
}
