import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode, startTransition } from 'react'
import { createRoot } from 'react-dom/client'
import { App, makeReady } from './app.tsx'
import { Look } from './look.tsx'
import { queries } from './queries.ts'
import { SessionAround } from './session.tsx'
import { Toasts } from './ui/toasts.tsx'
import { WhyLayer } from './ui/WhyLayer.tsx'

const nonce = document.querySelector('meta[name="csp-nonce"]')?.getAttribute('content') ?? ''
// What keeps the page from scrolling under a dialog writes a style of its own, and asks here.
Object.assign(globalThis, { __webpack_nonce__: nonce })

const page = (
  <StrictMode>
    <Look nonce={nonce}>
      <QueryClientProvider client={queries}>
        <SessionAround ready={makeReady}>
          <Toasts>
            <App />
            <WhyLayer />
          </Toasts>
        </SessionAround>
      </QueryClientProvider>
    </Look>
  </StrictMode>
)
const root = document.getElementById('app')
// Drawn in steps that let a finger or a key come between.
if (root) startTransition(() => createRoot(root).render(page))
