/** A heading with its count and its content; no box around it. */
import type { ReactNode } from 'react'

export function Section({
  title,
  note,
  children,
}: {
  readonly title: string
  readonly note?: ReactNode
  readonly children: ReactNode
}) {
  return (
    <section className="osection">
      <header className="osection-head">
        <h2>{title}</h2>
        {note && <span className="osection-note">{note}</span>}
      </header>
      {children}
    </section>
  )
}

/** A section that is closed until the reader opens it; its note says what is inside. */
export function FoldedSection({
  title,
  note,
  children,
}: {
  readonly title: string
  readonly note?: ReactNode
  readonly children: ReactNode
}) {
  return (
    <details className="osection osection-folded">
      <summary className="osection-head">
        <h2>{title}</h2>
        {note && <span className="osection-note">{note}</span>}
      </summary>
      {children}
    </details>
  )
}

/** One line that explains why a section is empty. */
export const Nothing = ({ children }: { readonly children: ReactNode }) => (
  <p className="osection-nothing">{children}</p>
)
