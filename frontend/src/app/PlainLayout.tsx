/** The frame of the pages outside of an incident. */
import { Outlet } from 'react-router'
import { UndoToast } from '@/ui/history/undo'
import { PlainTopBar } from './TopBar'
import './shell.css'

export function PlainLayout() {
  return (
    <div className="shell-plain">
      <PlainTopBar />
      <main id="canvas">
        <Outlet />
      </main>
      <UndoToast />
    </div>
  )
}
