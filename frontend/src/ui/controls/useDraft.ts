/** What somebody types over a value that stands elsewhere and may change meanwhile. */
import { useState } from 'react'

type Draft = {
  /** What the field shows: what was typed, else the value as it is now. */
  readonly shown: string
  /** Null: nobody typed here, the field follows the server. */
  readonly typed: string | null
  readonly type: (text: string) => void
  /** Show the server's value again. */
  readonly drop: () => void
}

export function useDraft(value: string): Draft {
  const [typed, setTyped] = useState<string | null>(null)
  return {
    shown: typed ?? value,
    typed: typed === value ? null : typed,
    type: setTyped,
    drop: () => setTyped(null),
  }
}
