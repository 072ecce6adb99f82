/** A labelled form control with its hint or its problem. */
import { type ReactNode, useId } from 'react'
import '../styles/parts.css'

export function Field({
  label,
  hint,
  problem,
  children,
}: {
  readonly label: ReactNode
  readonly hint?: ReactNode
  readonly problem?: string | undefined
  /** Receives the ids that connect it to the label and the hint. */
  readonly children: (ids: {
    readonly id: string
    readonly 'aria-describedby': string | undefined
    readonly 'aria-invalid': true | undefined
  }) => ReactNode
}) {
  const id = useId()
  const message = problem ?? hint
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        'aria-describedby': message ? `${id}-hint` : undefined,
        'aria-invalid': problem ? true : undefined,
      })}
      {message && (
        <div id={`${id}-hint`} className={problem ? 'field-problem' : 'field-hint'}>
          {message}
        </div>
      )}
    </div>
  )
}
