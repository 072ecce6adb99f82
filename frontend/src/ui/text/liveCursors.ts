/**
 * The cursors of others for y-codemirror.next, from and to `state/presence`. It implements what that
 * library uses of a Yjs "awareness": states by client number, one of them ours, and a change event.
 */
import * as Y from 'yjs'
import { colourOf, currentPeers, setCursor, subscribe } from '@/state/presence'

type Range = { readonly anchor: Y.RelativePosition; readonly head: Y.RelativePosition }
type State = {
  readonly user: { readonly name: string; readonly color: string; readonly colorLight: string }
  readonly cursor: Range
}
type Change = {
  readonly added: number[]
  readonly updated: number[]
  readonly removed: number[]
}
type Listener = (change: Change) => void

export class Cursors {
  private states = new Map<number, State>()
  private readonly numbers = new Map<string, number>()
  private own: Range | null = null
  private readonly listeners = new Set<Listener>()
  private readonly stop: () => void

  constructor(
    readonly doc: Y.Doc,
    private readonly key: string,
  ) {
    this.stop = subscribe(() => this.refresh())
    this.refresh()
  }

  getStates(): ReadonlyMap<number, State> {
    return this.states
  }

  getLocalState(): { readonly cursor: Range | null } {
    return { cursor: this.own }
  }

  setLocalStateField(_field: 'cursor', range: Range | null): void {
    this.own = range
    setCursor(
      this.key,
      range && { anchor: JSON.stringify(range.anchor), head: JSON.stringify(range.head) },
    )
  }

  on(_event: 'change', listener: Listener): void {
    this.listeners.add(listener)
  }

  off(_event: 'change', listener: Listener): void {
    this.listeners.delete(listener)
  }

  /** Clear the cursor when the caret leaves this text. */
  leave(): void {
    this.setLocalStateField('cursor', null)
  }

  close(): void {
    this.leave()
    this.stop()
  }

  private refresh(): void {
    const before = this.states
    this.states = new Map()
    for (const peer of currentPeers()) {
      if (peer.text !== this.key || !peer.cursor) continue
      const cursor = rangeOf(peer.cursor)
      if (!cursor) continue
      const color = colourOf(peer.user_id)
      const colorLight = `color-mix(in srgb, ${color} 22%, transparent)`
      this.states.set(this.number(peer.tab), {
        user: { name: peer.name, color, colorLight },
        cursor,
      })
    }
    if (before.size === 0 && this.states.size === 0) return
    const change = {
      added: [...this.states.keys()].filter((id) => !before.has(id)),
      updated: [...this.states.keys()].filter((id) => before.has(id)),
      removed: [...before.keys()].filter((id) => !this.states.has(id)),
    }
    for (const listener of this.listeners) listener(change)
  }

  /** Return a client number for the tab, other than that of this document. */
  private number(tab: string): number {
    const known = this.numbers.get(tab) ?? -1 - this.numbers.size
    this.numbers.set(tab, known)
    return known
  }
}

function rangeOf(cursor: { readonly anchor: string; readonly head: string }): Range | null {
  try {
    return {
      anchor: Y.createRelativePositionFromJSON(JSON.parse(cursor.anchor)),
      head: Y.createRelativePositionFromJSON(JSON.parse(cursor.head)),
    }
  } catch {
    return null // not a valid position
  }
}
