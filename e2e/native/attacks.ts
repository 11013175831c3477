// What attackers do to WordPress sites: one attack for each tweak. Independent of the service's own looks.
import { request } from 'node:http'
import { logIn } from '../visitor.ts'
import type { NativeSite } from './fleet.ts'

export interface Target extends NativeSite {
  /** A post that is published. */
  post: string
  /** `user:password` for programs. */
  applicationPassword: string
}

/** Each tells what the attacker got; an empty list is a defence that held. */
export const attacks: Record<string, (site: Target) => Promise<string[]>> = {
  async file_editor_off({ url, adminUser, adminPassword }) {
    const cookie = await logIn(url, adminUser, adminPassword)
    const pages = ['plugin-editor.php', 'theme-editor.php']
    const texts = await Promise.all(pages.map((page) => textOf(`${url}/wp-admin/${page}`, { headers: { cookie } })))
    return pages.filter((_, n) => texts[n]?.includes('id="newcontent"'))
  },

  async xmlrpc_off({ url, adminUser, adminPassword }) {
    const guess = (password: string) =>
      `<value><struct><member><name>methodName</name><value><string>wp.getUsersBlogs</string></value></member><member><name>params</name><value><array><data><value><string>${adminUser}</string></value><value><string>${password}</string></value></data></array></value></member></struct></value>`
    const guesses = ['123456', 'letmein', adminPassword].map(guess).join('')
    const body = `<?xml version="1.0"?><methodCall><methodName>system.multicall</methodName><params><param><value><array><data>${guesses}</data></array></value></param></params></methodCall>`
    const one = methodCall('wp.getUsersBlogs', adminUser, adminPassword)
    const answers = { multicall: body, 'a single call': one, 'the list of methods': methodCall('system.listMethods') }
    const got = await Promise.all(
      Object.entries(answers).map(async ([name, call]) => {
        const text = await textOf(`${url}/xmlrpc.php`, { method: 'POST', body: call })
        // With one call of several failed WordPress fails the rest, so being told so is already an answer.
        return /isAdmin|faultCode<\/name><value><int>403|system\.multicall/.test(text) ? name : ''
      }),
    )
    const page = await textOf(url)
    return [...got, /rel="EditURI"/.test(page) ? 'the address' : ''].filter(Boolean)
  },

  async pingbacks_off({ url, post }) {
    const answer = await textOf(`${url}/xmlrpc.php`, {
      method: 'POST',
      body: methodCall('pingback.ping', 'http://elsewhere.invalid/', post),
    })
    const got = /<methodResponse>/.test(answer) && !/-32601/.test(answer) ? ['pingback.ping'] : []
    const page = await fetch(post)
    if (page.headers.has('x-pingback')) got.push('X-Pingback')
    const fields = { url: 'http://elsewhere.invalid/', title: 'Link', excerpt: 'Link' }
    const trackback = await textOf(`${post}trackback/`, { method: 'POST', body: new URLSearchParams(fields) })
    if (!/trackbacks are closed/i.test(trackback)) got.push('a trackback')
    return got
  },

  async user_enumeration_off({ url, post, adminUser }) {
    const id = encodeURIComponent(post)
    const form = (page: string, fields: Record<string, string>) =>
      fetch(`${url}/${page}`, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' }).then(async (answer) =>
        [
          answer.status,
          answer.headers.get('location'),
          /<div[^>]*id="login_error"[^>]*>(.*?)<\/div>/s.exec(await answer.text())?.[1]?.replaceAll(/<[^>]+>/g, ''),
        ].join(' '),
      )
    const unlike = async (page: string, fields: (name: string) => Record<string, string>) => {
      const [known, unknown] = [await form(page, fields(adminUser)), await form(page, fields('nobody'))]
      return known.replaceAll(adminUser, 'X') !== unknown.replaceAll('nobody', 'X') || known.includes(adminUser)
    }
    const author = await fetch(`${url}/?author=1`, { redirect: 'manual' })
    const routes: [string, boolean][] = [
      ['?author=1', author.status === 200 || (author.headers.get('location') ?? '').includes(adminUser)],
      ['?author=1 as a feed', (await fetch(`${url}/?author=1&feed=rss2`)).status === 200],
      ['/author/name/', (await fetch(`${url}/author/${adminUser}/`)).status === 200],
      ['/wp-json/wp/v2/users', (await textOf(`${url}/wp-json/wp/v2/users`)).includes(`"slug":"${adminUser}"`)],
      ['/wp-json/WP/v2/users/1', (await textOf(`${url}/wp-json/WP/v2/users/1`)).includes(`"slug":"${adminUser}"`)],
      ['?rest_route=/wp/v2/users', (await textOf(`${url}/?rest_route=/wp/v2/users`)).includes(`"slug":"${adminUser}"`)],
      ['_embed', (await textOf(`${url}/?rest_route=/wp/v2/posts&_embed=author`)).includes(`"slug":"${adminUser}"`)],
      ['the sitemap', (await textOf(`${url}/wp-sitemap-users-1.xml`)).includes(`author/${adminUser}`)],
      ['oEmbed', (await textOf(`${url}/?rest_route=/oembed/1.0/embed&url=${id}`)).includes(`author/${adminUser}`)],
      ['oEmbed in XML', (await textOf(`${url}/?rest_route=/oembed/1.0/embed&format=xml&url=${id}`)).includes(`author/${adminUser}`)],
      ['a feed', /<dc:creator><!\[CDATA\[(.*?)\]\]>/.exec(await textOf(`${url}/?feed=rss2`))?.[1] === adminUser],
      ['login messages', await unlike('wp-login.php', (log) => ({ log, pwd: 'wrong' }))],
      ['lost passwords', (await form('wp-login.php?action=lostpassword', { user_login: 'nobody' })).includes('There is no account')],
    ]
    return routes.filter(([, leaks]) => leaks).map(([name]) => name)
  },

  async version_hidden({ url }) {
    const pages = ['/', '/?feed=rss2', '/?feed=atom', '/wp-login.php', '/wp-links-opml.php', '/?feed=comments-rss2']
    const version = /\b(?:ver=|\?v=|WordPress[ /]|version=)(?:7\.1\.1|6\.1\.9)/
    const texts = await Promise.all(pages.map((page) => textOf(`${url}${page}`)))
    return pages.filter((_, n) => version.test(texts[n] ?? ''))
  },

  async application_passwords_off({ url, applicationPassword }) {
    const headers = { authorization: `Basic ${Buffer.from(applicationPassword).toString('base64')}` }
    const answer = await fetch(`${url}/?rest_route=/wp/v2/users/me&context=edit`, { headers })
    return answer.status === 200 ? ['a session'] : []
  },

  async security_headers({ url }) {
    const answer = await fetch(url)
    return ['x-frame-options', 'x-content-type-options', 'referrer-policy', 'permissions-policy'].filter(
      (name) => !answer.headers.has(name),
    )
  },

  async login_limited({ url, adminUser, adminPassword }) {
    for (let n = 0; n < 6; n++) await guess(url, adminUser, `wrong ${n}`)
    return (await guess(url, adminUser, adminPassword)) === 302 ? ['a session after six guesses'] : []
  },

  async debug_display_off({ url, dir }) {
    const text = await textOf(`${url}/?svc=warn`)
    return [text.includes(dir) ? 'a path on the server' : '', /nowhere/.test(text) ? 'a table' : ''].filter(Boolean)
  },

  async directory_listing_off({ url }) {
    return (await textOf(`${url}/wp-content/uploads/secret/`)).includes('report.txt') ? ['the names of files'] : []
  },

  async uploads_php_off({ url }) {
    return (await textOf(`${url}/wp-content/uploads/shell.php`)).includes('ran 42') ? ['a program that runs'] : []
  },

  async readme_blocked({ url }) {
    const pages = ['/readme.html', '/license.txt']
    const answers = await Promise.all(pages.map((page) => fetch(`${url}${page}`)))
    return pages.filter((_, n) => answers[n]?.status === 200)
  },

  async ssl_admin_forced({ url }) {
    const answer = await fetch(`${url.replace('https:', 'http:')}/wp-login.php`, { redirect: 'manual' })
    return answer.status === 200 && /name="pwd"/.test(await answer.text()) ? ['a form that sends the password in the clear'] : []
  },
}

const textOf = async (url: string, options: RequestInit = {}) => (await fetch(url, options)).text()

function methodCall(name: string, ...texts: string[]): string {
  const params = texts.map((text) => `<param><value><string>${text}</string></value></param>`).join('')
  return `<?xml version="1.0"?><methodCall><methodName>${name}</methodName><params>${params}</params></methodCall>`
}

/** Status of one try at the login form, from an address of this machine. */
export function guess(url: string, log: string, pwd: string, localAddress = '127.0.0.1'): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', cookie: 'wordpress_test_cookie=WP%20Cookie%20check' }
    const form = request(`${url}/wp-login.php`, { method: 'POST', headers, localAddress, agent: false }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode ?? 0))
    })
    form.once('error', reject).end(new URLSearchParams({ log, pwd, testcookie: '1' }).toString())
  })
}
