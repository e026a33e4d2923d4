/**
 * What every page knows of its service.
 *
 * @module
 */
import type { VenueMode } from "../../catalog/domain/freeRow.ts"
import type { Packages } from "../documents/packages.ts"

export interface Site {
  readonly publicBaseUrl: string
  readonly paymentMode: "live" | "simulated"
  readonly venueMode: VenueMode
  /** The version of the interface. */
  readonly version: string
  /** A `mailto:` or `https:` address. */
  readonly contact: string
  /** CAIP-2, such as `eip155:8453`. */
  readonly network: string
  /** What buyers install. */
  readonly packages: Packages
}

const networkNames: Readonly<Record<string, string>> = {
  "eip155:8453": "Base",
  "eip155:84532": "Base Sepolia, a test network",
}

/** The name of a network for people; its CAIP-2 form where it has none here. */
export const networkName = (network: string): string => networkNames[network] ?? network
