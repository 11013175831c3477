// Who may do what, through which face: a table for people, reviewed as a diff. Read from the operations, as the door itself reads them.
import { type AnyOperation, isRead, mayWait, plans, type Scope } from '../kernel/operation.ts'
import { svcName } from './command.ts'

const legend = `Written by \`npm run contract\`. Do not edit.

Who may do what, and through which face. People are signed in; a guest is a viewer who sees some sites only; tokens read, write,
or write after approval. A paused token may do nothing.

yes   it is done                      plan  only its plan (dry_run) is told
asks  a person decides first          part  it is done, but for what only owners and admins may
some  harmless input is done, for     own   of the sites that are seen
      anything else a person decides  site  where it names a site that is seen
-     it is refused                   also  the faces beside REST: a tool of agents, a command of svc
`

interface Who {
  name: string
  scopes: ReadonlySet<Scope>
  isToken: boolean
  asks?: boolean
  seesSome?: boolean
}

type ScopesOf = Readonly<Record<'owner' | 'admin' | 'member' | 'viewer', ReadonlySet<Scope>>>

const everybody = (scopesOf: ScopesOf): Who[] => [
  ...Object.entries(scopesOf).map(([name, scopes]) => ({ name, scopes, isToken: false })),
  { name: 'guest', scopes: scopesOf.viewer, isToken: false, seesSome: true },
  { name: 'read', scopes: new Set<Scope>(['read']), isToken: true },
  { name: 'write', scopes: new Set<Scope>(['read', 'write']), isToken: true },
  { name: 'approval', scopes: new Set<Scope>(['read', 'write']), isToken: true, asks: true },
]

function cellOf(operation: AnyOperation, { name, scopes, isToken, asks, seesSome }: Who): string {
  if (operation.personal && isToken) return '-'
  const may = scopes.has(operation.scope) && !(operation.byOwner && name !== 'owner')
  const right = may ? done(operation, scopes, asks) : plans(operation) && scopes.has('read') ? 'plan' : '-'
  if (right === '-' || !seesSome || operation.personal) return right
  const narrowed = operation.seesOwn ? 'own' : 'site_id' in operation.input.shape ? 'site' : '-'
  return right === 'yes' || narrowed === '-' ? narrowed : right
}

function done(operation: AnyOperation, scopes: ReadonlySet<Scope>, asks = false): string {
  if (asks && !isRead(operation) && mayWait(operation)) return typeof operation.direct === 'function' ? 'some' : 'asks'
  return operation.ownersOnly && !scopes.has('manage') ? 'part' : 'yes'
}

const facesOf = ({ tool, scope, personal, name }: AnyOperation): string =>
  [tool && `tool ${tool}`, scope !== 'manage' && !personal && svcName(name)].filter(Boolean).join(', ')

/** The table as text, the operations in the order in which they are shown. */
export function rolesTable(operations: readonly AnyOperation[], scopesOf: ScopesOf): string {
  const all = everybody(scopesOf)
  const line = (name: string, cells: string[], also: string) =>
    `${name.padEnd(30)}${cells.map((cell) => cell.padEnd(9)).join('')}${also}`.trimEnd()
  const rows = operations.map((operation) =>
    line(
      operation.name,
      all.map((who) => cellOf(operation, who)),
      facesOf(operation),
    ),
  )
  const groups = line('', ['people', ...all.slice(1).map(({ name }) => (name === 'read' ? 'tokens' : ''))], '')
  const names = line(
    'operation',
    all.map(({ name }) => name),
    'also',
  )
  return [legend, groups, names, ...rows, ''].join('\n')
}
