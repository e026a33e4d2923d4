/**
 * The shipped table of what moves did next on public prices: each row can be a sum over moves, and is in
 * a bin that a mover can have.
 *
 * @module
 */
import { ok } from "node:assert"
import { binsOf, driftOf, eventsMin } from "../../../src/movers/domain/moveOutcomes.ts"
import { publicOutcomes } from "../../../src/movers/domain/publicOutcomes.ts"
import { day } from "../../../src/core/domain/time.ts"
import { now } from "../../support/movers/market.ts"

const everyBin = new Set(
  [0.05, 0.1, 0.2].flatMap((delta) =>
    [2, 3, 6].flatMap((zScore) =>
      [null, now, now + 30 * day].flatMap((endsAt) =>
        (["1h", "24h"] as const).flatMap((window) =>
          [true, false].flatMap((converged) =>
            binsOf({ delta, zScore, endsAt, window, converged, emittedAt: now })
          )
        )
      )
    )
  ),
)

for (const horizon of ["1h", "24h"] as const) {
  Deno.test(`publicOutcomes: each row after ${horizon} is a possible sum in a bin that exists`, () => {
    for (const [bin, sums] of publicOutcomes.sums[horizon]) {
      ok(everyBin.has(bin), bin)
      const { moves, events, kept, drift, movesMoves, movesDrift, driftDrift } = sums
      ok(events >= eventsMin && events <= moves && kept <= moves, bin)
      // Cauchy and Schwarz, over the events.
      ok(moves ** 2 <= events * movesMoves && drift ** 2 <= events * driftDrift, bin)
      ok(movesDrift ** 2 <= movesMoves * driftDrift && Math.abs(drift) <= 20_000 * moves, bin)
      ok(driftOf(sums) !== null, bin)
    }
  })
}

Deno.test("publicOutcomes have fewer moves in a finer bin", () => {
  for (const sums of Object.values(publicOutcomes.sums)) {
    for (const [bin, { moves, events }] of sums) {
      for (const [coarse, { moves: more, events: moreEvents }] of sums) {
        if (bin.startsWith(`${coarse},`)) {
          ok(moves <= more && events <= moreEvents, `${bin} ${coarse}`)
        }
      }
    }
  }
})
