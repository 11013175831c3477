import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isHidden, ownWords, visibleWords } from './visible.ts'

const page = (body: string, head = '') => `<!doctype html><html><head><title>Not this</title>${head}</head>${body}</html>`

test('only words that are shown count', () => {
  for (const [body, words] of [
    ['<body>Roses and tulips</body>', 3],
    ['<BODY><p>Röslein&nbsp;rot</p><p>2 für 1</p></BODY>', 5],
    ['<body><script>let not = "this"</script>One<style>p { color: red }</style> two</body>', 2],
    ['<body><!-- <p>not this</p> -->One<template>not this</template><noscript>not this</noscript></body>', 1],
    ['<body><header>Shown here</header></body>', 2],
    ['<body>One two<script>never closed', 2],
    ['<body>日本語 テスト</body>', 2],
    ['', 0],
  ] as const)
    assert.equal(visibleWords(page(body)), words, body)
})

test('what frames every page is not among the words of its own', () => {
  for (const [body, words] of [
    ['<body>Roses and tulips</body>', 3],
    ['<body><header>The garden</header><nav>Roses Tulips</nav><p>Open daily</p><aside>New</aside><footer>Imprint</footer></body>', 2],
    ['<body><p>Beside</p><MAIN class="a"><nav>One</nav> two</MAIN><p>Notices at the foot</p></body>', 2],
    ['<body><main>One</main> between <main>two</main></body>', 3],
    ['<body><main>One <script>"</main>"</script>two', 2],
    ['<body><main></main><footer>Imprint</footer></body>', 0],
    ['<body><headers>Shown</headers><main-menu>too</main-menu></body>', 2],
    ['<body><main>Never closed', 2],
  ] as const)
    assert.equal(ownWords(page(body)), words, body)
})

test('a page that its own style hides is seen', () => {
  for (const css of [
    'body{display:none}',
    'html, body { margin: 0; visibility: hidden !important }',
    '@media screen { body { opacity: 0; } }',
    '#page { DISPLAY : NONE }',
  ])
    assert.equal(isHidden(page('<body>Words</body>', `<style id="x">${css}</style>`)), true, css)
  assert.equal(isHidden(page('<body class="a" style="display:none">Words</body>')), true)
  for (const css of [
    'body{opacity:0.9}',
    '.body{display:block}',
    '.menu{display:none}',
    'body{color:red} .menu{display:none}',
    'tbody { display:none }',
  ])
    assert.equal(isHidden(page('<body>Words</body>', `<style>${css}</style>`)), false, css)
})

test('however many of whatever there are, a page is walked once', () => {
  const mass = 300_000
  const began = process.cpuUsage()
  for (const unit of [
    '<',
    '<script',
    '<style>',
    '<!--',
    '<style>body',
    '<style>body,',
    '<body style=',
    '&',
    '&a',
    '<head>',
    '<main>',
    '</main>',
    '<nav>',
    'body{',
    'x ',
  ])
    for (const around of ['', '<style>']) {
      const text = around + unit.repeat(mass / unit.length)
      visibleWords(text)
      ownWords(text)
      isHidden(text)
    }
  const { user } = process.cpuUsage(began)
  // All of it takes a tenth of a second; with one that is walked again from each of its parts, a minute.
  assert.ok(user < 8e6, `${user / 1e6} s of the processor`)
})
