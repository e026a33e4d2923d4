/**
 * How the clock's time and a simulated world's follow from each other.
 *
 * @module
 */
import type { EpochMs } from "../../core/domain/time.ts"
import type { World } from "./world.ts"

export interface VenueOptions {
  /** World milliseconds in one of the clock's; 1 unless a faster world is wanted. */
  readonly speed?: number
  /** The clock's time when the world is at its origin; the origin itself by default. */
  readonly clockOrigin?: EpochMs
  /** Rows in one page of a wallet's activity. */
  readonly activityRows?: number
  /** Older rows of wallets' activity are not kept; all are by default. */
  readonly keptDays?: number
}

export interface WorldClock {
  readonly toWorld: (at: EpochMs) => EpochMs
  readonly fromWorld: (at: EpochMs) => EpochMs
  readonly speed: number
}

export function worldClock(world: World, options: VenueOptions = {}): WorldClock {
  const { speed = 1, clockOrigin = world.options.origin } = options
  const { origin } = world.options
  return {
    speed,
    toWorld: (at) => Math.floor(origin + (at - clockOrigin) * speed),
    fromWorld: (at) => Math.floor(clockOrigin + (at - origin) / speed),
  }
}
