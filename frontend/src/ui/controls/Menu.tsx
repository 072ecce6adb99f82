/** A menu behind a button. */
import { DropdownMenu as Radix, Slot } from 'radix-ui'
import { type ReactNode, useState } from 'react'
import '../styles/parts.css'

export function Menu({
  trigger,
  children,
  align = 'end',
  lazy = false,
}: {
  /** A Button; it receives the aria attributes of the menu. */
  readonly trigger: ReactNode
  readonly children: ReactNode
  readonly align?: 'start' | 'end'
  /** Render a plain button until the first click: for menus in each of many rows. */
  readonly lazy?: boolean
}) {
  const [opened, setOpened] = useState(!lazy)
  if (!opened) {
    return (
      <Slot.Root
        aria-haspopup="menu"
        aria-expanded={false}
        onClick={() => setOpened(true)}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown') return
          event.preventDefault()
          setOpened(true)
        }}
      >
        {trigger}
      </Slot.Root>
    )
  }
  return (
    <Radix.Root modal={false} defaultOpen={lazy}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        {/* All content belongs to a landmark, overlays included. */}
        <div role="region" aria-label="Menu">
          <Radix.Content className="menu" align={align} sideOffset={4} collisionPadding={8}>
            {children}
          </Radix.Content>
        </div>
      </Radix.Portal>
    </Radix.Root>
  )
}

export function MenuItem({
  onSelect,
  disabled = false,
  danger = false,
  hint,
  children,
}: {
  readonly onSelect: () => void
  readonly disabled?: boolean
  readonly danger?: boolean
  readonly hint?: ReactNode
  readonly children: ReactNode
}) {
  return (
    <Radix.Item
      className={danger ? 'menu-item menu-danger' : 'menu-item'}
      disabled={disabled}
      onSelect={onSelect}
    >
      <span className="ellipsis">{children}</span>
      {hint && <span className="menu-hint">{hint}</span>}
    </Radix.Item>
  )
}

/** A menu item that is on or off. */
export function MenuToggle({
  on,
  onToggle,
  children,
}: {
  readonly on: boolean
  readonly onToggle: () => void
  readonly children: ReactNode
}) {
  return (
    <Radix.CheckboxItem className="menu-item menu-choice" checked={on} onCheckedChange={onToggle}>
      <Radix.ItemIndicator className="menu-mark">●</Radix.ItemIndicator>
      <span className="ellipsis">{children}</span>
    </Radix.CheckboxItem>
  )
}

/** A group of menu items of which one is chosen. */
export function MenuChoice<T extends string>({
  value,
  onChange,
  options,
}: {
  readonly value: T
  readonly onChange: (value: T) => void
  readonly options: readonly {
    readonly value: T
    readonly label: ReactNode
    readonly hint?: ReactNode
    readonly disabled?: boolean
  }[]
}) {
  return (
    <Radix.RadioGroup value={value} onValueChange={(next) => onChange(next as T)}>
      {options.map((option) => (
        <Radix.RadioItem
          key={option.value}
          value={option.value}
          disabled={option.disabled ?? false}
          className="menu-item menu-choice"
        >
          <Radix.ItemIndicator className="menu-mark">●</Radix.ItemIndicator>
          <span className="ellipsis">{option.label}</span>
          {option.hint && <span className="menu-hint">{option.hint}</span>}
        </Radix.RadioItem>
      ))}
    </Radix.RadioGroup>
  )
}

export const MenuLine = () => <Radix.Separator className="menu-line" />
export const MenuLabel = ({ children }: { readonly children: ReactNode }) => (
  <Radix.Label className="menu-label">{children}</Radix.Label>
)
