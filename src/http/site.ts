/**
 * The settings of the public API. Documents, pages and free bodies say most of them.
 *
 * @module
 */
import type { ProductFamily } from "../catalog/domain/family.ts"
import type { VenueMode } from "../catalog/domain/freeRow.ts"
import type { TestTrigger } from "../core/testCall.ts"
import { type PaymentTerms, testNote } from "../payments/domain/x402/terms.ts"
import type { Packages } from "./documents/packages.ts"
import type { RateBudget } from "./server/limits.ts"

export interface Site {
  /** The commit of this release; null where it is not known. */
  readonly commit: string | null
  readonly terms: PaymentTerms
  readonly paymentMode: "live" | "simulated"
  /** How often the feed is updated. */
  readonly tickIntervalMs: number
  readonly venueMode: VenueMode
  /** The test triggers of simulated payments; absent with real ones. */
  readonly testTriggers?: ReadonlyArray<TestTrigger>
  /** The catalog of sibling products. */
  readonly family: ProductFamily
  /** What buyers install. */
  readonly packages: Packages
  /** Where to report security problems: a `mailto:` or `https:` address. */
  readonly contact: string
  /** How many proxies in front append to X-Forwarded-For. */
  readonly trustedProxyHops: number
  readonly limits: {
    readonly free: RateBudget
    readonly documents: RateBudget
    readonly pages: RateBudget
    readonly invalidPayments: RateBudget
  }
}

/** What is not real here, in a sentence each. Every page and every description of the service says it. */
export const simulationNotes = (
  { paymentMode, venueMode, terms }: Site,
): ReadonlyArray<string> =>
  [
    paymentMode === "simulated"
      ? "Payments are simulated: no money moves."
      : testNote(terms.chainId),
    venueMode === "simulated" ? "The market is simulated: its prices are invented." : null,
  ].filter((sentence) => sentence !== null)
