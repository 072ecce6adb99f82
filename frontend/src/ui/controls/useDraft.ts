/** An unsaved edit of a value that lives elsewhere and may change meanwhile. */
import { useState } from 'react'

type Draft = {
  /** The text to show: the edit, else the current value. */
  readonly shown: string
  /** The edit; null when the field follows the server. */
  readonly typed: string | null
  readonly type: (text: string) => void
  /** Discard the edit. */
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
