/**
 * Test triggers: failures that a buyer asks for, like test cards. A header of the request or a
 * reserved market names one. It acts on the first call with a payment in each process; later calls
 * with the same payment are answered as usual.
 *
 * Composed with simulated payments only. It wraps `Payments`, so the sale knows no triggers.
 *
 * @module
 */
import { Duration, Effect, Layer } from "effect"
import { type Product, products } from "../../catalog/domain/product.ts"
import { resendUnused } from "../../catalog/domain/refusal.ts"
import { TestCall, testSlugOf, type TestTrigger } from "../../core/testCall.ts"
import { type FailedSale, NotCharged } from "../domain/failedSale.ts"
import type { PaymentId } from "../domain/payment.ts"
import { Payments } from "../Payments.ts"
import type { Outcome, Purchase, Work } from "../purchase.ts"
import { overloaded, tooManyOfAddress } from "../sale/responses.ts"
import { CallFaults } from "./facilitator.ts"

/** The sale that a trigger acts on. */
interface TriggeredSale {
  readonly product: Product
  readonly work: Work
  readonly sell: (work: Work) => Effect.Effect<Outcome, FailedSale>
  readonly close: Effect.Effect<void>
}

interface Trigger extends TestTrigger {
  readonly act: (sale: TriggeredSale) => Effect.Effect<Outcome, FailedSale>
}

/** Longer than the settlement and its proof may take (`timing.ts`), so that the buyer gets 503. */
const unknownFor = Duration.seconds(20)
/** Longer than the timeout that `/llms-full.txt` recommends. */
const answerDelay = Duration.seconds(100)
/** Payments whose trigger has acted. Older ones are forgotten. */
const actedMax = 10_000

const later = "the same payment under the same key"

/** Every trigger. */
export const triggers: ReadonlyArray<Trigger> = [
  {
    name: "fails-after-settlement",
    happens: "The computation fails. A settle-early product was settled before: 504 " +
      "`upstream_timeout`, `charged: true`, with `refund`. A compute-first product: 504, " +
      "`charged: false`.",
    end: "refunded (settle-early); not charged (compute-first), and answered when it sends " +
      later,
    act: ({ sell, work }) => sell({ ...work, compute: Effect.fail(notReady) }),
  },
  {
    name: "data-stale",
    happens: "503 `data_stale` (`digest_stale` for the digest), `charged: false`.",
    end: `not charged; answered when it sends ${later} after \`Retry-After\``,
    act: ({ sell, product }) => {
      const fails = Effect.fail(stale(product))
      return sell({ check: fails, compute: fails })
    },
  },
  {
    name: "settlement-unknown-taken",
    happens: "The facilitator does not say whether it settled: 503 `settlement_unresolved`, " +
      `\`charged: null\`. The payment is taken ${Duration.format(unknownFor)} later.`,
    end: `charged once and answered when it sends ${later}; refunded when the buyer ` +
      "does not come again",
    act: ({ sell, work }) => withFault(sell(work), { settle: "late_broadcast" }),
  },
  {
    name: "settlement-unknown-not-taken",
    happens: "The same 503. The payment is never taken: its authorization is cancelled " +
      `${Duration.format(unknownFor)} later.`,
    end:
      `not charged: ${later} then gets 402, which says to sign a new one with the same key (over A2A the task has failed)`,
    act: ({ sell, work }) => withFault(sell(work), { settle: "late_cancellation" }),
  },
  {
    name: "answer-late",
    happens: `The payment is taken at once, the answer comes ${
      Duration.format(answerDelay)
    } later.`,
    end: `charged once and answered: ${later} gets the answer at once`,
    act: ({ sell, work }) => Effect.tap(sell(work), () => Effect.sleep(answerDelay)),
  },
  {
    name: "connection-closed",
    happens: "The payment is taken, then the connection is closed without an answer.",
    end: `charged once and answered when it sends ${later}`,
    act: ({ sell, work, close }) => Effect.tap(sell(work), () => close),
  },
  {
    name: "internal-error",
    happens: "The payment is taken, then the service fails: 500 `internal_error`, " +
      "`charged: null`.",
    end: `charged once and answered when it sends ${later}`,
    act: ({ sell, work }) =>
      Effect.andThen(sell(work), Effect.die("The test trigger internal-error")),
  },
  {
    name: "payment-refused",
    happens: "The facilitator refuses the payment for `insufficient_funds`: 402.",
    end: "not charged; a new signature is refused in the same way",
    act: ({ sell, work }) =>
      withFault(sell(work), { verify: { outcome: "invalid", reason: "insufficient_funds" } }),
  },
  {
    name: "facilitator-down",
    happens: "The facilitator cannot verify the payment: 502 `facilitator_error`.",
    end: `not charged; answered when it sends ${later}`,
    act: ({ sell, work }) =>
      withFault(sell(work), { verify: { outcome: "unknown", reason: "trigger" } }),
  },
  {
    name: "rate-limited",
    happens: "429 `rate_limited` with `Retry-After`.",
    end: `not charged; answered when it sends ${later}`,
    act: () => Effect.fail(tooManyOfAddress),
  },
  {
    name: "overloaded",
    happens: "503 `overloaded` with `Retry-After`.",
    end: `not charged; answered when it sends ${later}`,
    act: () => Effect.fail(overloaded),
  },
]

const notReady = new NotCharged({
  code: "upstream_timeout",
  message: "The answer could not be computed in time",
  hint: resendUnused,
})

const stale = ({ id }: Product) =>
  new NotCharged({
    code: id === products.digest.id ? "digest_stale" : "data_stale",
    message: "The data that the answer rests on is too old to be sold",
    hint: resendUnused,
    retryAfterSeconds: 1,
  })

const withFault = <A, E>(
  sale: Effect.Effect<A, E>,
  faults: Partial<typeof CallFaults.Service>,
) =>
  Effect.provideService(sale, CallFaults, {
    verify: null,
    settle: null,
    unclearFor: unknownFor,
    ...faults,
  })

/** The work of a reserved market: its report is the published sample. */
const sampleReport: Work = {
  check: Effect.void,
  compute: Effect.sync(() => ({
    body: new TextEncoder().encode(JSON.stringify(products.research.sample)),
    charge: true,
  })),
}

const slugs = new Map(triggers.map((trigger) => [testSlugOf(trigger), trigger]))
const names = new Map(triggers.map((trigger) => [trigger.name, trigger]))

/** The trigger of a reserved market; undefined for any other request. */
function reserved({ product, request }: Purchase): Trigger | undefined {
  if (product.id !== products.research.id) return undefined
  return slugs.get(/"market","([^"]*)"/.exec(request)?.[1] ?? "")
}

/** Whether a sale was refused before its trigger could act; it then acts on the next call. */
const isTooEarly = (error: FailedSale, { name }: Trigger) =>
  error._tag === "NotCharged" && name !== "data-stale" &&
  ["data_stale", "digest_stale", "payments_unavailable"].includes(error.code)

/** `Payments` with the triggers. */
export const layer: Layer.Layer<Payments, never, Payments> = Layer.effect(
  Payments,
  Effect.map(Payments, (payments) => {
    const acted = new Set<PaymentId>()
    const isFirst = (id: PaymentId) => {
      if (acted.has(id)) return false
      const oldest = acted.size < actedMax ? undefined : acted.values().next().value
      if (oldest !== undefined) acted.delete(oldest)
      acted.add(id)
      return true
    }
    const sell: Payments["Service"]["sell"] = Effect.fnUntraced(function* (purchase, ordinary) {
      const { trigger: name, close } = yield* TestCall
      const market = reserved(purchase)
      const trigger = market ?? names.get(name ?? "")
      const work = market === undefined ? ordinary : sampleReport
      const sell = (work: Work) => payments.sell(purchase, work)
      const id = payments.idOf(purchase.payment.authorization)
      if (trigger === undefined || !isFirst(id)) return yield* sell(work)
      return yield* trigger.act({ product: purchase.product, work, sell, close }).pipe(
        Effect.tapError((error) =>
          Effect.sync(() => isTooEarly(error, trigger) && acted.delete(id))
        ),
      )
    })
    return Payments.of({ ...payments, sell })
  }),
)
