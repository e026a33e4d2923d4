/**
 * What a payer, an address, a network or a product may cost without paying for it. After a payment is
 * found valid its presenter can still choose that nothing is charged, or that it is refunded, so each
 * such end keeps a share, in the shared rate limits. Who has no share left is refused before a claim.
 *
 * - `unpaid`: claimed and released, or refused because the payer has too many in progress. Addresses and networks are counted by the limit of invalid payments.
 * - `unsettled`: the chain did not show its settlement in time, whatever the facilitator reports.
 * - `refunded`: charged, and refunded because its answer failed, or because it was not fetched. It ends
 *   settle-early sales only. An answered sale gives its product a share back, so most sales of a product
 *   must have failed. Of an answer that was not fetched the sweep knows the payer alone.
 * - `abandoned`: charged, and its buyer hung up before the answer. The sweep would count it only when HOLD
 *   is over. It ends settle-early sales only; the share is given back when this replica delivers the answer.
 *
 * A request that failed after its payment is also refused, until it may work again. Due refunds are
 * always paid. A replica learns that a share is used up when it keeps one itself. Limits that fail change
 * no sale.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { resendUnused } from "../../catalog/domain/refusal.ts"
import { type EpochMs, leftMs } from "../../core/domain/time.ts"
import { makeLimit, type RateLimits } from "../../core/RateLimits.ts"
import { NotCharged } from "../domain/failedSale.ts"
import type { Address, PaymentId } from "../domain/payment.ts"
import type { Purchase } from "../purchase.ts"
import { waitUnused } from "./responses.ts"

const minute = 60_000
/** How long a request that failed is refused: the payment is valid for longer. */
const failedRequestMs = minute
/** Most failed requests in memory, and most abandoned sales. */
const entriesMax = 10_000
/** The shares of one payer, address, IPv6 site (/48) or product in `windowMs`. */
const kinds = {
  unpaid: { windowMs: minute, max: { payer: 30 } },
  unsettled: { windowMs: 10 * minute, max: { payer: 5, client: 20, site: 80 } },
  abandoned: { windowMs: 10 * minute, max: { payer: 5, client: 20, site: 80 } },
  refunded: { windowMs: 60 * minute, max: { payer: 5, client: 10, site: 40, product: 20 } },
}
type Kind = keyof typeof kinds
const kindNames: ReadonlyArray<Kind> = ["unpaid", "unsettled", "abandoned", "refunded"]

/** Who holds shares: its word, and the key that it is counted by; null for an address without a site. */
const holders = {
  payer: ["this payer", ({ payment }: Purchase) => payment.authorization.from],
  client: ["this address", ({ client }: Purchase) => client.client],
  site: ["this network", ({ client }: Purchase) => client.site],
  product: ["this product", ({ product }: Purchase) => product.id],
} as const
type Holder = keyof typeof holders
const holderNames: ReadonlyArray<Holder> = ["payer", "client", "site", "product"]

/** A limit, and the key that it counts a purchase by. */
interface Share {
  readonly holder: Holder
  readonly limit: ReturnType<typeof makeLimit>
  readonly key: string
}

/** The limits of all kinds and holders. */
function makeLimits(rateLimits: RateLimits["Service"], clock: Clock.Clock) {
  const limits = new Map(kindNames.flatMap((kind) => {
    const { windowMs, max } = kinds[kind]
    return Object.entries(max).map(([holder, limit]) => {
      const name = `${kind}/${holder}`
      return [name, makeLimit(rateLimits, clock, { name, limit, windowMs })] as const
    })
  }))
  const sharesOf = (kind: Kind, purchase: Purchase) =>
    holderNames.flatMap((holder): ReadonlyArray<Share> => {
      const limit = limits.get(`${kind}/${holder}`)
      const key = holders[holder][1](purchase)
      return limit === undefined || key === null ? [] : [{ holder, limit, key }]
    })
  return { limits, sharesOf }
}

export function makeShares(rateLimits: RateLimits["Service"], clock: Clock.Clock) {
  const { limits, sharesOf } = makeLimits(rateLimits, clock)
  const failed = new Map<string, { readonly failure: NotCharged; readonly at: EpochMs }>()
  /** The shares of sales whose buyers hung up, until their answers are delivered. */
  const abandoned = new Map<PaymentId, ReadonlyArray<Share>>()

  /** Why a new sale is refused before it is charged; null when it is not. */
  const refusal = (purchase: Purchase): NotCharged | null => {
    const isEarly = purchase.product.settlementOrder === "settle-early"
    const last = isEarly ? failed.get(purchase.request) : undefined
    const now = clock.currentTimeMillisUnsafe()
    const failedForMs = leftMs(last?.at ?? -Infinity, failedRequestMs, now)
    if (last !== undefined && failedForMs > 0) return failedBefore(last.failure, failedForMs)
    for (const kind of kindNames) {
      if ((kind === "refunded" || kind === "abandoned") && !isEarly) continue
      for (const { holder, limit, key } of sharesOf(kind, purchase)) {
        const refusedForMs = limit.refusedForMs(key)
        if (refusedForMs > 0) return noShareLeft(kind, holder, refusedForMs)
      }
    }
    return null
  }

  /** Keeps a share of the purchase. A limit that cannot be read keeps none. */
  const keep = (kind: Kind, purchase: Purchase) =>
    Effect.forEach(
      sharesOf(kind, purchase),
      ({ limit, key }) => Effect.ignoreCause(limit.take(key)),
      { concurrency: "unbounded", discard: true },
    )

  /** Records that a settled payment is refunded because its answer failed. */
  const refunded = (purchase: Purchase, failure: NotCharged) =>
    Effect.suspend(() => {
      remember(failed, purchase.request, { failure, at: clock.currentTimeMillisUnsafe() })
      return keep("refunded", purchase)
    })

  /** Records that a settled payment is refunded because its answer was not fetched. */
  const unfetched = (payer: Address) =>
    Effect.ignoreCause(limits.get("refunded/payer")?.take(payer) ?? Effect.void)

  /** Records that a settled payment was answered. */
  const answered = ({ request, product }: Purchase) =>
    Effect.suspend(() => {
      failed.delete(request)
      return Effect.ignoreCause(
        limits.get("refunded/product")?.giveBack(product.id) ?? Effect.void,
      )
    })

  /** Keeps a share until the answer is delivered. */
  const abandon = (paymentId: PaymentId, purchase: Purchase) =>
    Effect.suspend(() => {
      remember(abandoned, paymentId, sharesOf("abandoned", purchase))
      return keep("abandoned", purchase)
    })

  /** Gives the share back, once: who fetches the answer may hang up again. */
  const delivered = (paymentId: PaymentId) =>
    Effect.suspend(() => {
      const shares = abandoned.get(paymentId) ?? []
      abandoned.delete(paymentId)
      return Effect.forEach(shares, ({ limit, key }) => Effect.ignoreCause(limit.giveBack(key)), {
        discard: true,
      })
    })
  return { refusal, keep, abandon, delivered, refunded, unfetched, answered }
}

/** Adds an entry as the newest. Of too many the oldest is dropped. */
function remember<K, V>(entries: Map<K, V>, key: K, value: V): void {
  entries.delete(key)
  const [oldest] = entries.keys()
  if (entries.size >= entriesMax && oldest !== undefined) entries.delete(oldest)
  entries.set(key, value)
}

const secondsOf = (ms: number) => Math.max(1, Math.ceil(ms / 1_000))

const failedBefore = ({ code, message }: NotCharged, waitMs: number) =>
  new NotCharged({ code, message, hint: resendUnused, retryAfterSeconds: secondsOf(waitMs) })

const ends = {
  unpaid: "were not charged",
  unsettled: "could not be settled",
  abandoned: "were charged and their answers not awaited",
  refunded: "had to be refunded",
}

const noShareLeft = (kind: Kind, holder: Holder, waitMs: number) =>
  new NotCharged({
    code: holder === "product" ? "payments_unavailable" : "rate_limited",
    message: `Too many recent payments of ${holders[holder][0]} ${ends[kind]}`,
    hint: holder === "product" ? resendUnused : waitUnused,
    retryAfterSeconds: secondsOf(waitMs),
  })
