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

/** On a narrow screen the part that is shown may lie beyond the edge. */
function showCurrent(nav: HTMLElement | null) {
  const current = nav?.querySelector<HTMLElement>('[aria-current=page]')
  if (nav && current) nav.scrollLeft = current.offsetLeft - nav.clientWidth / 2 + current.clientWidth / 2
}
