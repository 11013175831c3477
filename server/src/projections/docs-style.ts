/** The whole look of the docs page. Light or dark as the reader's system is; one column on a phone, three where there is room. */
export const style = `
:root { color-scheme: light dark; --ink: #1a2026; --soft: #56616d; --line: #e0e5ea; --page: #fff; --panel: #f5f7f9; --accent: #0b5fb0; --mark: #e8f1fb;
  --get: #0b6b3a; --post: #9a4a00; --delete: #b3261e; --code: #17202a; --code-ink: #e6edf3; --code-soft: #9fb0c0;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; --mono: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "Liberation Mono", monospace; }
@media (prefers-color-scheme: dark) { :root { --ink: #e3e8ed; --soft: #9ca8b4; --line: #2a323b; --page: #12171c; --panel: #1a2027; --accent: #7cb8f5; --mark: #1a2c40;
  --get: #6fd39b; --post: #f0b072; --delete: #ff9a92; --code: #0b0f13; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 4.5rem; -webkit-text-size-adjust: 100%; }
body { margin: 0; color: var(--ink); background: var(--page); font: 1rem/1.6 var(--sans); overflow-wrap: break-word; }
a { color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
main:focus { outline: none; }
.skip { position: absolute; left: -999px; }
.skip:focus { left: 1rem; top: .75rem; z-index: 3; background: var(--page); padding: .5rem 1rem; }
.top { position: sticky; top: 0; z-index: 2; display: flex; gap: .75rem; align-items: baseline; padding: .8rem clamp(1rem, 3vw, 2rem); background: var(--page); border-bottom: 1px solid var(--line); }
.top span { color: var(--soft); }
.brand { font-weight: 650; color: var(--ink); text-decoration: none; }
.spec { margin-left: auto; }
.frame { display: grid; grid-template-columns: minmax(0, 1fr); max-width: 100rem; margin: 0 auto; }
.side { display: none; }
.menu { margin: 1rem clamp(1rem, 3vw, 2rem) 0; border: 1px solid var(--line); border-radius: 8px; background: var(--panel); }
.menu > summary { padding: .7rem 1rem; font-weight: 600; cursor: pointer; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav { padding: .25rem .5rem 1rem; font-size: .925rem; }
.noun { display: block; margin: 1.1rem .5rem .3rem; font-size: .75rem; font-weight: 650; letter-spacing: .06em; text-transform: uppercase; color: var(--soft); }
a.noun { display: block; padding: 0; text-decoration: none; } a.noun:hover { text-decoration: underline; background: none; }
.find { padding: .75rem .75rem 0; font-size: .85rem; }
.find input { display: block; width: 100%; margin-top: .25rem; font: inherit; font-size: 1rem; color: inherit; background: var(--page); border: 1px solid var(--soft); border-radius: 6px; padding: .4rem .6rem; }
.find p { margin: .3rem 0 0; min-height: 1.4em; color: var(--soft); }
[hidden] { display: none !important; }
nav a:not(.noun) { display: flex; justify-content: space-between; align-items: baseline; gap: .75rem; padding: .4rem .5rem; border-radius: 6px; color: var(--ink); text-decoration: none; }
nav a:hover { background: var(--mark); }
main { padding: 1.5rem clamp(1rem, 3vw, 2rem) 6rem; }
h1 { font-size: clamp(1.7rem, 1.3rem + 2vw, 2.5rem); line-height: 1.15; letter-spacing: -.02em; margin: .5rem 0 1rem; text-wrap: balance; }
h2 { font-size: 1.55rem; line-height: 1.25; letter-spacing: -.01em; margin: 3.5rem 0 1rem; }
article h2 { font-size: 1.2rem; line-height: 1.3; letter-spacing: 0; margin: 0 0 .6rem; }
article h2 a { color: inherit; text-decoration: none; }
article h2 a:hover { text-decoration: underline; }
h3 { margin: 1.5rem 0 .25rem; font-size: .8rem; letter-spacing: .06em; text-transform: uppercase; color: var(--soft); }
p { margin: .6rem 0; max-width: 46rem; }
.lead { font-size: 1.15rem; color: var(--soft); }
.guide { max-width: 60rem; }
code { font: .9em/1.5 var(--mono); }
.guide p code, dd code, .address code { background: var(--panel); border-radius: 4px; padding: .1em .35em; }
.rules { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0; margin: 0; }
.rules dt { font-weight: 620; padding-top: .8rem; border-top: 1px solid var(--line); margin-top: .8rem; }
.rules dd { margin: 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .925rem; }
th, td { text-align: left; font-weight: 400; padding: .5rem 1rem .5rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
thead th { font-weight: 600; color: var(--soft); }
article { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1rem 2.5rem; padding: 2.25rem 0; border-top: 1px solid var(--line); }
article:target h2 a { background: linear-gradient(transparent 60%, var(--mark) 60%); }
.address { display: flex; flex-wrap: wrap; gap: .5rem; align-items: baseline; margin: .35rem 0; }
.address i { color: var(--accent); }
.method { font: 650 .72rem/1.4 var(--mono); letter-spacing: .04em; color: var(--soft); }
.method.get { color: var(--get); } .method.post { color: var(--post); } .method.delete { color: var(--delete); }
.facts { list-style: none; display: flex; flex-wrap: wrap; gap: .3rem .5rem; margin: .8rem 0 0; padding: 0; font-size: .85rem; color: var(--soft); }
.facts li { border: 1px solid var(--line); border-radius: 99px; padding: .05rem .65rem; }
.facts b { color: var(--ink); font-weight: 620; } .facts .warn { color: var(--delete); }
.fields { margin: 0; }
.fields dt { padding-top: .65rem; margin-top: .65rem; border-top: 1px solid var(--line); }
.fields dt:first-child { border: 0; margin: 0; }
.fields dt code { font-weight: 650; }
.fields dd { margin: .1rem 0 0; }
.type { font: .84em/1.5 var(--mono); color: var(--soft); }
.where, .required { font-size: .78rem; color: var(--soft); }
.where::before { content: "in "; }
.required { color: var(--delete); font-weight: 600; }
.rule { color: var(--soft); }
.failures { margin-top: 1.25rem; }
.failures summary { cursor: pointer; color: var(--soft); font-size: .9rem; padding: .25rem 0; }
.failures ul { columns: 15rem; margin: .25rem 0; padding-left: 1.1rem; font-size: .9rem; }
.code { display: grid; gap: .9rem; align-content: start; }
figure { margin: 0; min-width: 0; border-radius: 8px; overflow: hidden; background: var(--code); border: 1px solid var(--line); }
.guide figure { margin: 1.25rem 0; }
figure { position: relative; }
.copy { position: absolute; top: .35rem; right: .4rem; padding: .1rem .6rem; min-height: 1.75rem; font: .78rem/1.4 var(--sans); color: var(--code-ink); background: var(--code); border: 1px solid var(--code-soft); border-radius: 6px; cursor: pointer; }
figcaption { padding: .45rem 5rem 0 .9rem; font-size: .78rem; letter-spacing: .03em; color: var(--code-soft); }
pre { margin: 0; padding: .5rem .9rem .85rem; overflow: auto; max-height: 30rem; white-space: pre-wrap; overflow-wrap: anywhere; color: var(--code-ink); font-size: .86rem; line-height: 1.55; tab-size: 2; }
pre:focus-visible { outline-offset: -3px; }
@media (max-width: 45rem) { .codes thead { position: absolute; left: -999px; } .codes tr { display: grid; grid-template-columns: auto auto 1fr; gap: 0 1rem; padding: .7rem 0; border-bottom: 1px solid var(--line); }
  .codes th, .codes td { border: 0; padding: 0; } .codes th, .codes .wide { grid-column: 1 / -1; } .codes th code { font-weight: 650; } .codes [data-label]::before { content: attr(data-label) " "; color: var(--soft); } }
@media (min-width: 40rem) { .rules { grid-template-columns: 8rem minmax(0, 1fr); }
  .rules dd { padding-top: .8rem; border-top: 1px solid var(--line); margin-top: .8rem; } }
@media (min-width: 62rem) { .frame { grid-template-columns: 17rem minmax(0, 1fr); } .menu { display: none; }
  .side { display: block; position: sticky; top: 3.3rem; align-self: start; height: calc(100vh - 3.3rem); overflow-y: auto; padding-left: clamp(.5rem, 2vw, 1.25rem); border-right: 1px solid var(--line); } }
@media (min-width: 80rem) { article { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); } }
@media print { .side, .menu, .top { display: none; } pre { max-height: none; } }
`
