import { Link } from 'wouter'

interface SubNavParts {
  label: string
  places: { path: string; label: string; current: boolean }[]
}

/** The parts of a page, side by side. */
export const SubNav = ({ label, places }: SubNavParts) => (
  <nav className="subnav" aria-label={label} ref={showCurrent}>
    {places.map(({ path, label, current }) => (
      <Link key={path} href={path} aria-current={current ? 'page' : undefined}>
        {label}
      </Link>
    ))}
  </nav>
)

/** On a narrow screen the part that is shown may lie beyond the edge; the first one does not, and a page that begins with it is not measured while it is made. */
function showCurrent(nav: HTMLElement | null) {
  const current = nav?.querySelector<HTMLElement>('[aria-current=page]')
  if (nav && current && current !== nav.firstElementChild)
    nav.scrollLeft = current.offsetLeft - nav.clientWidth / 2 + current.clientWidth / 2
}
