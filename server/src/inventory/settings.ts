// What decides what a site is, apart from its code: who may do everything there, and the settings that matter.
import type { Result } from '../connector/commands.ts'
import { plainWord, quoted } from '../kernel/site-said.ts'
import type { Change } from './changes.ts'

/** As one look tells it. What is absent or null nobody knows, and what nobody knows has not changed. */
export type Choices = Pick<Result<'inventory'>, 'admins' | 'settings'>
type Settings = NonNullable<Choices['settings']>

/** What differs between two looks, as far as both know it. */
export function choicesBetween(before: Choices, after: Choices): Change[] {
  return [...adminsBetween(before.admins, after.admins), ...settingsBetween(before.settings ?? {}, after.settings ?? {})]
}

function adminsBetween(before: Choices['admins'], after: Choices['admins']): Change[] {
  if (!before || !after) return []
  const missingIn = (these: { id: number }[]) => (one: { id: number }) => these.every(({ id }) => id !== one.id)
  return [
    ...after.filter(missingIn(before)).map(({ login }) => admin(login, 'is new')),
    ...before.filter(missingIn(after)).map(({ login }) => admin(login, 'is one no more')),
  ]
}

function admin(login: string, what: string): Change {
  const name = quoted(login, '')
  return { kind: 'admin', words: name === '' ? `an administrator ${what}` : `the administrator ${name} ${what}` }
}

function settingsBetween(before: Settings, after: Settings): Change[] {
  return [
    ...changed(before.siteurl, after.siteurl, (was, is) => `the address of WordPress went from ${address(was)} to ${address(is)}`),
    ...changed(before.home, after.home, (was, is) => `the address of the site went from ${address(was)} to ${address(is)}`),
    ...changed(before.users_can_register, after.users_can_register, (_, is) =>
      is ? 'everybody may register now' : 'nobody may register any more',
    ),
    ...changed(before.default_role, after.default_role, (was, is) => `the role of who registers went from ${role(was)} to ${role(is)}`),
    ...changed(before.admin_email, after.admin_email, () => 'the administrator’s e-mail address was changed'),
    ...changed(before.blog_public, after.blog_public, (_, is) =>
      is ? 'search engines are let in now' : 'search engines are asked to stay away now',
    ),
    ...changed(before.permalink_structure, after.permalink_structure, () => 'the structure of permalinks was changed'),
  ]
}

function changed<Value>(was: Value | undefined, is: Value | undefined, words: (was: Value, is: Value) => string): Change[] {
  return was === undefined || is === undefined || was === is ? [] : [{ kind: 'setting', words: words(was, is) }]
}

const role = (name: string) => quoted(name, 'another')

/** Only of plain words. */
function address(url: string): string {
  const [, scheme, rest = ''] = /^(https?:\/\/)(.+)$/i.exec(url) ?? []
  return scheme && plainWord(rest) !== undefined ? `${scheme.toLowerCase()}${rest}` : 'another'
}
