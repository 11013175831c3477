import { type CSSProperties, useEffect, useState } from 'react'

/** At least so far from the edges of the window, and from what it explains. */
const apart = 8
const widest = 320

interface Shown {
  text: string
  style: CSSProperties
}

/** One box that says why, for whatever names its reason (`data-why`) and is pointed at or has the focus: a list has hundreds of them. */
export function WhyLayer() {
  const [shown, setShown] = useState<Shown>()
  useEffect(() => {
    const hide = () => setShown(undefined)
    const show = ({ target }: Event) => {
      const about = target instanceof Element ? target.closest<HTMLElement>('[data-why]') : null
      if (!about) return hide()
      const { left, bottom, top } = about.getBoundingClientRect()
      const width = Math.min(widest, innerWidth - 2 * apart)
      const at = Math.max(apart, Math.min(left, innerWidth - width - apart))
      const below = bottom + 120 < innerHeight
      const style = below
        ? { left: at, top: bottom + apart, maxWidth: width }
        : { left: at, bottom: innerHeight - top + apart, maxWidth: width }
      setShown({ text: about.dataset.why ?? '', style })
    }
    const press = ({ key }: KeyboardEvent) => key === 'Escape' && hide()
    document.addEventListener('pointerover', show)
    document.addEventListener('focusin', show)
    document.addEventListener('focusout', hide)
    document.addEventListener('keydown', press)
    addEventListener('scroll', hide, true)
    return () => {
      document.removeEventListener('pointerover', show)
      document.removeEventListener('focusin', show)
      document.removeEventListener('focusout', hide)
      document.removeEventListener('keydown', press)
      removeEventListener('scroll', hide, true)
    }
  }, [])
  if (!shown) return null
  return (
    <div className="why" role="tooltip" style={shown.style}>
      {shown.text}
    </div>
  )
}
