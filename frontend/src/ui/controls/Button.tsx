/** Buttons are verbs; one primary per view at most. */
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
  /** Shows that the work is under way and refuses a second click. */
  readonly busy?: boolean
  readonly icon?: ReactNode
  readonly ref?: Ref<HTMLButtonElement>
}

/**
 * One that has the keyboard keeps it while it refuses: the browser drops the focus of a disabled
 * button to the page, and the next Tab would begin at the top. It then says aria-disabled.
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

/** A square button with a picture only; the label is what screen readers and tooltips say. */
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
