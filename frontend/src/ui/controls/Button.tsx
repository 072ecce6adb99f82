/** Buttons. Labels are verbs; a view has at most one primary button. */
import {
  type ButtonHTMLAttributes,
  type FocusEvent,
  type MouseEvent,
  type ReactNode,
  type Ref,
  useState,
} from 'react'
import { cx } from './cx'
import './button.css'

type Props = ButtonHTMLAttributes<HTMLButtonElement> & {
  readonly variant?: 'plain' | 'primary' | 'ghost' | 'danger'
  readonly size?: 'small' | 'normal'
  /** Pressed state of a toggle; leave out for a plain button. */
  readonly pressed?: boolean
  /** Shows progress and ignores further clicks. */
  readonly busy?: boolean
  readonly icon?: ReactNode
  readonly ref?: Ref<HTMLButtonElement>
}

/**
 * A button. A busy button uses aria-disabled and keeps the focus: the browser moves the focus of a
 * disabled button to the page, and the next Tab would start at the top.
 */
export function Button({
  variant = 'plain',
  size = 'normal',
  pressed,
  busy = false,
  icon,
  className,
  disabled,
  children,
  type = 'button',
  onClick,
  onFocus,
  onBlur,
  ...rest
}: Props) {
  const [focused, setFocused] = useState(false)
  const refuses = disabled === true || busy
  return (
    <button
      type={type}
      className={cx('btn', `btn-${variant}`, size === 'small' && 'btn-small', className)}
      aria-pressed={pressed}
      aria-busy={busy || undefined}
      disabled={refuses && !focused}
      aria-disabled={refuses || undefined}
      onClick={(event: MouseEvent<HTMLButtonElement>) => {
        if (refuses) event.preventDefault()
        else onClick?.(event)
      }}
      onFocus={(event: FocusEvent<HTMLButtonElement>) => {
        setFocused(true)
        onFocus?.(event)
      }}
      onBlur={(event: FocusEvent<HTMLButtonElement>) => {
        setFocused(false)
        onBlur?.(event)
      }}
      {...rest}
    >
      {icon}
      {children}
    </button>
  )
}

/** A square button with only an icon; the label is for screen readers and the tooltip. */
export function IconButton({ label, className, ...rest }: Props & { readonly label: string }) {
  return (
    <Button
      variant="ghost"
      aria-label={label}
      title={label}
      className={cx('btn-icon', className)}
      {...rest}
    />
  )
}
