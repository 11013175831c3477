import { useQuery, useQueryClient } from '@tanstack/react-query'
import { askSession } from '../api.ts'

export interface Passkey {
  id: string
  name: string
  synced: boolean
  created_at: string
  used_at: string | null
}

export interface Factors {
  authenticator: { since: string } | null
  recovery_codes_left: number
  passkeys: Passkey[]
  passkeys_at: string | null
  passkeys_refused: string | null
}

/** With a new first factor, shown once. */
export interface Added {
  recovery_codes: string[] | null
}

export const useFactors = () => useQuery({ queryKey: ['session', 'factors'], queryFn: () => askSession<Factors>('/factors') })

/** Asks anew what the person has and where they are signed in. */
export function useAnew() {
  const client = useQueryClient()
  return () => {
    void client.invalidateQueries({ queryKey: ['session', 'factors'] })
    void client.invalidateQueries({ queryKey: ['session', 'list'] })
  }
}

export const hasFactor = ({ authenticator, passkeys }: Factors) => authenticator !== null || passkeys.length > 0
