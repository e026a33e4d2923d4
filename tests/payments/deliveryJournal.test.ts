/**
 * The delivery journal keeps deliveries when the process dies, and forgets them when the store
 * knows.
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

/** Runs the body in a new process, and returns the entries that were pending at its start. */
const runProcess = (
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
    const folderPath = `${yield* folder}/of/its/own`
    equal(
      yield* runProcess(
        folderPath,
        ({ append, acknowledge }) =>
          Effect.all([append(first), append(second), acknowledge(first)], { discard: true }),
      ),
      [],
    )
    // The file is cleared when no entry is pending. Until then an entry may be acknowledged twice.
    equal(yield* runProcess(folderPath, ({ acknowledge }) => acknowledge(first)), [first, second])
    equal(
      yield* runProcess(
        folderPath,
        ({ acknowledge }) => Effect.all([acknowledge(first), acknowledge(second)]),
      ),
      [
        first,
        second,
      ],
    )
    equal(yield* runProcess(folderPath, ({ append }) => append(third)), [])
    equal(yield* runProcess(folderPath), [third])
  })))

test("an incomplete or invalid line is skipped", () =>
  Effect.scoped(Effect.gen(function* () {
    const folderPath = yield* folder
    yield* Effect.promise(() =>
      Deno.writeTextFile(`${folderPath}/answers`, `${first}\nnonsense\n0x12`)
    )
    equal(yield* runProcess(folderPath, ({ append }) => append(second)), [first])
    equal(yield* runProcess(folderPath), [first, second])
  })))

test("a folder that cannot be written disables the journal and breaks nothing", () =>
  Effect.scoped(Effect.gen(function* () {
    const folderPath = yield* folder
    yield* Effect.promise(() => Deno.writeTextFile(`${folderPath}/file`, ""))
    equal(yield* runProcess(`${folderPath}/file`, ({ append }) => append(first)), [])
  })))
