import { flagsOf, valued } from './arguments.ts'
import { isBoolean, plain, typeOf } from './describe.ts'
import { misused } from './failure.ts'
import { commandOf, type Entry, flagOf, listBefore, type Manifest, nounsOf, positionals } from './manifest.ts'
import type { Ask } from './offers.ts'

const scripts: Record<string, string> = {
  bash: `_svc() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(svc __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _svc svc
`,
  zsh: `#compdef svc
_svc() {
  local -a found
  found=("\${(@f)$(svc __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${found[1]}" ]]; then compadd -a found; else _files; fi
}
compdef _svc svc
`,
  fish: `complete -c svc -f -a '(svc __complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`,
}

/** `svc completion bash`: eval it, or put it where the shell looks. */
export function completion(shell: string | undefined): string {
  const script = scripts[shell ?? '']
  if (!script)
    throw misused(`svc completion needs the name of a shell: ${Object.keys(scripts).join(', ')}.`, [
      'For bash: eval "$(svc completion bash)"',
    ])
  return script
}

/** The words that may stand where the last one is being typed; `ask` tells what the service has of them. */
export async function complete(manifest: Manifest, words: readonly string[], ask: Ask): Promise<string[]> {
  const typed = words.at(-1) ?? ''
  const begins = (word: string) => word.startsWith(typed)
  const place = typed.startsWith('-') ? undefined : placeAt(manifest, words)
  const found = place ? (await ask(place.list, place.input, typed)).filter(begins) : []
  return found.length > 0 ? found : candidates(manifest, words).filter(begins)
}

/** The list that what is being typed comes from, with the fields that its path needs: sites, backups of a site. */
function placeAt(manifest: Manifest, [noun = '', verb = '', ...rest]: readonly string[]) {
  const entry = manifest.operations.find((candidate) => commandOf(candidate) === `${noun} ${verb}`)
  if (!entry || rest.length === 0) return undefined
  const words = rest.slice(0, -1)
  if (takesValue(entry, words.at(-1))) return undefined
  const places = words.filter((word, i) => !word.startsWith('-') && !takesValue(entry, words[i - 1]))
  const fields = positionals(entry)
  const field = fields[places.length]
  const list = field === undefined ? undefined : listBefore(manifest, entry, field)
  return list && { list, input: Object.fromEntries(places.map((word, i) => [fields[i], word])) }
}

function takesValue(entry: Entry, word = ''): boolean {
  if (!word.startsWith('-') || word.includes('=')) return false
  const [, schema] = Object.entries(entry.input.properties ?? {}).find(([name]) => flagOf(name) === word) ?? []
  return schema ? !isBoolean(schema) : word === '-o' || valued.some((each) => `--${each}` === word)
}

function candidates(manifest: Manifest, words: readonly string[]): string[] {
  const [noun = '', verb = ''] = words
  if (words.length <= 1) return [...nounsOf(manifest), 'help', 'completion']
  if (noun === 'completion') return words.length === 2 ? Object.keys(scripts) : []
  if (noun === 'help')
    return candidates(manifest, words.slice(1)).filter((word) => !['help', 'completion'].includes(word) && !word.startsWith('-'))
  if (words.length === 2)
    return manifest.operations.map(commandOf).flatMap((command) => (command.startsWith(`${noun} `) ? [command.slice(noun.length + 1)] : []))
  const entry = manifest.operations.find((candidate) => commandOf(candidate) === `${noun} ${verb}`)
  return entry ? (valuesAfter(entry, words.at(-2) ?? '') ?? flagsOf(entry)) : []
}

/** After a flag that takes a value: its values, or nothing where anything may stand. */
function valuesAfter(entry: Entry, flag: string): string[] | undefined {
  const field = Object.entries(entry.input.properties ?? {}).find(([name]) => flagOf(name) === flag)
  if (!field) return flag.startsWith('--') && valued.some((each) => `--${each}` === flag) ? [] : undefined
  if (typeOf(field[1]) === 'boolean') return undefined
  const { enum: values, items } = plain(field[1])
  return (values ?? (items && plain(items).enum) ?? []).map(String)
}
