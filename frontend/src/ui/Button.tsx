/** Buttons are verbs; one primary per view at most. */
import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react'
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
  ...rest
}: Props) {
  return (
    <button
      type={type}
      className={cx('btn', `btn-${variant}`, size === 'small' && 'btn-small', className)}
      aria-pressed={pressed}
      aria-busy={busy || undefined}
      disabled={disabled === true || busy}
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
