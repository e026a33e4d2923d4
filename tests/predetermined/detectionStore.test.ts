/**
 * The laws of `DetectionStore` on every database: it behaves like a map, and never resets `published`.
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
      do: Schema.Literal("save"),
      at: int(0, 9),
      rows: Schema.Array(Schema.Struct({
        which: int(0, 4),
        key: Schema.NullOr(Schema.Literals(["a", "b", "\0odd\ud800“"])),
        result: Schema.Literals(["undetermined", "failed", "published"]),
      })).check(Schema.isMaxLength(8)),
    }),
    Schema.Struct({ do: Schema.Literal("prune"), before: int(0, 10) }),
  ])).check(Schema.isMaxLength(10)),
)
type Program = typeof program extends Arbitrary.Arbitrary<infer A> ? A : never

const id = (n: number) => MarketId.make(`m${n}`)
const ids = [0, 1, 2, 3, 4].map(id)

/** The content of the store after these steps, computed with a map. */
function modelAfter(steps: Program): ReadonlyMap<MarketId, StoredDetection> {
  const model = new Map<MarketId, StoredDetection>()
  for (const step of steps) {
    if (step.do === "prune") {
      for (const [id, { consideredAt, published }] of model) {
        if (!published && consideredAt < now + step.before) model.delete(id)
      }
      continue
    }
    for (const { which, key, result } of step.rows) {
      const before = model.get(id(which))
      model.set(id(which), {
        evidenceKey: key?.replace("\0", "").toWellFormed() ?? before?.evidenceKey ?? null,
        consideredAt: Math.max(before?.consideredAt ?? 0, now + step.at),
        published: result === "published" || before?.published === true,
      })
    }
  }
  return model
}

onEveryStore("DetectionStore", (law) => {
  law(
    "has the same content as a map, and never deletes a published market",
    checkProperty(program, (steps) =>
      Effect.gen(function* () {
        const store = yield* DetectionStore
        for (const step of steps) {
          if (step.do === "prune") yield* store.prune(now + step.before)
          else {
            yield* store.save(
              step.rows.map(({ which, key, result }) => ({
                ...{ marketId: id(which), evidenceKey: key, result },
              })),
              now + step.at,
            )
          }
        }
        const model = modelAfter(steps)
        assert.deepEqual(
          new Map([...yield* store.find([...ids, MarketId.make("unknown")])].sort()),
          new Map([...model].sort()),
        )
        assert.equal((yield* store.find([])).size, 0)
        const unpublished = [...model.values()].filter(({ published }) => !published).length
        assert.equal(yield* store.prune(now + 100), unpublished)
      }).pipe(Effect.provide(layer)), { runs: sized({ short: 10, full: 60 }) }),
  )

  law(
    "saves more markets than fit into one statement",
    Effect.gen(function* () {
      const store = yield* DetectionStore
      const many = Array.from({ length: 2_345 }, (_, n) => id(n))
      yield* store.save(
        many.map((marketId) => ({ marketId, evidenceKey: "a", result: "published" })),
        now,
      )
      assert.equal((yield* store.find(many)).size, many.length)
    }).pipe(Effect.provide(layer)),
  )
})
