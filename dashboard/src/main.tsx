import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App, makeReady } from './app.tsx'
import { queries } from './queries.ts'
import { SessionAround } from './session.tsx'
import { theme } from './theme.ts'
import { Toasts } from './ui/toasts.tsx'
import { WhyLayer } from './ui/WhyLayer.tsx'

const nonce = document.querySelector('meta[name="csp-nonce"]')?.getAttribute('content') ?? ''
// What keeps the page from scrolling under a dialog writes a style of its own, and asks here.
Object.assign(globalThis, { __webpack_nonce__: nonce })

const root = document.getElementById('app')
if (root)
  createRoot(root).render(
    <StrictMode>
      <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => nonce}>
        <QueryClientProvider client={queries}>
          <SessionAround ready={makeReady}>
            <Toasts>
              <App />
              <WhyLayer />
            </Toasts>
          </SessionAround>
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  )
