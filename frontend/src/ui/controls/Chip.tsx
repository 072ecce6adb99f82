/** A label for a state or kind: a colour with a meaning and a mark as the second cue. */
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
  /** Overrides the mark of the tone; empty for none. */
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
