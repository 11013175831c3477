import { optionsFor, valued } from './arguments.js'
import { plain, typeOf } from './describe.js'
import { misused } from './failure.js'
import { commandOf,             flagOf,                nounsOf } from './manifest.js'

const scripts                         = {
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
export function completion(shell                    )         {
  const script = scripts[shell ?? '']
  if (!script)
    throw misused(`svc completion needs the name of a shell: ${Object.keys(scripts).join(', ')}.`, [
      'For bash: eval "$(svc completion bash)"',
    ])
  return script
}

/** The words that may stand where the last one is being typed. Asks nobody; needs no token. */
export function complete(manifest          , words                   )           {
  const typed = words.at(-1) ?? ''
  return candidates(manifest, words).filter((word) => word.startsWith(typed))
}

function candidates(manifest          , words                   )           {
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

const flagsOf = (entry       ) => [...Object.keys(entry.input.properties ?? {}), ...optionsFor(entry)].map(flagOf)

/** After a flag that takes a value: its values, or nothing where anything may stand. */
function valuesAfter(entry       , flag        )                       {
  const field = Object.entries(entry.input.properties ?? {}).find(([name]) => flagOf(name) === flag)
  if (!field) return flag.startsWith('--') && valued.some((each) => `--${each}` === flag) ? [] : undefined
  if (typeOf(field[1]) === 'boolean') return undefined
  const { enum: values, items } = plain(field[1])
  return (values ?? (items && plain(items).enum) ?? []).map(String)
}
