/** The frame of the pages outside of an incident. */
import { Outlet } from 'react-router'
import { useKeptFocus, useLandingFocus } from '@/state/keptFocus'
import { UndoToast } from '@/ui/history/undo'
import { PlainTopBar } from './TopBar'
import './shell.css'

export function PlainLayout() {
  useKeptFocus('canvas')
  useLandingFocus('canvas')
  return (
    <div className="shell-plain">
      <PlainTopBar />
      <main id="canvas" tabIndex={-1}>
        <Outlet />
      </main>
      <UndoToast />
    </div>
  )
}
