/**
 * Everything that is one run: its chance, its time, its database, its chain, and what was seen.
 *
 * @module
 */
import { Context, Duration, Effect, Layer, Option } from "effect"
import { layerLedger } from "../../../src/payments/simulated/facilitator.ts"
import { Ledger } from "../../../src/payments/simulated/ledger.ts"
import {
  address,
  type Authorization,
  type PaymentId,
  Signature,
} from "../../../src/payments/domain/payment.ts"
import type { Product } from "../../../src/catalog/domain/product.ts"
import { Chain } from "../../../src/payments/Chain.ts"
import { Facilitator } from "../../../src/payments/Facilitator.ts"
import { Signatures } from "../../../src/payments/Signatures.ts"
import type { Random } from "../../support/random.ts"
import { terms, token } from "../../support/payments/terms.ts"
import { makeDatabase } from "./database.ts"
import type { VirtualTime } from "./virtualTime.ts"
import { drawWeather, simulationOf, type Weather } from "./weather.ts"
import { layerMemory } from "../../support/payments/memoryLedger.ts"

export const startSeconds = 1_800_000_000
export const holdSecondsMax = 150
/** From this time on there are no faults and no purchases. */
export const calmAtSeconds = 400

/** A signed payment. */
export interface Signed {
  readonly name: string
  readonly paymentId: PaymentId
  readonly product: Product
  readonly request: string
  readonly authorization: Authorization
  readonly signature: Signature
  readonly secret: string | null
}

/** One outcome that a caller got, and the state of the payment then. */
export interface Heard {
  readonly signed: Signed
  readonly who: "buyer" | "stranger"
  /** Whether the payment was sent with a request, or its outcome asked for without one. */
  readonly how: "sends" | "recalls"
  readonly reported: string
  /** The delivered body; null when nothing charged was delivered. */
  readonly paidBody: string | null
  /** What was said of the money: taken or not, and null where that is open. */
  readonly charged: boolean | null
  readonly before: string | null
  readonly after: string | null
  readonly onChain: boolean
  /** Whether the row had been settled, or answered, when this was said. */
  readonly settledThen: boolean
  readonly answeredThen: boolean
}

/** A run's own part of a trace: enough to find out where two runs part. */
export interface Trace {
  readonly lines: Array<string>
  digest: number
}

export type World = Effect.Success<ReturnType<typeof makeWorld>>

export const makeWorld = Effect.fnUntraced(function* (
  random: Random,
  time: VirtualTime,
  mathematics: Signatures["Service"],
) {
  const storm = drawWeather(random)
  let over = false
  const still: Weather = { crash: 0, store: 0, facilitator: 0, defect: 0, chain: 0 }
  const weather = () => over ? still : storm
  const seconds = () => time.currentTimeMillisUnsafe() / 1_000 - startSeconds

  const trace: Trace = { lines: [], digest: 0 }
  const note = (line: string) => {
    const dated = `${seconds().toFixed(3)} ${line}`
    trace.lines.push(dated)
    for (let at = 0; at < dated.length; at++) {
      trace.digest = Math.imul(trace.digest ^ dated.charCodeAt(at), 0x01000193) >>> 0
    }
  }

  const { signatures, sign } = play(mathematics)
  const database = yield* makeDatabase
  const ledgers = yield* Layer.build(Layer.fresh(layerMemory))
  const ledger = Context.get(ledgers, Ledger)
  const outside = yield* Layer.build(
    layerLedger(simulationOf(random, weather, () => time.currentTimeMillisUnsafe())).pipe(
      Layer.provide(Layer.succeedContext(ledgers)),
      Layer.provide(Layer.succeed(Signatures, signatures)),
    ),
  )
  // The chain was scanned up to here before the first payment: a first scan reads nothing.
  yield* database.payments.saveScannedThrough(
    { chainId: token.chainId, asset: token.asset, payTo: address(terms.payTo) },
    BigInt(startSeconds / 2 - 60),
  )
  const signed: Array<Signed> = []
  const heard: Array<Heard> = []
  return {
    random,
    note,
    trace,
    seconds,
    weather,
    hold: Duration.seconds(random.between(30, holdSecondsMax)),
    calm: () => {
      over = true
    },
    signatures,
    sign,
    database,
    ledger,
    facilitator: Context.get(outside, Facilitator),
    chain: Context.get(outside, Chain),
    signed,
    heard,
  }
})

/** Signatures for play: what was signed is remembered, so that a run computes no curves. */
function play(mathematics: Signatures["Service"]) {
  const signers = new Map<Signature, string>()
  const spelt = (authorization: Authorization) => Object.values(authorization).map(String).join(":")
  const sign = (authorization: Authorization): Signature => {
    const word = mathematics.digest(`signature:${spelt(authorization)}`).slice(2)
    const signature = Signature.make(`0x${word}${word}1b`)
    signers.set(signature, spelt(authorization))
    return signature
  }
  const signatures: Signatures["Service"] = {
    ...mathematics,
    signer: (_token, authorization, signature) =>
      Effect.sync(() =>
        signers.get(signature) === spelt(authorization)
          ? Option.some(authorization.from)
          : Option.none()
      ),
  }
  return { signatures, sign }
}
