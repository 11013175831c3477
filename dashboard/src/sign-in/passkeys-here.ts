/** Whether this browser uses passkeys on this page: they are tied to the name at which the service is public. */
export const passkeysHere = (at: string | null | undefined) =>
  at != null && new URL(at).hostname === location.hostname && 'parseRequestOptionsFromJSON' in (globalThis.PublicKeyCredential ?? {})
