// What the browser does with passkeys; loaded when somebody uses one.
import { askSession } from '../api.ts'
import { t } from '../text.ts'

/** TypeScript does not know yet that browsers read and write these as JSON. */
const credentials = globalThis.PublicKeyCredential as unknown as {
  parseCreationOptionsFromJSON(options: unknown): PublicKeyCredentialCreationOptions
  parseRequestOptionsFromJSON(options: unknown): PublicKeyCredentialRequestOptions
}
const asJson = (made: Credential | null) => (made as unknown as { toJSON(): unknown } | null)?.toJSON()

/** Has the browser make one. */
export async function makePasskey(): Promise<unknown> {
  const options = await askSession<unknown>('/passkeys_offer', {})
  const publicKey = credentials.parseCreationOptionsFromJSON(options)
  return asJson(await navigator.credentials.create({ publicKey }).catch(inWords))
}

/** Has the browser sign with one. */
export async function signWithPasskey(): Promise<unknown> {
  const options = await askSession<unknown>('/passkey_options', {})
  const publicKey = credentials.parseRequestOptionsFromJSON(options)
  return asJson(await navigator.credentials.get({ publicKey }).catch(inWords))
}

const reasons: Record<string, string> = {
  NotAllowedError: t('No passkey was used: it was cancelled, took too long, or there is none here.'),
  InvalidStateError: t('This device has a passkey of yours for this service already.'),
  SecurityError: t('The browser uses no passkeys at this address.'),
}

function inWords(error: unknown): never {
  throw new Error((error instanceof DOMException && reasons[error.name]) || t('The browser could not use a passkey.'))
}
