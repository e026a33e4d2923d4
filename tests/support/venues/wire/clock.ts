/**
 * The clock of a world that is served over HTTP: a month of the world can pass in hours.
 *
 * @module
 */
import type { EpochMs } from "../../../../src/core/domain/time.ts"
import type { World } from "../../../../src/venues/simulated/world.ts"

export interface ClockOptions {
  /** World milliseconds per clock millisecond; default 1. */
  readonly speed?: number
  /** The clock's time at the world's origin; default: the origin. */
  readonly clockOrigin?: EpochMs
}

export interface WorldClock {
  readonly toWorld: (at: EpochMs) => EpochMs
  readonly fromWorld: (at: EpochMs) => EpochMs
  readonly speed: number
}

export function worldClock(world: World, options: ClockOptions): WorldClock {
  const { speed = 1, clockOrigin = world.options.origin } = options
  const { origin } = world.options
  return {
    speed,
    toWorld: (at) => Math.floor(origin + (at - clockOrigin) * speed),
    fromWorld: (at) => Math.floor(clockOrigin + (at - origin) / speed),
  }
}
