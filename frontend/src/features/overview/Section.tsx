/** A heading with its count and its content; no box around it. */
import { type ReactNode, useState } from 'react'
import type { Overview } from '@/api/schema'
import { Unanswered } from '@/ui/evidence/Unanswered'

/** Whether a whole part has no answer; one about a single check leaves the others. */
const isUnknown = (unanswered: readonly Overview['unanswered'][number][]) =>
  unanswered.some(({ part }) => !part.includes('/'))

export function Section({
  title,
  note,
  unanswered = [],
  children,
}: {
  readonly title: string
  readonly note?: ReactNode
  /** Questions behind this section that failed: an empty section is then no answer. */
  readonly unanswered?: readonly Overview['unanswered'][number][]
  readonly children: ReactNode
}) {
  return (
    <section className="osection">
      <header className="osection-head">
        <h2>{title}</h2>
        {note && <span className="osection-note">{note}</span>}
      </header>
      <Unanswered items={unanswered} />
      {!isUnknown(unanswered) && children}
    </section>
  )
}

/** A section that is closed until the reader opens it; its note says what is inside. */
export function FoldedSection({
  title,
  note,
  unanswered = [],
  children,
}: {
  readonly title: string
  readonly note?: ReactNode
  /** As of ``Section``; the reader sees it without opening the section. */
  readonly unanswered?: readonly Overview['unanswered'][number][]
  readonly children: ReactNode
}) {
  return (
    <details className="osection osection-folded" open={unanswered.length > 0 || undefined}>
      <summary className="osection-head">
        <h2>{title}</h2>
        {note && <span className="osection-note">{note}</span>}
      </summary>
      <Unanswered items={unanswered} />
      {!isUnknown(unanswered) && children}
    </details>
  )
}

/** One line that explains why a section is empty. */
export const Nothing = ({ children }: { readonly children: ReactNode }) => (
  <p className="osection-nothing">{children}</p>
)

/** Closed details whose content is made when they are first opened: a long list costs nothing before. */
export function LateDetails({
  className,
  summary,
  children,
}: {
  readonly className: string
  readonly summary: ReactNode
  readonly children: ReactNode
}) {
  const [opened, setOpened] = useState(false)
  return (
    <details
      className={className}
      onToggle={(event) => event.currentTarget.open && setOpened(true)}
    >
      <summary>{summary}</summary>
      {opened && children}
    </details>
  )
}
