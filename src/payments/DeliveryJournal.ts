/**
 * The journal of answers that this machine delivered: a file for each hour in UTC, such as
 * `answers-2026-11-22T14`, with one payment id per line.
 *
 * When a process is killed after it delivered an answer and before the store was updated, the next
 * process on the machine updates the store from the newest files. Without it that answer would also
 * be refunded. `deno task restore` reads all files after the store was restored from a backup.
 *
 * A journal that cannot be written never fails a sale: the store is updated anyway.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Metric, Schedule, Schema } from "effect"
import type { EpochMs } from "../core/domain/time.ts"
import { PaymentId } from "./domain/payment.ts"
import type { Outcome } from "./purchase.ts"
import type { Seller } from "./sell.ts"

export interface DeliveryJournal {
  /** The last deliveries of earlier processes, the newest first. The store may not know of them. */
  readonly recent: ReadonlyArray<PaymentId>
  /**
   * Records a delivery. Once it has returned, the record survives a crash of the process, but not
   * of the machine, unless the file could not be written.
   */
  readonly append: (paymentId: PaymentId) => Effect.Effect<void>
}

/** Without a layer, nothing is recorded. */
export const DeliveryJournal = Context.Reference<DeliveryJournal>(
  "bellwether/payments/DeliveryJournal",
  { defaultValue: () => ({ recent: [], append: () => Effect.void }) },
)

/**
 * How many deliveries of the newest files are `recent`: a killed process leaves those of the last
 * seconds, while the store was down too.
 */
const recentMax = 10_000
/**
 * How many files are kept: at least 8 days of deliveries. A backup must not be older. They are counted,
 * because a clock that jumps must not delete them.
 */
const filesKept = 8 * 24

const isPaymentId = Schema.is(PaymentId)

const writeFailures = Metric.counter("journal_write_failures_total", {
  description: "Writes of the delivery journal that failed",
  incremental: true,
})

/**
 * When the store is asked again to mark an answer as delivered, because an answer that is not marked
 * is refunded although it was delivered: for 10 seconds, for which a closing process waits too, and
 * then for as long as the default HOLD while the process runs. The next process reads the journal.
 */
const markSoon = { schedule: Schedule.spaced("250 millis"), times: 40 }
const markLater = { schedule: Schedule.spaced("5 seconds"), times: 120 }

/**
 * Marks an answer as delivered: in the journal at once, in the store in the background, whether or
 * not the journal could be written.
 */
export const makeDeliveryMarks = Effect.fnUntraced(function* (seller: Seller) {
  const { store, shares, inBackground } = seller
  const journal = yield* DeliveryJournal
  const scope = yield* Effect.scope
  const mark = (paymentId: PaymentId) => {
    const marked = Effect.catchDefect(store.markSent(paymentId), Effect.fail)
    const later = Effect.forkIn(Effect.ignore(Effect.retry(marked, markLater)), scope)
    return inBackground(
      Effect.catch(Effect.retry(marked, markSoon), () => Effect.asVoid(later)),
    )
  }
  yield* Effect.forEach(journal.recent, mark, { discard: true })
  return ({ paymentId, receipt }: Outcome) =>
    receipt === null ? Effect.void : journal.append(paymentId).pipe(
      Effect.ensuring(mark(paymentId)),
      Effect.andThen(inBackground(shares.delivered(paymentId))),
    )
})

/** Appends a text to a file, and creates it. Throws when it cannot. */
type Append = (path: string, text: string) => void
const appendText: Append = (path, text) => Deno.writeTextFileSync(path, text, { append: true })

/**
 * Stores the journal in files. The folder must belong to this process alone. A line is written at
 * once but without fsync. A failed write is logged once, and again after a write succeeded in
 * between.
 */
export const layerFile = (folder: string, append: Append = appendText): Layer.Layer<never> =>
  Layer.effect(DeliveryJournal, makeJournal(folder, append))

/**
 * The delivered answers in the files of a journal. Throws when the folder cannot be read or has no
 * such file.
 */
export function readJournal(folder: string): ReadonlySet<PaymentId> {
  const names = fileNames(folder)
  if (names.length === 0) throw new Error(`${folder} has no delivery journal`)
  return new Set(names.flatMap((name) => idsIn(`${folder}/${name}`)))
}

const makeJournal = Effect.fnUntraced(function* (folder: string, append: Append) {
  // So that an alert sees the first failure as an increase.
  yield* Metric.update(writeFailures, 0)
  const report = failureReport(folder)
  let recent: ReadonlyArray<PaymentId> = []
  let lastName = ""
  const write = (now: EpochMs, line: string) => {
    const name = fileName(now)
    // First the end of the line before, which may be incomplete.
    append(`${folder}/${name}`, `\n${line}`)
    if (name !== lastName) deleteOldFiles(folder)
    lastName = name
  }
  const startedAt = yield* Clock.currentTimeMillis
  yield* report(() => {
    Deno.mkdirSync(folder, { recursive: true })
    recent = recentFiles(folder, startedAt)
      .flatMap((name) => idsIn(`${folder}/${name}`).toReversed()).slice(0, recentMax)
    write(startedAt, "")
  })
  return {
    recent,
    append: (paymentId: PaymentId) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => report(() => write(now, paymentId))),
  }
})

/** Runs a write. Counts failures, and logs the first one. */
function failureReport(folder: string) {
  let isFailing = false
  return (write: () => void): Effect.Effect<void> =>
    Effect.suspend(() => {
      try {
        write()
        isFailing = false
        return Effect.void
      } catch (error) {
        const isFirst = !isFailing
        isFailing = true
        const warning = Effect.logWarning(
          `Cannot write the delivery journal in ${folder}: deliveries are recorded in the store only. ` +
            "Let the service write to that folder, which is next to DATA_DIR, or in .data without it; a " +
            "systemd unit from before it was there must be printed again",
          error,
        )
        return Effect.andThen(Metric.update(writeFailures, 1), isFirst ? warning : Effect.void)
      }
    })
}

/** The files of a journal, the oldest first. */
function fileNames(folder: string): ReadonlyArray<string> {
  return [...Deno.readDirSync(folder)].map(({ name }) => name)
    .filter((name) => namePattern.test(name)).sort()
}

/**
 * The two newest files of the past, then the two newest of the future, the newest first. A clock that
 * was fast has written those of the future; after one that is slow now they are the last deliveries.
 */
function recentFiles(folder: string, now: EpochMs): ReadonlyArray<string> {
  const names = fileNames(folder).toReversed()
  const isFuture = (name: string) => name > fileName(now)
  return [
    ...names.filter((name) => !isFuture(name)).slice(0, 2),
    ...names.filter(isFuture).slice(0, 2),
  ]
}

/** The ids in a file, without repetitions. */
function idsIn(path: string): ReadonlyArray<PaymentId> {
  return [...new Set(Deno.readTextFileSync(path).split("\n").filter(isPaymentId))]
}

const fileName = (now: EpochMs) => `answers-${new Date(now).toISOString().slice(0, 13)}`

const namePattern = /^answers-\d{4}-\d{2}-\d{2}T\d{2}$/

function deleteOldFiles(folder: string): void {
  for (const name of fileNames(folder).slice(0, -filesKept)) Deno.removeSync(`${folder}/${name}`)
}
