/**
 * Whether the server answers. When a request does not reach it, its health is asked for until it
 * answers; then what failed meanwhile is asked for again, so that no screen needs a reload.
 */
import type { QueryClient } from '@tanstack/react-query'
import { asProblem } from './problem'

const ASK_MS = 2000
const FIRST_MS = 500

let timer: ReturnType<typeof setTimeout> | undefined
const waiting = new Set<() => void>()

/** Calls `then` once when the server answers again; gives the way out. */
export function whenReached(then: () => void): () => void {
  waiting.add(then)
  timer ??= setTimeout(() => void ask(), FIRST_MS)
  return () => void waiting.delete(then)
}

async function ask(): Promise<void> {
  const { ok } = await fetch('/api/health').catch(() => ({ ok: false }))
  if (!ok) {
    timer = setTimeout(() => void ask(), ASK_MS)
    return
  }
  timer = undefined
  const told = [...waiting]
  waiting.clear()
  for (const then of told) then()
}

/** What a query cache does with its errors. */
export function onQueryError(client: () => QueryClient) {
  const again = () =>
    void client().invalidateQueries({
      predicate: ({ state }) => state.error !== null && asProblem(state.error).isUnreached,
    })
  return (error: unknown) => {
    if (asProblem(error).isUnreached) whenReached(again)
  }
}
