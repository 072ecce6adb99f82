/** A button that copies a text and confirms it for a moment. */
import { useEffect, useState } from 'react'
import { Button } from './Button'
import { CheckIcon, CopyIcon } from './icons'

export function CopyButton({
  text,
  children = 'Copy',
}: {
  readonly text: string | (() => string)
  readonly children?: string
}) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 1500)
    return () => clearTimeout(timer)
  }, [copied])
  return (
    <Button
      size="small"
      icon={copied ? <CheckIcon size={14} /> : <CopyIcon size={14} />}
      onClick={() => {
        void copyText(typeof text === 'function' ? text() : text).then(setCopied)
      }}
    >
      <span aria-live="polite">{copied ? 'Copied' : children}</span>
    </Button>
  )
}

/** Copy a text to the clipboard, also without https; return whether it worked. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    const area = document.createElement('textarea')
    area.value = text
    document.body.append(area)
    area.select()
    const done = document.execCommand('copy')
    area.remove()
    return done
  }
}
