/**
 * View state in the URL. Changes made in one turn of the event loop become one navigation, so that two
 * setters in a handler do not overwrite each other. Hover state does not belong here.
 */
import { useCallback, useEffect, useMemo } from 'react'
import { useLocation, useNavigate } from 'react-router'

export type Codec<T> = {
  readonly read: (values: readonly string[]) => T | undefined
  readonly write: (value: T) => readonly string[]
}

export const text: Codec<string> = { read: ([v]) => v, write: (v) => (v === '' ? [] : [v]) }
export const number: Codec<number> = {
  read: ([v]) =>
    v === undefined || v === '' || !Number.isFinite(Number(v)) ? undefined : Number(v),
  write: (v) => [String(v)],
}
export const flag: Codec<boolean> = {
  read: ([v]) => (v === undefined ? undefined : v === '1'),
  write: (v) => [v ? '1' : '0'],
}
/** Repeated keys: ?series=a&series=b */
export const list: Codec<readonly string[]> = {
  read: (values) => (values.length ? values : undefined),
  write: (values) => values,
}
/** Build the codec of a fixed set of words; any other value counts as absent. */
export function oneOf<T extends string>(words: readonly T[]): Codec<T> {
  return { read: ([v]) => words.find((word) => word === v), write: (v) => [v] }
}

/** A key of the address: its name, codec and the value when it is absent. */
export type UrlKey<T> = readonly [key: string, codec: Codec<T>, fallback: T]

/** Read a key of the address outside of a component. */
export const readUrl = <T>(params: URLSearchParams, [key, codec, fallback]: UrlKey<T>): T =>
  codec.read(params.getAll(key)) ?? fallback

type SetOptions = { readonly push?: boolean }

/**
 * Return a key of the URL as state with its setter. The fallback is not written to the address; null
 * removes the key. Replaces the history entry unless `push` is set.
 */
export function useUrlState<T>(
  key: string,
  codec: Codec<T>,
  fallback: T,
): [T, (next: T | null, options?: SetOptions) => void] {
  const { search } = useLocation()
  const change = useUrlChange()
  const raw = useMemo(() => new URLSearchParams(search).getAll(key).join('\u0000'), [search, key])
  const value = useMemo(
    () => codec.read(raw === '' ? [] : raw.split('\u0000')) ?? fallback,
    // The codec and the fallback are constants of the caller.
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [raw],
  )
  const set = useCallback(
    (next: T | null, options?: SetOptions) => {
      const plain = next === null || JSON.stringify(next) === JSON.stringify(fallback)
      change({ [key]: plain ? [] : codec.write(next) }, options)
    },
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [change, key],
  )
  return [value, set]
}

type Patch = Readonly<Record<string, readonly string[]>>

/** Return a function that changes several keys at once; an empty list removes the key. */
export function useUrlChange(): (patch: Patch, options?: SetOptions) => void {
  const navigate = useNavigate()
  return useCallback(
    (patch, options) => {
      if (!pending) {
        const { pathname, search, hash } = window.location
        const batch = { pathname, hash, params: new URLSearchParams(search), push: false }
        pending = batch
        queueMicrotask(() => {
          pending = null
          if (window.location.pathname !== batch.pathname) return // left the screen meanwhile
          const next = batch.params.toString()
          if (`?${next}` === window.location.search || (!next && !window.location.search)) return
          void navigate(
            { pathname: batch.pathname, search: next ? `?${next}` : '', hash: batch.hash },
            { replace: !batch.push, preventScrollReset: true },
          )
        })
      }
      for (const [key, values] of Object.entries(patch)) {
        pending.params.delete(key)
        for (const value of values) pending.params.append(key, value)
      }
      if (options?.push) pending.push = true
    },
    [navigate],
  )
}

let pending: {
  pathname: string
  hash: string
  params: URLSearchParams
  push: boolean
} | null = null

let standing: Readonly<Record<string, string | null>> = {}

/**
 * Register the current defaults of keys that the address omits, such as the worst moment. The next
 * upload may change a default, so links and pins write these values out.
 */
export function useResolvedDefaults(values: Readonly<Record<string, string | null>>): void {
  useEffect(() => {
    standing = values
    return () => {
      standing = {}
    }
  })
}

/** Return path and query of exactly this view: with the resolved defaults and `extra`. */
export function exactAddress(extra: Readonly<Record<string, string>> = {}): string {
  const { pathname, search } = window.location
  const params = new URLSearchParams(search)
  for (const [key, value] of Object.entries(standing)) {
    if (value !== null && !params.has(key)) params.set(key, value)
  }
  for (const [key, value] of Object.entries(extra)) params.set(key, value)
  const written = params.toString()
  return written ? `${pathname}?${written}` : pathname
}

/** Keys that every screen of an incident shares; links between screens keep them. */
const SHARED_KEYS = ['start', 'end', 'tz', 'stall'] as const

/** Build the query string of a link to another screen, with the shared keys and `extra`. */
export function sharedSearch(search: string, extra: Readonly<Record<string, string>> = {}): string {
  const now = new URLSearchParams(search)
  const next = new URLSearchParams()
  for (const key of SHARED_KEYS) {
    const value = now.get(key)
    if (value !== null) next.set(key, value)
  }
  for (const [key, value] of Object.entries(extra)) next.set(key, value)
  const written = next.toString()
  return written ? `?${written}` : ''
}
