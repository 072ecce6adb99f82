/** A small word with a meaning colour and a second cue (its mark), for states and kinds. */
import type { ReactNode } from 'react'
import { cx } from './cx'
import '../styles/parts.css'

export type Tone = 'plain' | 'waiting' | 'holding' | 'running' | 'idle' | 'accent'

const MARK: Record<Tone, string> = {
  plain: '',
  waiting: '◔',
  holding: '■',
  running: '●',
  idle: '○',
  accent: '◆',
}

export function Chip({
  tone = 'plain',
  mark,
  title,
  children,
}: {
  readonly tone?: Tone
  /** Another mark than the tone's own; empty for none. */
  readonly mark?: string
  readonly title?: string
  readonly children: ReactNode
}) {
  const shown = mark ?? MARK[tone]
  return (
    <span className={cx('chip', `chip-${tone}`)} title={title}>
      {shown && (
        <span className="chip-mark" aria-hidden="true">
          {shown}
        </span>
      )}
      {children}
    </span>
  )
}
