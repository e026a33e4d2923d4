/**
 * The laws of the memory of detections, on every store: it is a plain map, and what was told stays
 * told.
 *
 * @module
 */
import assert from "node:assert/strict"
import { Arbitrary, Effect, Schema } from "effect"
import { layer } from "../../src/predetermined/postgres/detectionStore.ts"
import { MarketId } from "../../src/markets/domain/market.ts"
import { DetectionStore, type StoredDetection } from "../../src/predetermined/DetectionStore.ts"
import { now } from "../support/movers/market.ts"
import { checkProperty, onEveryStore } from "../support/stores.ts"
import { sized } from "../support/size.ts"

const int = (minimum: number, maximum: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const program = Arbitrary.schema(
  Schema.Array(Schema.Union([
    Schema.Struct({
      do: Schema.Literal("remember"),
      at: int(0, 9),
      rows: Schema.Array(Schema.Struct({
        which: int(0, 4),
        key: Schema.NullOr(Schema.Literals(["a", "b", "\0odd\ud800“"])),
        verdict: Schema.Literals(["undetermined", "failed", "told"]),
      })).check(Schema.isMaxLength(8)),
    }),
    Schema.Struct({ do: Schema.Literal("prune"), before: int(0, 10) }),
  ])).check(Schema.isMaxLength(10)),
)
type Program = typeof program extends Arbitrary.Arbitrary<infer A> ? A : never

const id = (n: number) => MarketId.make(`m${n}`)
const ids = [0, 1, 2, 3, 4].map(id)

/** The same memory, kept in a map. */
function remembered(steps: Program): ReadonlyMap<MarketId, StoredDetection> {
  const held = new Map<MarketId, StoredDetection>()
  for (const step of steps) {
    if (step.do === "prune") {
      for (const [id, { consideredAt, told }] of held) {
        if (!told && consideredAt < now + step.before) held.delete(id)
      }
      continue
    }
    for (const { which, key, verdict } of step.rows) {
      const before = held.get(id(which))
      held.set(id(which), {
        evidenceKey: key?.replace("\0", "").toWellFormed() ?? before?.evidenceKey ?? null,
        consideredAt: Math.max(before?.consideredAt ?? 0, now + step.at),
        told: verdict === "told" || before?.told === true,
      })
    }
  }
  return held
}

onEveryStore("DetectionStore", (law) => {
  law(
    "answers as a map would, and never forgets what was told",
    checkProperty(program, (steps) =>
      Effect.gen(function* () {
        const store = yield* DetectionStore
        for (const step of steps) {
          if (step.do === "prune") yield* store.prune(now + step.before)
          else {
            yield* store.remember(
              step.rows.map(({ which, key, verdict }) => ({
                ...{ marketId: id(which), evidenceKey: key, verdict },
              })),
              now + step.at,
            )
          }
        }
        const model = remembered(steps)
        assert.deepEqual(
          new Map([...yield* store.held([...ids, MarketId.make("unheard-of")])].sort()),
          new Map([...model].sort()),
        )
        assert.equal((yield* store.held([])).size, 0)
        const untold = [...model.values()].filter(({ told }) => !told).length
        assert.equal(yield* store.prune(now + 100), untold)
      }).pipe(Effect.provide(layer)), { runs: sized({ short: 10, full: 60 }) }),
  )

  law(
    "remembers more markets than go into one statement",
    Effect.gen(function* () {
      const store = yield* DetectionStore
      const many = Array.from({ length: 2_345 }, (_, n) => id(n))
      yield* store.remember(
        many.map((marketId) => ({ marketId, evidenceKey: "a", verdict: "told" })),
        now,
      )
      assert.equal((yield* store.held(many)).size, many.length)
    }).pipe(Effect.provide(layer)),
  )
})
