/**
 * Places for requests that wait: at most so many in total, per client and per IPv6 /48, so that one
 * client cannot take the places of all others.
 *
 * @module
 */
import type { ClientKeys } from "./limits.ts"

interface PlacesMax {
  readonly total: number
  readonly perClient: number
  readonly perSite: number
}

/** Why a request gets no place: its client or /48 has its share, or all places are taken. */
export type Lack = "client" | "total"

export interface Places {
  /** Why the client gets no place now; null when it gets one. */
  readonly lack: (keys: ClientKeys, perClientMax?: number) => Lack | null
  /** Takes a place, and returns the function that frees it. Call `lack` first. */
  readonly take: (keys: ClientKeys) => () => void
}

export function makePlaces(max: PlacesMax): Places {
  let total = 0
  const takenByKey = new Map<string, number>()
  const taken = (key: string) => takenByKey.get(key) ?? 0
  const add = (key: string, by: number) => {
    const left = taken(key) + by
    if (left === 0) takenByKey.delete(key)
    else takenByKey.set(key, left)
  }
  const addAll = ({ client, site }: ClientKeys, by: number) => {
    total += by
    add(client, by)
    if (site !== null) add(site, by)
  }
  return {
    lack: ({ client, site }, perClientMax = max.perClient) => {
      if (taken(client) >= perClientMax) return "client"
      if (site !== null && taken(site) >= max.perSite) return "client"
      return total >= max.total ? "total" : null
    },
    take: (keys) => {
      addAll(keys, 1)
      return () => addAll(keys, -1)
    },
  }
}
