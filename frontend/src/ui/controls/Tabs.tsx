/** Tabs; the arrow keys move between them, and 1 to 9 show one. */
import { Tabs as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { useViewKeys } from '@/state/viewKeys'
import '../styles/parts.css'

type Tab<T extends string> = {
  readonly value: T
  readonly label: ReactNode
  readonly content: ReactNode
}

export function Tabs<T extends string>({
  value,
  onChange,
  tabs,
  label,
}: {
  readonly value: T
  readonly onChange: (value: T) => void
  readonly tabs: readonly Tab<T>[]
  readonly label: string
}) {
  const names = Object.fromEntries(
    tabs.map((tab) => [tab.value, typeof tab.label === 'string' ? tab.label : tab.value]),
  ) as Record<T, string>
  useViewKeys(
    tabs.map((tab) => tab.value),
    names,
    onChange,
  )
  return (
    <Radix.Root
      className="tabs"
      value={value}
      onValueChange={(next) => onChange(next as T)}
      activationMode="manual"
    >
      <Radix.List className="tabs-list" aria-label={label}>
        {tabs.map((tab) => (
          <Radix.Trigger key={tab.value} value={tab.value} className="tab">
            {tab.label}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map((tab) => (
        <Radix.Content key={tab.value} value={tab.value} className="tab-content">
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  )
}
