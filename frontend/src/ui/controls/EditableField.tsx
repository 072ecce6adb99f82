/** A labelled field of text: one line, several lines (`rows`) or one of some `options`. */
import type { InputHTMLAttributes, ReactNode } from 'react'
import { Field } from './Field'

type Attributes = Pick<
  InputHTMLAttributes<HTMLInputElement>,
  'autoFocus' | 'disabled' | 'inputMode' | 'list' | 'placeholder' | 'readOnly' | 'aria-label'
>

type Option = readonly [value: string, label: string]

export function EditableField({
  label,
  hint,
  problem,
  value,
  onChange,
  rows,
  options,
  ...attributes
}: {
  readonly label: ReactNode
  readonly hint?: ReactNode
  readonly problem?: string | undefined
  readonly value: string
  readonly onChange: (text: string) => void
  /** When set, a text of several lines. */
  readonly rows?: number | undefined
  /** When set, a choice. */
  readonly options?: readonly Option[]
} & Attributes) {
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(ids) => {
        const shared = {
          ...ids,
          value,
          onChange: (event: { target: { value: string } }) => onChange(event.target.value),
        }
        if (options) {
          return (
            <select
              {...shared}
              className="select"
              disabled={attributes.disabled}
              aria-label={attributes['aria-label']}
            >
              {options.map(([key, name]) => (
                <option key={key} value={key}>
                  {name}
                </option>
              ))}
            </select>
          )
        }
        return rows === undefined ? (
          <input {...shared} className="input" {...attributes} />
        ) : (
          <textarea
            {...shared}
            className="textarea"
            rows={rows}
            readOnly={attributes.readOnly}
            placeholder={attributes.placeholder}
          />
        )
      }}
    </Field>
  )
}
