/**
 * The journal of answers that this machine delivered and that the payment store may not know of
 * yet.
 *
 * When a process is killed after it delivered an answer and before the store was updated, the next
 * process on the machine updates the store. Without the journal that answer would also be refunded.
 *
 * @module
 */
import { Context, Effect, Layer, Schema } from "effect"
import { PaymentId } from "./domain/payment.ts"

export interface DeliveryJournal {
  /** Deliveries of earlier processes that the store may not know of. */
  readonly pending: ReadonlyArray<PaymentId>
  /**
   * Records a delivery. Once it has returned, the record survives a crash of the process, but not
   * of the machine.
   */
  readonly append: (paymentId: PaymentId) => Effect.Effect<void>
  /** Deletes the record, because the store knows of the delivery. */
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

const isPaymentId = Schema.is(PaymentId)
const encoder = new TextEncoder()

/**
 * Stores the journal in a file. The folder must belong to this process alone. One line per
 * delivery, written at once but without fsync. When the file cannot be opened, this is logged once
 * and nothing is recorded.
 */
export const layerFile = (folder: string): Layer.Layer<never> =>
  Layer.effect(
    DeliveryJournal,
    Effect.try(() => open(folder)).pipe(
      Effect.catch((error) =>
        Effect.as(
          Effect.logWarning(`Cannot write the delivery journal in ${folder}`, error.cause),
          DeliveryJournal.defaultValue(),
        )
      ),
    ),
  )

function open(folder: string): DeliveryJournal {
  const path = `${folder}/answers`
  Deno.mkdirSync(folder, { recursive: true })
  const file = Deno.openSync(path, { read: true, append: true, create: true })
  const text = Deno.readTextFileSync(path)
  const pending = text.split("\n").filter(isPaymentId)
  const unacknowledged = new Set<PaymentId>(pending)
  let lines = pending.length
  const write = (ids: Iterable<PaymentId>) => {
    file.writeSync(encoder.encode([...ids].map((id) => `${id}\n`).join("")))
  }
  // An incomplete last line must not corrupt the next one.
  if (text !== "" && !text.endsWith("\n")) file.writeSync(encoder.encode("\n"))
  return {
    pending,
    append: (paymentId) =>
      Effect.sync(() => {
        unacknowledged.add(paymentId)
        lines += 1
        write([paymentId])
      }),
    acknowledge: (paymentId) =>
      Effect.sync(() => {
        unacknowledged.delete(paymentId)
        if (lines === 0 || (unacknowledged.size > 0 && lines < linesMax)) return
        file.truncateSync()
        lines = unacknowledged.size
        if (lines > 0) write(unacknowledged)
      }),
  }
}
