/**
 * What the sums of drift cost with a year of movers:
 * `deno run -A --no-check bench/moveBins.ts [checks, 200000]`, with DATABASE_URL for PostgreSQL, else on
 * the embedded store.
 *
 * Half of the checks are of one horizon; an event has two movers. Printed: the time of `moveBins`, and of
 * saving a batch of 200 verdicts, each the median and the slowest of 20.
 *
 * @module
 */
import { Console, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import * as scoreStore from "../src/track-record/postgres/scoreStore.ts"
import { binsOf, outcomeOf } from "../src/movers/domain/moveOutcomes.ts"
import type { ScoreCheck } from "../src/track-record/domain/selfScore.ts"
import { ScoreStore } from "../src/track-record/ScoreStore.ts"
import { embeddedStore, postgresStore } from "../tests/support/stores.ts"
import { Random } from "../tests/support/random.ts"
import { hour } from "../src/core/domain/time.ts"

const checks = Number(Deno.args[0] ?? 200_000)
const url = Deno.env.get("DATABASE_URL") || undefined
const batch = 200
const runs = 20
const random = new Random(1)

function check(n: number): ScoreCheck {
  const [priceStart, priceNow] = [random.below(9_000) / 1e4, random.below(9_000) / 1e4]
  const at = n * 60_000
  const features = {
    window: random.pick<"1h" | "24h">(["1h", "24h"]),
    zScore: random.between(2, 9),
    converged: random.chance(0.25),
    endsAt: random.chance(0.1) ? null : at + random.below(90) * hour,
  } as const
  const bins = binsOf({ ...features, delta: priceNow - priceStart, emittedAt: at })
  return {
    ...{ kind: n % 2 === 0 ? "mover_1h" : "mover_24h", feedIndex: n + 1, marketId: null, at },
    ...{ priceStart, priceNow, move: { ...features, eventKey: `event-${n >> 2}`, bins } },
  }
}

const program = Effect.gen(function* () {
  const store = yield* Layer.build(url === undefined ? embeddedStore : postgresStore(url))
  const layer = Layer.provide(scoreStore.layer, Layer.succeedContext(store))
  const scores = Context.get(yield* Layer.build(layer), ScoreStore)
  const timed = Effect.fnUntraced(function* (what: string, run: Effect.Effect<unknown>) {
    const taken: Array<number> = []
    for (let n = 0; n < runs; n++) {
      const began = performance.now()
      yield* run
      taken.push(performance.now() - began)
    }
    taken.sort((a, b) => a - b)
    const [median, slowest] = [taken[runs / 2] ?? 0, taken.at(-1) ?? 0]
    yield* Console.log(`${what}: median ${median.toFixed(1)} ms, slowest ${slowest.toFixed(1)} ms`)
  })
  let from = 0
  const judgeNext = Effect.suspend(() => {
    const added = Array.from({ length: batch }, (_, n) => check(from + n))
    const judged = added.map((check) => {
      if (!("priceStart" in check)) throw new Error(check.kind)
      const outcome = outcomeOf(check, random.below(10_000) / 1e4)
      const verdict = outcome.margin >= 0 ? "persisted" as const : "reverted" as const
      return { check, version: 0, verdict, point: null, outcome }
    })
    const before = from
    from += batch
    return Effect.as(scores.addChecks(before, from, added), judged)
  })
  while (from < checks) yield* Effect.flatMap(judgeNext, scores.saveVerdicts)
  yield* Context.get(store, SqlClient)`VACUUM ANALYZE`
  yield* Console.log(`${checks} checks, ${(yield* scores.moveBins).length} bins`)
  yield* timed("moveBins", scores.moveBins)
  const next = yield* judgeNext
  yield* timed(
    `saveVerdicts of ${batch}, corrections`,
    Effect.suspend(() =>
      scores.saveVerdicts(next.map((judged) => ({
        ...judged,
        outcome: { drift: random.below(2_000) - 1_000, margin: random.below(2_000) - 500 },
      })))
    ),
  )
})

await Effect.runPromise(Effect.scoped(program))
