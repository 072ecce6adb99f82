/** g, then a letter: go to a screen. Off in text fields, with modifiers, and under a dialog. */
import { useEffect } from 'react'
import { useNavigate } from 'react-router'
import { isElsewhere, singleKeysOn } from '@/state/keys'
import { sharedSearch } from '@/state/url'

const WAIT_MS = 1200

export function useGoKeys(
  base: string,
  screens: readonly { readonly path: string; readonly key: string }[],
): void {
  const navigate = useNavigate()
  useEffect(() => {
    let armed = 0
    const onKey = (event: KeyboardEvent) => {
      if (!singleKeysOn() || isElsewhere(event)) return
      if (event.key === 'g') {
        armed = event.timeStamp
        return
      }
      const screen = screens.find((item) => item.key === event.key)
      if (screen && armed && event.timeStamp - armed < WAIT_MS) {
        event.preventDefault()
        event.stopPropagation()
        void navigate(`${base}/${screen.path}${sharedSearch(window.location.search)}`)
        // The focused element leaves with the old screen: Tab continues in the new one.
        document.getElementById('canvas')?.focus({ preventScroll: true })
      }
      armed = 0
    }
    // In the capture phase, so that the screen does not act on the second key.
    window.addEventListener('keydown', onKey, true)
    return () => window.removeEventListener('keydown', onKey, true)
  }, [base, screens, navigate])
}
