import '@fontsource-variable/inter'
import '@fontsource/jetbrains-mono/400.css'
import '@fontsource/jetbrains-mono/600.css'
import './ui/styles/tokens.css'
import './ui/styles/base.css'
import { StrictMode } from 'react'
import { setNonce } from 'get-nonce'
import { createRoot } from 'react-dom/client'
import { App } from './app/App'
import { cspNonce } from './ui/cspNonce'

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')
if (cspNonce) setNonce(cspNonce) // for the style elements of dialogs and menus
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
