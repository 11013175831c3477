/** Where to send what arrives, and as whom. */
export interface Target {
  /** The service's tool server. */
  url: URL
  token: string
}

/** What to print instead of starting. */
export interface Say {
  say: string
  code: 0 | 1
}

const help = `The service's tools over stdio, for agents that start their tool servers as commands.

  SERVICE_URL=https://fleet.example.org SERVICE_TOKEN=svc_… npx -y file:/where/it/is/service-mcp-0.1.0.tgz

The package is on no registry yet: name the file that npm pack made.

  SERVICE_URL    the service's base address
  SERVICE_TOKEN  a token of the service (npm run -s admin -- token create)

  --help         this text
  --version      the version

An agent's host starts this for you; the README has its configuration for each.`

/** Decides from arguments and environment what to do. A secret among the arguments is never repeated. */
export function configure(
  args: readonly string[],
  { url, token }: { url: string | undefined; token: string | undefined },
  version: string,
): Target | Say {
  if (args.includes('--help') || args.includes('-h')) return { say: help, code: 0 }
  if (args.includes('--version') || args.includes('-v')) return { say: version, code: 0 }
  if (args.some((arg) => /svc_|token|bearer/i.test(arg)))
    return refuse(
      'A token on the command line can be read by every program on this machine. Put it in the environment variable SERVICE_TOKEN instead.',
    )
  if (args.length > 0) return refuse('service-mcp takes no arguments except --help and --version.')
  if (!url || !token)
    return refuse(`Set ${[!url && 'SERVICE_URL', !token && 'SERVICE_TOKEN'].filter(Boolean).join(' and ')} in the environment; see --help.`)
  if (!/^https?:$/.test(parse(url)?.protocol ?? ''))
    return refuse('SERVICE_URL must be an http or https address, for example https://fleet.example.org.')
  if (!/^[\x21-\x7e]+$/.test(token)) return refuse('SERVICE_TOKEN has spaces or other characters no token has. Copy it again.')
  return { url: new URL(`${url.replace(/\/+$/, '')}/api/mcp`), token }
}

const refuse = (say: string): Say => ({ say: `service-mcp: ${say}`, code: 1 })

function parse(url: string): URL | undefined {
  try {
    return new URL(url)
  } catch {
    return undefined
  }
}
