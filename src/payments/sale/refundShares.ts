/**
 * What failed after it was settled, in this process: such a failure costs its buyer nothing, so anyone
 * who can cause it could have the treasury pay refunds without end.
 *
 * A request that failed is refused before it is charged, until it may work again. The refunds of a
 * payer, of an address and of a product are limited, whatever their cause. Due refunds are always
 * paid; the limits refuse new settle-early sales only.
 *
 * @module
 */
import { resendUnused } from "../../catalog/domain/refusal.ts"
import type { EpochMs } from "../../core/domain/time.ts"
import { NotCharged } from "../domain/failedSale.ts"
import type { Purchase } from "../purchase.ts"
import { waitUnused } from "./responses.ts"

/** How long a request that failed is refused: the payment is valid for longer. */
const failedRequestMs = 60_000
/** The refunds that one payer, address, IPv6 site (/48) or product may cause in `windowMs`. */
const refundsMax = { payer: 5, client: 10, site: 40, product: 20 }
const windowMs = 3_600_000
/** A product is refused only while also more than this share of its sales is refunded. */
const refundedShareMax = 0.5
/** Most keys and failed requests in memory; the oldest are dropped first. */
const entriesMax = 10_000

interface Counted {
  readonly refundedAt: ReadonlyArray<EpochMs>
  /** Settle-early sales that were answered since its first refund in the window. */
  readonly answered: number
}
const none: Counted = { refundedAt: [], answered: 0 }

export function makeRefundShares() {
  const failed = new Map<string, { readonly failure: NotCharged; readonly until: EpochMs }>()
  const counts = new Map<string, Counted>()

  const countOf = (key: string, now: EpochMs): Counted => {
    const { refundedAt, answered } = counts.get(key) ?? none
    const recent = refundedAt.filter((at) => at > now - windowMs)
    return recent.length === 0 ? none : { refundedAt: recent, answered }
  }

  /** Why a new settle-early sale is refused before it is charged; null when it is not. */
  const refusal = (purchase: Purchase, now: EpochMs): NotCharged | null => {
    const last = failed.get(purchase.request)
    if (last !== undefined && last.until > now) return failedBefore(last.failure, last.until - now)
    for (const [kind, key] of keysOf(purchase)) {
      const { refundedAt, answered } = countOf(key, now)
      const excess = refundedAt.length - refundsMax[kind]
      const isMost = refundedAt.length > refundedShareMax * (refundedAt.length + answered)
      if (excess < 0 || (kind === "product" && !isMost)) continue
      return tooManyRefunded(kind, (refundedAt[excess] ?? now) + windowMs - now)
    }
    return null
  }

  /** Records that a settled payment is refunded because its answer failed. */
  const refunded = (purchase: Purchase, failure: NotCharged, now: EpochMs) => {
    put(failed, purchase.request, { failure, until: now + failedRequestMs })
    for (const [, key] of keysOf(purchase)) {
      const { refundedAt, answered } = countOf(key, now)
      put(counts, key, { refundedAt: [...refundedAt, now], answered })
    }
  }

  /** Records that a settled payment was answered. */
  const answered = ({ request, product }: Purchase) => {
    failed.delete(request)
    const count = counts.get(product.id)
    if (count !== undefined) counts.set(product.id, { ...count, answered: count.answered + 1 })
  }
  return { refusal, refunded, answered }
}

/** The keys of a purchase: an address, a site and a product are never the same text. */
function keysOf({ payment, client: { client, site }, product }: Purchase) {
  const keys: ReadonlyArray<readonly [keyof typeof refundsMax, string]> = [
    ["payer", payment.authorization.from],
    ["client", client],
    ["product", product.id],
  ]
  return site === null ? keys : [...keys, ["site", site] as const]
}

function put<A>(map: Map<string, A>, key: string, value: A) {
  map.delete(key)
  if (map.size >= entriesMax) map.delete(map.keys().next().value ?? key)
  map.set(key, value)
}

const secondsOf = (ms: number) => Math.max(1, Math.ceil(ms / 1_000))

const failedBefore = ({ code, message }: NotCharged, waitMs: number) =>
  new NotCharged({ code, message, hint: resendUnused, retryAfterSeconds: secondsOf(waitMs) })

const causes = {
  payer: "this payer",
  client: "this address",
  site: "this network",
  product: "this product",
}

const tooManyRefunded = (kind: keyof typeof causes, waitMs: number) =>
  new NotCharged({
    code: kind === "product" ? "payments_unavailable" : "rate_limited",
    message: `Too many recent payments of ${causes[kind]} had to be refunded`,
    hint: kind === "product" ? resendUnused : waitUnused,
    retryAfterSeconds: secondsOf(waitMs),
  })
