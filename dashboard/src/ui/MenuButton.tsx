import { cloneElement, type HTMLAttributes, type ReactElement, type ReactNode, type RefAttributes, Suspense, useState } from 'react'

type MenusButton = ReactElement<HTMLAttributes<HTMLButtonElement> & RefAttributes<HTMLButtonElement>>
export interface MenuParts {
  button: MenusButton
}

/** A button whose menu is loaded when it is first wanted, and then opens. */
export function MenuButton({ menu, children }: { menu: (button: MenusButton) => ReactNode; children: MenusButton }) {
  const [wanted, setWanted] = useState(false)
  const closed = cloneElement(children, { 'aria-haspopup': 'menu', 'aria-expanded': false, onClick: () => setWanted(true) })
  if (!wanted) return closed
  return <Suspense fallback={closed}>{menu(children)}</Suspense>
}
