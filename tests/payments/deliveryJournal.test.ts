/**
 * The delivery journal keeps deliveries when the process dies.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok } from "node:assert/strict"
import { Effect, Logger, Metric } from "effect"
import { TestClock } from "effect/testing"
import type { PaymentId } from "../../src/payments/domain/payment.ts"
import { DeliveryJournal, layerFile, readJournal } from "../../src/payments/DeliveryJournal.ts"
import { ticket } from "./paymentStore.laws.ts"
import { test } from "../support/effect.ts"

const ids = Array.from({ length: 4 }, (_, n) => ticket(n).paymentId)
const [first = ticket(9).paymentId, second = first, third = first] = ids

const folder = Effect.acquireRelease(
  Effect.promise(() => Deno.makeTempDir()),
  (folder) => Effect.promise(() => Deno.remove(folder, { recursive: true })),
)

/** Runs the body in a new process, and returns the deliveries that it read at its start. */
const runProcess = (
  folder: string,
  body: (journal: DeliveryJournal) => Effect.Effect<void> = () => Effect.void,
  writeText: Parameters<typeof layerFile>[1] = undefined,
) =>
  Effect.gen(function* () {
    const journal = yield* DeliveryJournal
    yield* body(journal)
    return journal.recent
  }).pipe(Effect.provide(layerFile(folder, writeText), { local: true }))

const hourMs = 3_600_000

test("the next process reads the deliveries of the two newest files, the newest first", () =>
  Effect.scoped(Effect.gen(function* () {
    const folderPath = `${yield* folder}/of/its/own`
    const appended = (hour: number, ...ids: ReadonlyArray<PaymentId>) =>
      Effect.andThen(
        TestClock.setTime(hour * hourMs),
        runProcess(folderPath, ({ append }) => Effect.forEach(ids, append, { discard: true })),
      )
    equal(yield* appended(0, first, second), [])
    equal(yield* appended(0, second, third), [second, first])
    equal(yield* appended(1, first), [third, second, first])
    equal(yield* appended(9), [first, third, second, first])
    equal(yield* appended(9), [first])
  })))

test("files that a fast clock has dated in the future hide no delivery", () =>
  Effect.scoped(Effect.gen(function* () {
    const folderPath = yield* folder
    const at = (hour: number, id?: PaymentId) =>
      Effect.andThen(
        TestClock.setTime(hour * hourMs),
        runProcess(folderPath, ({ append }) => id === undefined ? Effect.void : append(id)),
      )
    yield* at(10, first)
    yield* at(100, second)
    yield* at(101, third)
    equal(yield* at(11), [first, third, second])
    // And those that a slow clock has dated in the past are not hidden either.
    equal(yield* at(2), [third, second])
  })))

test("an incomplete or invalid line is skipped", () =>
  Effect.scoped(Effect.gen(function* () {
    const folderPath = yield* folder
    yield* Effect.promise(() =>
      Deno.writeTextFile(`${folderPath}/answers-1970-01-01T00`, `${first}\nnonsense\n0x12`)
    )
    equal(yield* runProcess(folderPath, ({ append }) => append(second)), [first])
    equal(yield* runProcess(folderPath), [second, first])
  })))

test("a folder that cannot be written disables the journal and breaks nothing", () =>
  Effect.scoped(Effect.gen(function* () {
    const folderPath = yield* folder
    yield* Effect.promise(() => Deno.writeTextFile(`${folderPath}/file`, ""))
    const journal = `${folderPath}/file`
    const warnings: Array<string> = []
    const recent = runProcess(journal, ({ append }) => append(first))
    yield* reportsOf(Effect.map(recent, (found) => equal(found, [])), warnings)
    const [text = ""] = warnings
    ok(text.startsWith(`Cannot write the delivery journal in ${journal}: `), text)
    match(text, /Let the service write to that folder, which is next to DATA_DIR/)
  })))

/** A disk that refuses writes while it is full. */
function fullDisk() {
  const disk = { isFull: false }
  const append = (path: string, text: string) => {
    if (disk.isFull) throw new Error("No space left on device (os error 28)")
    Deno.writeTextFileSync(path, text, { append: true })
  }
  return { disk, append }
}

/** The warnings that an effect logs, and how many failed writes it counts. */
const reportsOf = Effect.fnUntraced(function* <E, R>(
  effect: Effect.Effect<unknown, E, R>,
  warnings: Array<string> = [],
) {
  const logger = Logger.make(({ message }) => warnings.push(String([message].flat()[0])))
  const failures = Effect.map(
    Metric.snapshot,
    (metrics) => metrics.find(({ id }) => id === "journal_write_failures_total")?.state,
  )
  const before = yield* failures
  yield* Effect.provide(effect, Logger.layer([logger]))
  const after = yield* failures
  const count = (state: unknown) => (state as { count?: number } | undefined)?.count ?? 0
  return { warnings: warnings.length, failures: count(after) - count(before) }
})

test("a full disk is reported once, again after it worked in between, and never fails a call", () =>
  Effect.scoped(Effect.gen(function* () {
    const folderPath = yield* folder
    const { disk, append: writeText } = fullDisk()
    const delivering = runProcess(folderPath, ({ append }) =>
      Effect.gen(function* () {
        yield* append(first)
        disk.isFull = true
        yield* append(second)
        yield* append(second)
        disk.isFull = false
        yield* append(third)
        disk.isFull = true
        yield* append(second)
      }), writeText)
    equal(yield* reportsOf(delivering), { warnings: 2, failures: 3 })
    equal(yield* reportsOf(runProcess(folderPath, ({ append }) => append(second), writeText)), {
      ...{ warnings: 1, failures: 2 },
    })
    disk.isFull = false
    equal(yield* runProcess(folderPath), [third, first])
  })))

test("a real device without space fails no call, and a line that was cut off corrupts no other", () =>
  Effect.scoped(Effect.gen(function* () {
    const folderPath = yield* folder
    const full = (_: string, text: string) => Deno.writeTextFileSync("/dev/full", text)
    const appendFirst = ({ append }: DeliveryJournal) => append(first)
    equal(yield* reportsOf(runProcess(folderPath, appendFirst, full)), { warnings: 1, failures: 2 })
    const cut = (path: string, text: string) =>
      Deno.writeTextFileSync(path, text.slice(0, 40), { append: true })
    yield* runProcess(folderPath, appendFirst, cut)
    equal(yield* runProcess(folderPath, ({ append }) => append(second)), [])
    equal(yield* runProcess(folderPath), [second])
  })))

test("at least the files of eight days are kept, whatever the clock says", () =>
  Effect.scoped(Effect.gen(function* () {
    const folderPath = yield* folder
    const names = () => [...Deno.readDirSync(folderPath)].map(({ name }) => name).sort()
    const start = Date.parse("2026-12-28T23:59:59Z")
    const appendAt = (hour: number, id: PaymentId) =>
      Effect.andThen(
        TestClock.setTime(start + hour * hourMs),
        runProcess(folderPath, ({ append }) => append(id)),
      )
    yield* appendAt(0, first)
    yield* appendAt(100 * 24, second)
    yield* appendAt(1, third)
    yield* Effect.promise(() => Deno.writeTextFile(`${folderPath}/answers-of-mine`, "kept"))
    equal(names(), [
      ...["answers-2026-12-28T23", "answers-2026-12-29T00", "answers-2027-04-07T23"],
      "answers-of-mine",
    ])
    for (let hour = 2; hour <= 8 * 24 - 2; hour++) yield* appendAt(hour, third)
    equal(readJournal(folderPath), new Set([first, third, second]))
    yield* appendAt(8 * 24 - 1, third)
    equal([names().length, names()[0]], [8 * 24 + 1, "answers-2026-12-29T00"])
    equal(readJournal(folderPath), new Set([third, second]))
  })))
