/**
 * Whether the server answers. When a request or the event stream does not reach it, its health is
 * asked for until it answers; then what failed meanwhile is asked for again, so that no screen
 * needs a reload.
 */
import type { Query, QueryClient } from '@tanstack/react-query'
import { Store, useStore } from '@/state/store'
import { asProblem } from './problem'

const ASK_MS = 2000
const FIRST_MS = 500
const PATIENCE_MS = 5000
const LOOK_MS = 10_000
/** For how long it is told that it answers again. */
const BACK_MS = 4000

/** since, until: milliseconds since the epoch. until: when it answered again; told for a moment. */
type Away = { readonly since: number; readonly until: number | null }

let timer: ReturnType<typeof setTimeout> | undefined
let suspected = 0
const away = new Store<Away | null>(null)
const waiting = new Set<() => void>()

/** Since when the server does not answer; null: it does, as far as is known. */
export function useAway(): Away | null {
  return useStore(away)
}

/** Calls `then` once when the server answers again; gives the way out. */
export function whenReached(then: () => void): () => void {
  waiting.add(then)
  suspect()
  return () => void waiting.delete(then)
}

/** Something did not reach the server: it is asked for until it answers. */
export function suspect(): void {
  if (timer !== undefined) return
  suspected = Date.now()
  timer = setTimeout(() => void ask(), FIRST_MS)
}

/** Asks for the server's health now and then, while the page is in sight; gives the way out. */
export function lookAfter(): () => void {
  const every = setInterval(() => {
    if (timer !== undefined || document.hidden) return
    void healthy().then((ok) => ok || suspect())
  }, LOOK_MS)
  return () => clearInterval(every)
}

/** Asks at once rather than in a while. */
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
  const told = away.get()
  if (told?.until === null) {
    const back = { ...told, until: Date.now() }
    away.set(back)
    setTimeout(() => away.get() === back && away.set(null), BACK_MS)
  }
  const those = [...waiting]
  waiting.clear()
  for (const then of those) then()
}

async function healthy(): Promise<boolean> {
  const signal = AbortSignal.timeout(PATIENCE_MS)
  const { ok } = await fetch('/api/health', { signal }).catch(() => ({ ok: false }))
  return ok
}

/** What a query cache does with its errors. */
export function onQueryError(client: () => QueryClient) {
  const failed = ({ state }: Query) => state.error !== null && asProblem(state.error).isUnreached
  const again = () => void client().invalidateQueries({ predicate: failed })
  return (error: unknown) => {
    if (asProblem(error).isUnreached) whenReached(again)
  }
}

/** What a mutation cache does with its errors: the person is told by the form. */
export function onMutationError(error: unknown): void {
  if (asProblem(error).isUnreached) suspect()
}
