/**
 * The answers that this machine has delivered and the payment store may not know of yet.
 *
 * A process that is killed between the two would else have its answer refunded as well as delivered:
 * our loss. The next process on the machine tells the store. Without a folder to write to, nothing is
 * kept.
 *
 * @module
 */
import { Context, Effect, Layer, Schema } from "effect"
import { PaymentId } from "./domain/payment.ts"

export interface DeliveryJournal {
  /** Deliveries of processes before this one that the store may not know of. */
  readonly pending: ReadonlyArray<PaymentId>
  /** Writes down that an answer was delivered; done, as far as the machine lives, when it returns. */
  readonly append: (paymentId: PaymentId) => Effect.Effect<void>
  /** The store knows of the delivery: nothing has to be kept any more. */
  readonly acknowledge: (paymentId: PaymentId) => Effect.Effect<void>
}

/** Keeps nothing, unless it is given something better. */
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

/** Lines at which the file is rewritten with what is still pending. */
const linesMax = 10_000

const isPaymentId = Schema.is(PaymentId)
const encoder = new TextEncoder()

/**
 * Keeps the journal in a file of a folder that belongs to this process alone: a line each, appended at
 * once and never waited for on the disk. It outlives the process, not the machine. Where it cannot be
 * written, that is logged once, and nothing is kept.
 */
export const layerFile = (folder: string): Layer.Layer<never> =>
  Layer.effect(
    DeliveryJournal,
    Effect.try(() => open(folder)).pipe(
      Effect.catch((error) =>
        Effect.as(
          Effect.logWarning(`Cannot keep in ${folder} what was delivered`, error.cause),
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
  const kept = new Set<PaymentId>(pending)
  let lines = pending.length
  const write = (ids: Iterable<PaymentId>) => {
    file.writeSync(encoder.encode([...ids].map((id) => `${id}\n`).join("")))
  }
  // A line that was cut short must not corrupt the next one.
  if (text !== "" && !text.endsWith("\n")) file.writeSync(encoder.encode("\n"))
  return {
    pending,
    append: (paymentId) =>
      Effect.sync(() => {
        kept.add(paymentId)
        lines += 1
        write([paymentId])
      }),
    acknowledge: (paymentId) =>
      Effect.sync(() => {
        kept.delete(paymentId)
        if (lines === 0 || (kept.size > 0 && lines < linesMax)) return
        file.truncateSync()
        lines = kept.size
        if (lines > 0) write(kept)
      }),
  }
}
