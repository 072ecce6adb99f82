/** Ctrl+V anywhere on a page: text and files that are pasted outside of a field. */
import { useEffect } from 'react'
import { useLatest } from '@/state/latest'
import type { PathFile } from '@/state/uploads'

type Pasted = {
  readonly onText: (text: string) => void
  readonly onFiles: (files: PathFile[]) => void
}

/** Listen to pastes outside of text fields and dialogs while the component is mounted. */
export function usePaste(pasted: Pasted, enabled: boolean): void {
  const latest = useLatest(pasted)
  useEffect(() => {
    if (!enabled) return
    const onPaste = (event: ClipboardEvent) => {
      if (event.defaultPrevented || !event.clipboardData || isField(event.target)) return
      const files = [...event.clipboardData.files].map((file) => ({ file, path: file.name }))
      const text = event.clipboardData.getData('text/plain')
      if (text.trim()) latest.current.onText(text)
      else if (files.length > 0) latest.current.onFiles(files)
      else return
      event.preventDefault()
    }
    window.addEventListener('paste', onPaste)
    return () => window.removeEventListener('paste', onPaste)
  }, [enabled, latest])
}

function isField(target: EventTarget | null): boolean {
  const fields = 'input, textarea, select, [contenteditable="true"], [role="dialog"]'
  return target instanceof Element && target.closest(fields) !== null
}
