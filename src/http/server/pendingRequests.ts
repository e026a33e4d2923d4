/**
 * Counts the requests that wait: at most so many in total, per client and per IPv6 /48, so that one
 * client cannot keep all others out.
 *
 * @module
 */
import { Effect } from "effect"
import type { ClientKeys } from "./limits.ts"

interface PendingMax {
  readonly total: number
  readonly perClient: number
  readonly perSite: number
}

/** The limit that a request would exceed: that of its client or /48, or the total. */
export type Exceeded = "client" | "total"

export interface PendingRequests {
  /** The limit that one more request of the client would exceed; null when there is none. */
  readonly exceeded: (keys: ClientKeys, perClientMax?: number) => Exceeded | null
  /** How many requests wait now. */
  readonly total: () => number
  /** Counts a request, and returns the function that ends it. Call `exceeded` first. */
  readonly begin: (keys: ClientKeys) => () => void
}

export function makePendingRequests(max: PendingMax): PendingRequests {
  let total = 0
  const countByKey = new Map<string, number>()
  const count = (key: string) => countByKey.get(key) ?? 0
  const add = (key: string, by: number) => {
    const left = count(key) + by
    if (left === 0) countByKey.delete(key)
    else countByKey.set(key, left)
  }
  const addAll = ({ client, site }: ClientKeys, by: number) => {
    total += by
    add(client, by)
    if (site !== null) add(site, by)
  }
  return {
    exceeded: ({ client, site }, perClientMax = max.perClient) => {
      if (count(client) >= perClientMax) return "client"
      if (site !== null && count(site) >= max.perSite) return "client"
      return total >= max.total ? "total" : null
    },
    total: () => total,
    begin: (keys) => {
      addAll(keys, 1)
      return () => addAll(keys, -1)
    },
  }
}

/** Counts a request while its work runs. Call `exceeded` first. */
export const whilePending = <A, E, R>(
  pending: PendingRequests,
  keys: ClientKeys,
  work: Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const end = pending.begin(keys)
    return Effect.onExit(work, () => Effect.sync(end))
  })
