// Programs in the place of a browser: one that prints, and those that do what a browser in trouble does.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

/** What each does; `$out` is where the PDF belongs, `$page` what is to be printed. */
const scripts = {
  prints: 'printf "%%PDF-1.4\\n" > "$out"; cat "$page" >> "$out"',
  hangs: 'sleep 1000 & sleep 1000',
  fails: 'exit 3',
  'prints nothing': 'exit 0',
  'prints no PDF': 'echo "<html>" > "$out"',
  'prints too much': 'printf "%%PDF-" > "$out"; head -c 3000000 /dev/zero >> "$out"',
  'takes too much memory': 'x=$(head -c 60000000 /dev/zero | tr "\\0" "x"); sleep 1000',
  'tells its surroundings':
    'printf "%%PDF-" > "$out"; env >> "$out"; printf "%s\\n" "$@" >> "$out"; until [ "$(nice)" -ge 10 ]; do sleep 0.01; done; id -u >> "$out"',
} as const
export type Browser = keyof typeof scripts

/** The path of a program that does it; `stop` takes it away. */
export function aChromium(does: Browser): { program: string; stop(): void } {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-fake-browser-'))
  fs.chmodSync(folder, 0o755)
  const program = path.join(folder, 'browser')
  const find = 'for word; do case "$word" in --print-to-pdf=*) out="${word#*=}";; file://*) page="${word#file://}";; esac; done'
  fs.writeFileSync(program, `#!/bin/sh\n${find}\n${scripts[does]}\n`, { mode: 0o755 })
  return { program, stop: () => fs.rmSync(folder, { recursive: true, force: true }) }
}
