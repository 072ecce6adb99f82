/** Playing through the moments: one after the other, never faster than they arrive. */
import { useEffect, useState } from 'react'

export const SPEEDS = [1, 2, 4] as const
export type Speed = (typeof SPEEDS)[number]

export function usePlay(
  next: string | null,
  /** The shown moment has arrived. */
  ready: boolean,
  onGo: (time: string) => void,
): {
  playing: boolean
  setPlaying: (on: boolean) => void
  speed: Speed
  setSpeed: (speed: Speed) => void
} {
  const [wanted, setPlaying] = useState(false)
  const [speed, setSpeed] = useState<Speed>(2)
  const playing = wanted && next !== null
  useEffect(() => {
    if (!playing || !ready || next === null) return
    const timer = setTimeout(() => onGo(next), 1000 / speed)
    return () => clearTimeout(timer)
  }, [playing, ready, next, speed, onGo])
  return { playing, setPlaying, speed, setSpeed }
}
