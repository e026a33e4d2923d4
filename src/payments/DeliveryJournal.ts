/**
 * The journal of answers that this machine delivered.
 *
 * Its file `answers` has the deliveries that the payment store may not know of yet: when a process
 * is killed after it delivered an answer and before the store was updated, the next process on the
 * machine updates the store. Without it that answer would also be refunded.
 *
 * Its files `answers-2026-11-22`, one for each day in UTC, have every delivery of the last days.
 * `deno task restore` reads them after the store was restored from a backup.
 *
 * A journal that cannot be written never fails a sale: the store is updated anyway.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Metric, Schema } from "effect"
import type { EpochMs } from "../core/domain/time.ts"
import { PaymentId } from "./domain/payment.ts"

export interface DeliveryJournal {
  /** Deliveries of earlier processes that the store may not know of. */
  readonly pending: ReadonlyArray<PaymentId>
  /**
   * Records a delivery. Once it has returned, the record survives a crash of the process, but not
   * of the machine, unless the file could not be written.
   */
  readonly append: (paymentId: PaymentId) => Effect.Effect<void>
  /** Deletes the record of `pending`, because the store knows of the delivery. */
  readonly acknowledge: (paymentId: PaymentId) => Effect.Effect<void>
}

/** Without a layer, nothing is recorded. */
export const DeliveryJournal = Context.Reference<DeliveryJournal>(
  "bellwether/payments/DeliveryJournal",
  {
    defaultValue: () => ({
      pending: [],
      append: () => Effect.void,
      acknowledge: () => Effect.void,
    }),
  },
)

/** A file with this many lines is rewritten with the unacknowledged ones only. */
const linesMax = 10_000
/** How many days of deliveries are kept, today included. A backup must not be older. */
const journalDaysKept = 8
const dayMs = 86_400_000

const isPaymentId = Schema.is(PaymentId)
const encoder = new TextEncoder()

const writeFailures = Metric.counter("journal_write_failures_total", {
  description: "Writes of the delivery journal that failed",
  incremental: true,
})

type JournalFile = Pick<Deno.FsFile, "writeSync" | "truncateSync" | "close">
/** Opens a file for appending, and creates it. */
type OpenFile = (path: string) => JournalFile

/**
 * Stores the journal in files. The folder must belong to this process alone. One line per delivery,
 * written at once but without fsync. A failed write is logged once, and again after a write
 * succeeded in between.
 */
export const layerFile = (folder: string, openFile: OpenFile = openToAppend): Layer.Layer<never> =>
  Layer.effect(DeliveryJournal, makeJournal(folder, openFile))

/**
 * The delivered answers in the files of a journal. Throws when the folder cannot be read or has no
 * such file.
 */
export function readJournal(folder: string): ReadonlySet<PaymentId> {
  const names = [...Deno.readDirSync(folder)].map(({ name }) => name)
    .filter((name) => name === "answers" || dayOf(name) !== null)
  if (names.length === 0) throw new Error(`${folder} has no delivery journal`)
  return new Set(names.flatMap((name) => idsIn(`${folder}/${name}`)))
}

const makeJournal = Effect.fnUntraced(function* (folder: string, openFile: OpenFile) {
  // So that an alert sees the first failure as an increase.
  yield* Metric.update(writeFailures, 0)
  const run = failureReport(folder)
  let pending: ReadonlyArray<PaymentId> = []
  const current = lineFile(() => openIn(`${folder}/answers`))
  let day = { name: "", file: current }
  const openIn = (path: string) => {
    Deno.mkdirSync(folder, { recursive: true })
    return openFile(path)
  }
  yield* run(() => pending = idsIn(`${folder}/answers`), () => current.open())
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => [current, day.file].map(({ close }) => close()))
  )

  const unacknowledged = new Set(pending)
  let lines = pending.length
  /** An entry of `unacknowledged` may be missing in the file. */
  let isIncomplete = false
  const appendCurrent = (ids: ReadonlyArray<PaymentId>) => {
    isIncomplete = true
    current.write(ids)
    lines += ids.length
    isIncomplete = false
  }
  const appendToday = (now: EpochMs, paymentId: PaymentId) => {
    const name = dayName(now)
    if (name !== day.name) {
      if (day.name !== "") day.file.close()
      day = { name, file: lineFile(() => openIn(`${folder}/${name}`)) }
      deleteOldDays(folder, now)
    }
    day.file.write([paymentId])
  }
  const append = (paymentId: PaymentId) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      unacknowledged.add(paymentId)
      return run(
        () => appendCurrent(isIncomplete ? [...unacknowledged] : [paymentId]),
        () => appendToday(now, paymentId),
      )
    })
  const acknowledge = (paymentId: PaymentId) =>
    Effect.suspend(() => {
      unacknowledged.delete(paymentId)
      if (lines === 0 || (unacknowledged.size > 0 && lines < linesMax)) return Effect.void
      return run(() => {
        current.truncate()
        lines = 0
        appendCurrent([...unacknowledged])
      })
    })
  return { pending, append, acknowledge }
})

/** Runs writes, each whether or not the others fail. Counts failures, and logs the first one. */
function failureReport(folder: string) {
  let isFailing = false
  return (...writes: ReadonlyArray<() => void>): Effect.Effect<void> =>
    Effect.suspend(() => {
      const failures = writes.flatMap((write): ReadonlyArray<unknown> => {
        try {
          write()
          return []
        } catch (error) {
          return [error]
        }
      })
      const isFirst = failures.length > 0 && !isFailing
      isFailing = failures.length > 0
      if (!isFailing) return Effect.void
      const warning = Effect.logWarning(
        `Cannot write the delivery journal in ${folder}: deliveries are recorded in the store only`,
        failures[0],
      )
      return Effect.andThen(
        Metric.update(writeFailures, failures.length),
        isFirst ? warning : Effect.void,
      )
    })
}

/** A file of lines, which is opened at the first write and again after a failure. */
function lineFile(openFile: () => JournalFile) {
  let file: JournalFile | null = null
  const close = () => {
    const open = file
    file = null
    open?.close()
  }
  const writeText = (open: JournalFile, text: string) => {
    const bytes = encoder.encode(text)
    if (open.writeSync(bytes) < bytes.length) throw new Error("Only a part was written")
  }
  const attempt = (work: (open: JournalFile) => void) => {
    try {
      if (file === null) {
        file = openFile()
        // An incomplete last line must not corrupt the next one.
        writeText(file, "\n")
      }
      work(file)
    } catch (error) {
      try {
        close()
      } catch {
        // It is open no more.
      }
      throw error
    }
  }
  return {
    open: () => attempt(() => {}),
    write: (ids: ReadonlyArray<PaymentId>) =>
      attempt((open) => {
        if (ids.length > 0) writeText(open, ids.map((id) => `${id}\n`).join(""))
      }),
    truncate: () => attempt((open) => open.truncateSync()),
    close,
  }
}

function openToAppend(path: string): JournalFile {
  return Deno.openSync(path, { append: true, create: true })
}

/** The ids in a file, without repetitions; none when there is no file. */
function idsIn(path: string): ReadonlyArray<PaymentId> {
  try {
    return [...new Set(Deno.readTextFileSync(path).split("\n").filter(isPaymentId))]
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return []
    throw error
  }
}

const dayName = (now: EpochMs) => `answers-${new Date(now).toISOString().slice(0, 10)}`

/** The start of the day whose deliveries the file has; null for another file. */
function dayOf(name: string): EpochMs | null {
  const [, date] = /^answers-(\d{4}-\d{2}-\d{2})$/.exec(name) ?? []
  const at = Date.parse(`${date}T00:00:00Z`)
  return Number.isNaN(at) ? null : at
}

function deleteOldDays(folder: string, now: EpochMs): void {
  for (const { name } of [...Deno.readDirSync(folder)]) {
    const day = dayOf(name)
    if (day !== null && day <= now - journalDaysKept * dayMs) Deno.removeSync(`${folder}/${name}`)
  }
}
