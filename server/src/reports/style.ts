// How a report looks, on a screen and on paper.

const channels = (colour: string) => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))

/** Relative luminance, as WCAG has it. */
function lightOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channels(colour).map((value) => {
    const share = value / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** The colour, darkened until it can be read on white. */
function readable(colour: string): string {
  let shown = colour
  while (1.05 / (lightOf(shown) + 0.05) < 4.6)
    shown = `#${channels(shown)
      .map((value) =>
        Math.floor(value * 0.9)
          .toString(16)
          .padStart(2, '0'),
      )
      .join('')}`
  return shown
}

const papers: Record<string, string> = { a4: 'A4', letter: 'letter' }

export function styleOf(colour: string, paper: string): string {
  const text = readable(colour)
  return `@page{size:${papers[paper] ?? 'A4'};margin:16mm 15mm}
*{box-sizing:border-box}
html{color-scheme:light}
body{margin:0;color:#1a2026;background:#fff;font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",sans-serif;-webkit-print-color-adjust:exact;print-color-adjust:exact}
main{max-width:58rem;margin:0 auto;padding:2rem 1.25rem 4rem;overflow-wrap:anywhere}
header{display:flex;gap:1.5rem;align-items:flex-start;justify-content:space-between;border-bottom:3px solid ${colour};padding-bottom:1rem}
header img{max-width:12rem;max-height:4.5rem}
h1{font-size:1.75rem;line-height:1.2;letter-spacing:-.01em;margin:0 0 .25rem}
h2{font-size:1.2rem;line-height:1.3;color:${text};margin:2.25rem 0 .5rem;break-after:avoid}
h3{font-size:1rem;margin:1rem 0 .25rem;break-after:avoid}
p,ul,ol{margin:.4rem 0}
ul,ol{padding-left:1.25rem}
a{color:${text}}
.short a,th a{color:inherit;text-decoration-style:dotted;text-underline-offset:.2em}
.soft,time,figcaption,footer{color:#56616d;font-size:.87em}
.short li{margin:.2rem 0}
.note{border-left:4px solid ${colour};background:#f5f7f9;padding:.5rem .9rem;margin:.75rem 0;break-inside:avoid}
.draft{border:2px dashed #b3261e;color:#8c1d18;padding:.4rem .8rem;margin:0 0 1rem;font-weight:600}
.head{display:flex;align-items:baseline;justify-content:space-between;gap:1rem;break-inside:avoid;break-after:avoid}
.head h2{break-after:auto}
.about{font-size:.8em}
table{width:100%;border-collapse:collapse;margin:.5rem 0 1rem;font-size:.87em;table-layout:auto}
th,td{text-align:left;vertical-align:top;padding:.35rem .6rem .35rem 0;border-bottom:1px solid #dde2e7;overflow-wrap:anywhere;word-break:normal;hyphens:auto}
th{color:#56616d;font-weight:600}
th:not(:last-child),td:not(:last-child){padding-right:.8rem}
.figure{text-align:right;font-variant-numeric:tabular-nums}
thead{display:table-header-group}
tr,li,figure{break-inside:avoid}
.events{list-style:none;padding:0}
.events li{display:grid;grid-template-columns:11rem 1fr;gap:.75rem;padding:.3rem 0;border-bottom:1px solid #dde2e7}
figure{margin:.75rem 0}
svg{display:block}
.bars{width:100%;height:2.6rem}
.course{width:7.5rem;height:1.5rem}
.bar{fill:${colour};background:${colour}}
.line{stroke:${text}}
.key{display:inline-block;width:.7em;height:.7em;margin:0 .35em 0 .9em;border:1px solid #c9d1d9}
.dip{background:#b3261e}
dl{font-size:.87em}
dt{font-weight:600;margin-top:.6rem;break-after:avoid}
dd{margin:0;color:#3d4751}
footer{border-top:1px solid #dde2e7;margin-top:2.5rem;padding-top:.75rem}
@media(max-width:40rem){.events li{grid-template-columns:1fr;gap:0}table{font-size:.8em}header{flex-direction:column-reverse}}
@media screen and (max-width:40rem){table{display:block;overflow-x:auto}th,td{overflow-wrap:break-word}td .soft{overflow-wrap:anywhere}}
@media print{main{max-width:none;padding:0}body{font-size:10.5pt}a{text-decoration:none}}
`
}
