declare module 'contract:routes' {
  /** Of each operation its paths, and the action where several share one. */
  const routes: Record<string, [string[], string?]>
  export default routes
}
declare module '*.css'
