import { useWhole } from '../queries.ts'

/** The tags and clients that sites have. */
export const useLabels = () => useWhole('fleet.list', { limit: 1 })
