/**
 * What was handed over outlives the process that did it, and is forgotten when the store knows.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Effect } from "effect"
import { layer } from "../../src/payments/handOversFile.ts"
import { HandOvers } from "../../src/payments/HandOvers.ts"
import { ticket } from "./paymentStore.laws.ts"
import { test } from "../support/effect.ts"

const ids = Array.from({ length: 4 }, (_, n) => ticket(n).paymentId)
const [first = ticket(9).paymentId, second = first, third = first] = ids

const folder = Effect.acquireRelease(
  Effect.promise(() => Deno.makeTempDir()),
  (folder) => Effect.promise(() => Deno.remove(folder, { recursive: true })),
)

/** What a process on this folder does, and what it was left by those before it. */
const process = (
  folder: string,
  body: (handOvers: typeof HandOvers.Service) => Effect.Effect<void> = () => Effect.void,
) =>
  Effect.gen(function* () {
    const handOvers = yield* HandOvers
    yield* body(handOvers)
    return handOvers.untold
  }).pipe(Effect.provide(layer(folder), { local: true }))

test("what was kept and not told is left to the next process, in order, and no more", () =>
  Effect.scoped(Effect.gen(function* () {
    const place = `${yield* folder}/of/its/own`
    equal(
      yield* process(
        place,
        ({ keep, told }) => Effect.all([keep(first), keep(second), told(first)], { discard: true }),
      ),
      [],
    )
    // Forgotten once nothing is left to tell: until then a line may be told twice, which is harmless.
    equal(yield* process(place, ({ told }) => told(first)), [first, second])
    equal(yield* process(place, ({ told }) => Effect.all([told(first), told(second)])), [
      first,
      second,
    ])
    equal(yield* process(place, ({ keep }) => keep(third)), [])
    equal(yield* process(place), [third])
  })))

test("a line that was cut short, or is no payment, is passed over", () =>
  Effect.scoped(Effect.gen(function* () {
    const place = yield* folder
    yield* Effect.promise(() => Deno.writeTextFile(`${place}/answers`, `${first}\nnonsense\n0x12`))
    equal(yield* process(place, ({ keep }) => keep(second)), [first])
    equal(yield* process(place), [first, second])
  })))

test("a folder that cannot be written keeps nothing, and stops nobody", () =>
  Effect.scoped(Effect.gen(function* () {
    const place = yield* folder
    yield* Effect.promise(() => Deno.writeTextFile(`${place}/file`, ""))
    equal(yield* process(`${place}/file`, ({ keep }) => keep(first)), [])
  })))
