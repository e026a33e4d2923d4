/**
 * The delivery journal keeps deliveries when the process dies, and forgets them when the store
 * knows.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Arbitrary, Effect, Logger, Metric, Schema } from "effect"
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

/** Runs the body in a new process, and returns the entries that were pending at its start. */
const runProcess = (
  folder: string,
  body: (journal: DeliveryJournal) => Effect.Effect<void> = () => Effect.void,
  openFile: Parameters<typeof layerFile>[1] = undefined,
) =>
  Effect.gen(function* () {
    const journal = yield* DeliveryJournal
    yield* body(journal)
    return journal.pending
  }).pipe(Effect.provide(layerFile(folder, openFile), { local: true }))

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

/** A disk that refuses writes and truncations while it is full. */
function fullDisk() {
  const disk = { isFull: false, writes: 0 }
  const spend = () => {
    if (disk.isFull) throw new Error("No space left on device (os error 28)")
    disk.writes += 1
  }
  const openFile = (path: string) => {
    const file = Deno.openSync(path, { append: true, create: true })
    return {
      writeSync: (bytes: Uint8Array) => (spend(), file.writeSync(bytes)),
      truncateSync: () => (spend(), file.truncateSync()),
      close: () => file.close(),
    }
  }
  return { disk, openFile }
}

/** The warnings that an effect logs, and how many failed writes it counts. */
const reportsOf = Effect.fnUntraced(function* <E, R>(effect: Effect.Effect<unknown, E, R>) {
  const warnings: Array<string> = []
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
    const { disk, openFile } = fullDisk()
    const delivering = runProcess(folderPath, ({ append, acknowledge }) =>
      Effect.gen(function* () {
        yield* append(first)
        disk.isFull = true
        yield* append(second)
        yield* acknowledge(first)
        yield* acknowledge(second)
        disk.isFull = false
        yield* append(third)
        disk.isFull = true
        yield* append(first)
      }), openFile)
    equal(yield* reportsOf(delivering), { warnings: 2, failures: 5 })
    disk.isFull = false
    // What could not be written while the disk was full is written with the next delivery.
    equal(yield* runProcess(folderPath, ({ append }) => append(second)), [first, third])
  })))

test("a disk that is full at the start keeps the pending entries, and is used when it has space", () =>
  Effect.scoped(Effect.gen(function* () {
    const folderPath = yield* folder
    const { disk, openFile } = fullDisk()
    yield* runProcess(folderPath, ({ append }) => append(first))
    disk.isFull = true
    const starting = runProcess(folderPath, ({ append }) =>
      Effect.gen(function* () {
        yield* append(second)
        disk.isFull = false
        yield* append(third)
      }), openFile)
    equal(yield* starting, [first])
    equal(yield* runProcess(folderPath), [first, second, third])
  })))

test("whenever the disk is full, the file has every entry that was appended and not acknowledged", () =>
  Effect.scoped(Effect.gen(function* () {
    const Step = Schema.Struct({
      isFull: Schema.Boolean,
      append: Schema.Boolean,
      id: Schema.Literals([0, 1, 2, 3]),
    })
    const steps = Arbitrary.schema(Schema.Array(Step).check(Schema.isMaxLength(20)))
    const result = yield* Arbitrary.checkEffect(
      steps,
      (steps) =>
        Effect.scoped(Effect.gen(function* () {
          const folderPath = yield* folder
          const { disk, openFile } = fullDisk()
          const expected = new Set<PaymentId>()
          yield* runProcess(folderPath, ({ append, acknowledge }) =>
            Effect.gen(function* () {
              for (const step of steps) {
                disk.isFull = step.isFull
                const id = ids[step.id] ?? first
                yield* step.append ? append(id) : acknowledge(id)
                if (step.append) expected.add(id)
                else expected.delete(id)
              }
              disk.isFull = false
              yield* append(first)
              expected.add(first)
            }), openFile)
          const found = new Set(yield* runProcess(folderPath))
          return [...expected].every((id) => found.has(id))
        })).pipe(Effect.provide(Logger.layer([]))),
      { runs: 50 },
    )
    equal(Arbitrary.formatCheckFailure(result), undefined)
  })))

test("a real device without space fails no call, and a line that was cut off corrupts no other", () =>
  Effect.scoped(Effect.gen(function* () {
    const folderPath = yield* folder
    const full = () => Deno.openSync("/dev/full", { write: true })
    const all = ({ append, acknowledge }: DeliveryJournal) =>
      Effect.andThen(append(first), acknowledge(first))
    // The start, and the two files of one delivery; the answer is in no file to be taken out of.
    equal(yield* reportsOf(runProcess(folderPath, all, full)), { warnings: 1, failures: 3 })
    const cut = (path: string) => {
      const file = Deno.openSync(path, { append: true, create: true })
      const writeSync = (bytes: Uint8Array) => file.writeSync(bytes.subarray(0, 40))
      return { writeSync, truncateSync: () => file.truncateSync(), close: () => file.close() }
    }
    yield* runProcess(folderPath, ({ append }) => append(first), cut)
    equal(yield* runProcess(folderPath, ({ append }) => append(second)), [])
    equal(yield* runProcess(folderPath), [second])
  })))

test("the files of the last eight days have every delivery, acknowledged or not", () =>
  Effect.scoped(Effect.gen(function* () {
    const folderPath = yield* folder
    const start = Date.parse("2026-12-28T23:59:59Z")
    const names = () => [...Deno.readDirSync(folderPath)].map(({ name }) => name).sort()
    yield* runProcess(folderPath, ({ append, acknowledge }) =>
      Effect.gen(function* () {
        for (const [day, id] of [[0, first], [1, second], [7, third]] as const) {
          yield* TestClock.setTime(start + day * 86_400_000)
          yield* append(id)
          yield* acknowledge(id)
        }
      }))
    yield* Effect.promise(() => Deno.writeTextFile(`${folderPath}/answers-of-mine`, "kept"))
    equal(names(), [
      ...["answers", "answers-2026-12-28", "answers-2026-12-29", "answers-2027-01-04"],
      "answers-of-mine",
    ])
    equal(readJournal(folderPath), new Set([first, second, third]))
    yield* TestClock.setTime(start + 8 * 86_400_000)
    yield* runProcess(folderPath, ({ append }) => append(third))
    equal(names(), [
      ...["answers", "answers-2026-12-29", "answers-2027-01-04", "answers-2027-01-05"],
      "answers-of-mine",
    ])
    equal(readJournal(folderPath), new Set([second, third]))
  })))
