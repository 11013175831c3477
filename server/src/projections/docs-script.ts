/** What the docs do where scripts run: they are searched by the words of each operation, and what is to be copied has a button. */
export const script = `'use strict'
for (const box of document.querySelectorAll('.find')) {
  const input = box.querySelector('input'), told = box.querySelector('p')
  const nav = box.nextElementSibling
  const rows = [...nav.querySelectorAll('ul ul li')]
  box.hidden = false
  input.addEventListener('input', () => {
    const words = input.value.toLowerCase().split(/\\s+/).filter(Boolean)
    let found = 0
    for (const row of rows) {
      const text = row.textContent.toLowerCase() + ' ' + (row.dataset.find || '')
      row.hidden = !words.every((word) => text.includes(word))
      if (!row.hidden) found++
    }
    for (const part of nav.querySelectorAll(':scope > ul > li')) part.hidden = !part.querySelector('ul li:not([hidden])')
    told.textContent = words.length === 0 ? '' : found === 0 ? 'Nothing has these words.' : found === 1 ? '1 found' : found + ' found'
  })
}
for (const pre of document.querySelectorAll('figure pre')) {
  const figure = pre.parentElement
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = 'Copy'
  button.setAttribute('aria-label', 'Copy: ' + figure.querySelector('figcaption').textContent)
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(pre.textContent)
      button.textContent = 'Copied'
    } catch {
      const all = document.createRange()
      all.selectNodeContents(pre)
      getSelection().removeAllRanges()
      getSelection().addRange(all)
      button.textContent = 'Selected'
    }
    setTimeout(() => { button.textContent = 'Copy' }, 2500)
  })
  figure.prepend(button)
}
`
