/**
 * What every page knows of its service: its settings, and the paths of the other pages.
 *
 * @module
 */
import type { VenueMode } from "../../catalog/domain/freeRow.ts"
import { networkOf } from "../../payments/domain/x402/terms.ts"
import { paths } from "../documents/addresses.ts"
import type { Packages } from "../documents/packages.ts"

export interface Site {
  readonly publicBaseUrl: string
  readonly paymentMode: "live" | "simulated"
  readonly venueMode: VenueMode
  /** The version of the interface. */
  readonly version: string
  /** A `mailto:` or `https:` address. */
  readonly contact: string
  /** Of payments. */
  readonly chainId: number
  /** What buyers install. */
  readonly packages: Packages
}

/** The name of a network for people; its CAIP-2 form where it has none here. */
export const networkName = (chainId: number): string =>
  networkOf(chainId)?.title ?? `eip155:${chainId}`

export const pagePaths = {
  home: paths.home,
  trackRecord: "/track-record",
  signals: "/signals",
  digest: "/digest",
  status: "/status",
  pricing: "/pricing",
  docs: paths.docs,
} as const

/** The pages of single markets: `/markets/{slug}`. */
export const marketsPrefix = "/markets/"
