/**
 * Reachability of the server. When a request or the event stream fails to reach it, its health is
 * polled until it responds; then failed queries are fetched again, so that no screen needs a reload.
 */
import type { Query, QueryClient } from '@tanstack/react-query'
import { Store, useStore } from '@/state/store'
import { asProblem } from './problem'

const ASK_MS = 2000
const FIRST_MS = 500
const PATIENCE_MS = 5000
const LOOK_MS = 10_000
/** How long the page shows that the server responds again. */
const BACK_MS = 4000

/** An outage, in milliseconds since the epoch; `until` is set for a moment after it ends. */
type Away = { readonly since: number; readonly until: number | null }

let timer: ReturnType<typeof setTimeout> | undefined
let suspected = 0
const away = new Store<Away | null>(null)
const waiting = new Set<() => void>()

/** Return the current outage; null when the server responds, as far as is known. */
export function useAway(): Away | null {
  return useStore(away)
}

/** Call `then` once when the server responds again; return the function that cancels it. */
export function whenReached(then: () => void): () => void {
  waiting.add(then)
  suspect()
  return () => void waiting.delete(then)
}

/** Start polling the health of the server after a failed request, until it responds. */
export function suspect(): void {
  if (timer !== undefined) return
  suspected = Date.now()
  timer = setTimeout(() => void ask(), FIRST_MS)
}

/** Check the health of the server regularly while the page is visible; return the function that stops. */
export function lookAfter(): () => void {
  const every = setInterval(() => {
    if (timer !== undefined || document.hidden) return
    void healthy().then((ok) => ok || suspect())
  }, LOOK_MS)
  return () => clearInterval(every)
}

/** Check the health of the server now instead of after the usual delay. */
export function askNow(): void {
  if (timer === undefined) return
  clearTimeout(timer)
  void ask()
}

async function ask(): Promise<void> {
  if (!(await healthy())) {
    if (away.get()?.until !== null) away.set({ since: suspected, until: null })
    timer = setTimeout(() => void ask(), ASK_MS)
    return
  }
  timer = undefined
  const outage = away.get()
  if (outage?.until === null) {
    const back = { ...outage, until: Date.now() }
    away.set(back)
    setTimeout(() => away.get() === back && away.set(null), BACK_MS)
  }
  const callbacks = [...waiting]
  waiting.clear()
  for (const then of callbacks) then()
}

async function healthy(): Promise<boolean> {
  const signal = AbortSignal.timeout(PATIENCE_MS)
  const { ok } = await fetch('/api/health', { signal }).catch(() => ({ ok: false }))
  return ok
}

/** Build the error handler of the query cache: refetch unreached queries when the server responds. */
export function onQueryError(client: () => QueryClient) {
  const failed = ({ state }: Query) => state.error !== null && asProblem(state.error).isUnreached
  const again = () => void client().invalidateQueries({ predicate: failed })
  return (error: unknown) => {
    if (asProblem(error).isUnreached) whenReached(again)
  }
}

/** Handle an error of the mutation cache: check the server; the form itself shows the error. */
export function onMutationError(error: unknown): void {
  if (asProblem(error).isUnreached) suspect()
}
