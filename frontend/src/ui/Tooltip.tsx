/** A short explanation at a control; never the only place of something needed. */
import { Tooltip as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import './parts.css'

export const TooltipProvider = ({ children }: { readonly children: ReactNode }) => (
  <Radix.Provider delayDuration={350}>{children}</Radix.Provider>
)

export function Tooltip({
  text,
  side = 'top',
  children,
}: {
  readonly text: ReactNode
  readonly side?: 'top' | 'right' | 'bottom' | 'left'
  readonly children: ReactNode
}) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content className="tooltip" side={side} sideOffset={6} collisionPadding={8}>
          {text}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
