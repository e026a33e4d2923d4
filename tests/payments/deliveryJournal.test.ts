/**
 * What was delivered outlives the process that did it, and is forgotten when the store knows.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Effect } from "effect"
import { DeliveryJournal, layerFile } from "../../src/payments/DeliveryJournal.ts"
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
  body: (journal: DeliveryJournal) => Effect.Effect<void> = () => Effect.void,
) =>
  Effect.gen(function* () {
    const journal = yield* DeliveryJournal
    yield* body(journal)
    return journal.pending
  }).pipe(Effect.provide(layerFile(folder), { local: true }))

test("the next process reads exactly the unacknowledged entries, in order", () =>
  Effect.scoped(Effect.gen(function* () {
    const place = `${yield* folder}/of/its/own`
    equal(
      yield* process(
        place,
        ({ append, acknowledge }) =>
          Effect.all([append(first), append(second), acknowledge(first)], { discard: true }),
      ),
      [],
    )
    // Forgotten once nothing is left pending: until then a line may be acknowledged twice, which is harmless.
    equal(yield* process(place, ({ acknowledge }) => acknowledge(first)), [first, second])
    equal(
      yield* process(
        place,
        ({ acknowledge }) => Effect.all([acknowledge(first), acknowledge(second)]),
      ),
      [
        first,
        second,
      ],
    )
    equal(yield* process(place, ({ append }) => append(third)), [])
    equal(yield* process(place), [third])
  })))

test("an incomplete or invalid line is skipped", () =>
  Effect.scoped(Effect.gen(function* () {
    const place = yield* folder
    yield* Effect.promise(() => Deno.writeTextFile(`${place}/answers`, `${first}\nnonsense\n0x12`))
    equal(yield* process(place, ({ append }) => append(second)), [first])
    equal(yield* process(place), [first, second])
  })))

test("a folder that cannot be written disables the journal and breaks nothing", () =>
  Effect.scoped(Effect.gen(function* () {
    const place = yield* folder
    yield* Effect.promise(() => Deno.writeTextFile(`${place}/file`, ""))
    equal(yield* process(`${place}/file`, ({ append }) => append(first)), [])
  })))
