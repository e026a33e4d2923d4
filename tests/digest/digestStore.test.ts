/**
 * The laws of `DigestStore`, on every store.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Arbitrary, Effect, Option, Schema } from "effect"
import { layer } from "../../src/digest/postgres/digestStore.ts"
import { digestEvery } from "../../src/digest/domain/digest.ts"
import { hour, isoTime } from "../../src/core/domain/time.ts"
import { DigestStore, type StoredDigest } from "../../src/digest/DigestStore.ts"
import { memoryDigests } from "../support/digest/memoryDigests.ts"
import { checkProperty, onEveryStore } from "../support/stores.ts"
import { sized } from "../support/size.ts"

const start = Date.UTC(2026, 10, 20)
const slotAt = (n: number) => start + n * digestEvery

/** The digest of the n-th slot by one of several writers, `late` hours after the slot began. */
const digestOf = (n: number, writer: number, late = 0): StoredDigest => ({
  slot: slotAt(n),
  until: slotAt(n) + late * hour,
  feedIndex: n * 10 + writer,
  belowThreshold: (n + writer) % 3 === 0,
  digest: {
    id: `digest-${n}`,
    title: `Title ${n} of ${writer}`,
    summary: "A summary.",
    fullAnalysis: "## What repriced\n\nNothing \u{1f433}.",
    sourcesUsed: ["venue"],
    createdAt: isoTime(slotAt(n) + late * hour),
    facts: [{ id: "F1", statement: "Nothing.", about: null }],
    paragraphs: [{ slug: null, marketId: null, facts: ["F1"] }],
    narrator: `writer ${writer}`,
  },
})

const int = (minimum: number, maximum: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** Few slots, so that writers collide; a digest may be later than the next slot's. */
const Call = Schema.Union([
  Schema.Struct({
    do: Schema.Literal("add"),
    slot: int(0, 6),
    writer: int(0, 2),
    late: int(0, 5),
  }),
  Schema.Struct({ do: Schema.Literal("since"), hours: int(0, 25), limit: int(1, 4) }),
  Schema.Struct({ do: Schema.Literal("prune"), slot: int(0, 4) }),
])
const program = Arbitrary.schema(Schema.Array(Call).check(Schema.isMaxLength(20)))

const called = (store: DigestStore["Service"], call: typeof Call.Type) => {
  switch (call.do) {
    case "add":
      return store.add(digestOf(call.slot, call.writer, call.late))
    case "since":
      return store.since(start + call.hours * hour, call.limit)
    case "prune":
      return store.prune(slotAt(call.slot))
  }
}

onEveryStore("DigestStore", (law) => {
  law(
    "behaves like the in-memory store, call by call",
    checkProperty(program, (calls) =>
      Effect.gen(function* () {
        const model = memoryDigests()
        const real = yield* DigestStore
        for (const [n, call] of calls.entries()) {
          const expected: unknown = yield* called(model, call)
          equal([n, yield* called(real, call)], [n, expected])
          equal(yield* real.latest, yield* model.latest)
        }
      }).pipe(Effect.provide(layer)), { runs: sized({ short: 8, full: 40 }) }),
  )

  law(
    "of concurrent writers exactly one succeeds, and its digest is stored",
    Effect.gen(function* () {
      const store = yield* DigestStore
      for (const slot of [0, 1, 2, 3, 4]) {
        const wrote = yield* Effect.forEach(
          [0, 1, 2, 3, 4, 5, 6, 7],
          (writer) => store.add(digestOf(slot, writer)),
          { concurrency: "unbounded" },
        )
        equal(wrote.filter(Boolean).length, 1)
        equal(Option.getOrNull(yield* store.latest), digestOf(slot, wrote.indexOf(true)))
      }
    }).pipe(Effect.provide(layer)),
  )

  law(
    "characters that PostgreSQL refuses are replaced, and the digest is stored",
    Effect.gen(function* () {
      const store = yield* DigestStore
      const { digest, ...fields } = digestOf(0, 0)
      equal(yield* store.add({ ...fields, digest: { ...digest, title: "a\0b\ud800c" } }), true)
      equal(Option.getOrNull(yield* store.latest)?.digest.title, "ab\ufffdc")
    }).pipe(Effect.provide(layer)),
  )
})
