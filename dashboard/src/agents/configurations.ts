import { t } from '../text.ts'

/** Ready to be taken along: how each host is told of the service. A test holds it to what docs/agents.md says. */
export interface Configuration {
  id: string
  name: string
  /** Where the text goes. */
  about: string
  text: string
}

const json = (value: object) => JSON.stringify(value, undefined, 2)

export function configurations(base: string, token: string): Configuration[] {
  const url = `${base}/api/mcp`
  const authorization = `Bearer ${token}`
  return [
    {
      id: 'claude-code',
      name: 'Claude Code',
      about: t('Run this in a terminal.'),
      text: `claude mcp add --transport http fleet ${url} --header "Authorization: ${authorization}"`,
    },
    {
      id: 'claude-desktop',
      name: 'Claude Desktop',
      about: t(
        'Settings → Developer → Edit Config. The package is packed in a clone of the repository with npm pack -w mcp; name the file where it is.',
      ),
      text: json({
        mcpServers: {
          fleet: {
            command: 'npx',
            args: ['-y', 'file:/where/it/is/service-mcp-0.1.0.tgz'],
            env: { SERVICE_URL: base, SERVICE_TOKEN: token },
          },
        },
      }),
    },
    {
      id: 'cursor',
      name: 'Cursor',
      about: t('Put this into ~/.cursor/mcp.json.'),
      text: json({ mcpServers: { fleet: { url, headers: { Authorization: authorization } } } }),
    },
    {
      id: 'vscode',
      name: 'VS Code',
      about: t('Put this into .vscode/mcp.json. VS Code asks for the token once, so it stands in no file: paste it then.'),
      text: json({
        inputs: [{ type: 'promptString', id: 'fleet-token', description: 'Token of the fleet service', password: true }],
        servers: { fleet: { type: 'http', url, headers: { Authorization: `Bearer \${input:fleet-token}` } } },
      }),
    },
    {
      id: 'codex',
      name: 'Codex',
      about: t('Codex reads the token from the environment it is started in.'),
      text: `export SERVICE_TOKEN=${token}\ncodex mcp add fleet --url ${url} --bearer-token-env-var SERVICE_TOKEN`,
    },
    {
      id: 'curl',
      name: 'curl',
      about: t('Lists the sites of the workspace.'),
      text: `export SERVICE_TOKEN=${token}\ncurl -s -H "Authorization: Bearer $SERVICE_TOKEN" ${base}/api/v1/sites`,
    },
    {
      id: 'svc',
      name: 'svc',
      about: t('The command line is packed in a clone of the repository with npm pack -w cli, and installed from that file.'),
      text: `export SERVICE_URL=${base}\nexport SERVICE_TOKEN=${token}\nsvc sites list`,
    },
  ]
}
