/** The frame of the pages before an incident is open: the name of the program and one form. */
import type { ReactNode } from 'react'
import './signin.css'

export function SigninPanel({ children }: { readonly children: ReactNode }) {
  return (
    <main className="signin">
      <div className="signin-panel">
        <header>
          <h1>Pileup</h1>
          <p className="muted">Postmortems of database pileups, from the raw capture up.</p>
        </header>
        {children}
      </div>
    </main>
  )
}
