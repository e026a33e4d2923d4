/**
 * Answers that were handed over, in a file of this machine: a line each, appended at once and never
 * waited for on the disk. It outlives the process, not the machine.
 *
 * @module
 */
import { Effect, Layer, Schema } from "effect"
import { PaymentId } from "./domain/payment.ts"
import { HandOvers } from "./HandOvers.ts"

/** Lines at which the file is written anew with what is still untold. */
const linesMax = 10_000

const isPaymentId = Schema.is(PaymentId)
const encoder = new TextEncoder()

/**
 * Keeps them in a folder, which belongs to this process alone. Where it cannot be written, that is told
 * once, and nothing is kept.
 */
export const layer = (folder: string): Layer.Layer<never> =>
  Layer.effect(
    HandOvers,
    Effect.try(() => open(folder)).pipe(
      Effect.catch((error) =>
        Effect.as(
          Effect.logWarning(`Cannot keep in ${folder} what was handed over`, error.cause),
          HandOvers.defaultValue(),
        )
      ),
    ),
  )

function open(folder: string): typeof HandOvers.Service {
  const path = `${folder}/answers`
  Deno.mkdirSync(folder, { recursive: true })
  const file = Deno.openSync(path, { read: true, append: true, create: true })
  const text = Deno.readTextFileSync(path)
  const untold = text.split("\n").filter(isPaymentId)
  const kept = new Set<PaymentId>(untold)
  let lines = untold.length
  const write = (ids: Iterable<PaymentId>) => {
    file.writeSync(encoder.encode([...ids].map((id) => `${id}\n`).join("")))
  }
  // A line that was cut short must not spoil the next one.
  if (text !== "" && !text.endsWith("\n")) file.writeSync(encoder.encode("\n"))
  return {
    untold,
    keep: (paymentId) =>
      Effect.sync(() => {
        kept.add(paymentId)
        lines += 1
        write([paymentId])
      }),
    told: (paymentId) =>
      Effect.sync(() => {
        kept.delete(paymentId)
        if (lines === 0 || (kept.size > 0 && lines < linesMax)) return
        file.truncateSync()
        lines = kept.size
        if (lines > 0) write(kept)
      }),
  }
}
