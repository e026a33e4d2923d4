/**
 * What to buy next: pure, from what was seen and what was bought.
 *
 * The feed comes first. A digest is read once when there is a new one, a report asked for on the
 * market of the strongest move, and both only if enough is left to go on with the feed.
 *
 * @module
 */
import type { AtomicAmount } from "../../src/core/domain/money.ts"
import { type Contract, type Offer, offerAt } from "./contract.ts"
import type { Index, Item } from "./items.ts"
import { type Ledger, left, type Limits, objection } from "./ledger.ts"

export const paths = {
  index: "/v1/index",
  items: "/v1/signals",
  digest: "/v1/digest",
  report: "/v1/research",
  payment: "/v1/payments/{paymentId}",
  health: "/health",
} as const

export interface Memory {
  /** The last feed index that was read or given up; null before the first look. */
  readonly seen: number | null
  /** The digest that was read or given up. */
  readonly digestAt: string | null
  /** Markets a report was asked for. */
  readonly reported: ReadonlyArray<string>
  /** The strongest move among the items read so far, of which there is no report. */
  readonly mover: { readonly market: string; readonly zScore: number } | null
  /** How often in a row the feed was not to be had. */
  readonly misses: number
}

export const blank: Memory = { seen: null, digestAt: null, reported: [], mover: null, misses: 0 }

export type Want =
  | { readonly kind: "items"; readonly since: number }
  | { readonly kind: "digest"; readonly at: string }
  | { readonly kind: "report"; readonly market: string }

/** How many items back an agent begins that has seen nothing yet. */
export const firstLook = 10
/** A move of so many times its expected size is worth a report. */
export const strongZ = 6
/** Extras leave money for so many more calls of the feed. */
export const feedCallsKept = 2
/** How often in a row the feed may not be had before there is nothing to stay for. */
export const missesMax = 3

/** What an agent would like to have, the most useful first. */
export function wants(memory: Memory, { index, digest }: Index): ReadonlyArray<Want> {
  const seen = memory.seen ?? Math.max(0, index - firstLook)
  const found: Array<Want> = []
  if (index > seen) found.push({ kind: "items", since: seen })
  if (digest !== null && digest.latestAt !== memory.digestAt) {
    found.push({ kind: "digest", at: digest.latestAt })
  }
  const { mover } = memory
  if (mover !== null) found.push({ kind: "report", market: mover.market })
  return found
}

export type Decision =
  | {
    readonly kind: "buy"
    readonly offer: Offer
    readonly price: AtomicAmount
    readonly path: string
  }
  /** Not this; what else is wanted may still be had. */
  | { readonly kind: "pass"; readonly why: string }
  /** The feed itself cannot be had any more: nothing is left to do. */
  | { readonly kind: "stop"; readonly why: string }

/** Whether the budget lets a want be bought. */
export function decide(
  want: Want,
  contract: Contract,
  ledger: Ledger,
  limits: Limits,
): Decision {
  const path = paths[want.kind]
  const offer = offerAt(contract, path)
  const price = offer?.price ?? null
  if (offer === undefined || price === null) return refuse(want, `${path} is not for sale here`)
  const against = objection(price, ledger, limits)
  if (against !== null) return refuse(want, `${path} would go ${against}`)
  const feed = offerAt(contract, paths.items)?.price ?? 0n
  if (want.kind !== "items" && left(ledger, limits) - price < feed * BigInt(feedCallsKept)) {
    return refuse(want, `${path} would leave too little for the feed`)
  }
  return { kind: "buy", offer, price, path: pathOf(want, offer) }
}

function refuse({ kind }: Want, why: string): Decision {
  return { kind: kind === "items" ? "stop" : "pass", why }
}

/** Path and query of a want. */
function pathOf(want: Want, { maxima }: Offer): string {
  switch (want.kind) {
    case "items": {
      const count = maxima.get("count")
      return `${paths.items}?since=${want.since}${count === undefined ? "" : `&count=${count}`}`
    }
    case "digest":
      return paths.digest
    case "report":
      return `${paths.report}?market=${encodeURIComponent(want.market)}`
  }
}

/** What is remembered once a want is over, had or given up, so that it is not asked for again. */
export function closed(memory: Memory, want: Want, index: Index): Memory {
  switch (want.kind) {
    case "items":
      return { ...memory, seen: Math.max(want.since, index.index), misses: 0 }
    case "digest":
      return { ...memory, digestAt: want.at }
    case "report":
      return { ...memory, reported: [...memory.reported, want.market], mover: null }
  }
}

/** What is remembered of a want that was not had: the feed is asked for again, an extra is not. */
export function missed(memory: Memory, want: Want, index: Index): Memory {
  return want.kind === "items"
    ? { ...memory, misses: memory.misses + 1 }
    : closed(memory, want, index)
}

/** What is remembered of items that were read: where they end, and the strongest move. */
export function learned(memory: Memory, since: number, items: ReadonlyArray<Item>): Memory {
  const seen = items.reduce((last, { feedIndex }) => Math.max(last, feedIndex), since)
  const movers = items.flatMap((item) =>
    "data" in item && item.type === "mover" && Math.abs(item.data.zScore) >= strongZ
      ? [{ market: item.data.market.slug, zScore: Math.abs(item.data.zScore) }]
      : []
  ).filter(({ market }) => !memory.reported.includes(market))
  const mover = movers.reduce(
    (best, next) => best === null || next.zScore > best.zScore ? next : best,
    memory.mover,
  )
  return { ...memory, seen, mover, misses: 0 }
}
