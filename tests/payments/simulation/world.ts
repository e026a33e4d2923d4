/**
 * The state of one run: random numbers, time, database, chain, and the recorded calls.
 *
 * @module
 */
import { Context, Duration, Effect, Layer, Option } from "effect"
import { layerLedger } from "../../support/payments/simulated.ts"
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
import { makeDatabase, type StoreMutant } from "./database.ts"
import type { VirtualTime } from "./virtualTime.ts"
import { drawFaultRates, noFaults, simulationOf } from "./faultRates.ts"
import { layerMemory } from "../../support/payments/memoryLedger.ts"

export const startSeconds = 1_800_000_000
export const answerWindowSecondsMax = 150
/** From this time on there are no faults and no buyers. */
export const faultsEndSeconds = 400

/** A payment that a buyer has signed. */
export interface SignedPayment {
  readonly name: string
  readonly paymentId: PaymentId
  readonly product: Product
  readonly request: string
  readonly authorization: Authorization
  readonly signature: Signature
  readonly secret: string | null
}

/** The outcome of one call, and the state of its payment. */
export interface CallRecord {
  readonly signed: SignedPayment
  readonly caller: "buyer" | "stranger"
  readonly method: "sell" | "findOutcome"
  readonly outcome: string
  /** The delivered body of a charged answer; otherwise null. */
  readonly paidBody: string | null
  /** The `charged` value of the response; null when it was not known yet. */
  readonly charged: boolean | null
  readonly before: string | null
  readonly after: string | null
  readonly onChain: boolean
  /** Whether the row had been settled or answered at the time of the response. */
  readonly wasSettled: boolean
  readonly wasAnswered: boolean
}

/** The lines of a run, and their digest, to find where two runs differ. */
export interface Trace {
  readonly lines: Array<string>
  digest: number
}

export type World = Effect.Success<ReturnType<typeof makeWorld>>

export const makeWorld = Effect.fnUntraced(function* (
  random: Random,
  time: VirtualTime,
  realSignatures: Signatures["Service"],
  mutant: StoreMutant | null,
) {
  const rates = drawFaultRates(random)
  let faultsEnded = false
  const faultRates = () => faultsEnded ? noFaults : rates
  const seconds = () => time.currentTimeMillisUnsafe() / 1_000 - startSeconds

  const trace: Trace = { lines: [], digest: 0 }
  const note = (line: string) => {
    const dated = `${seconds().toFixed(3)} ${line}`
    trace.lines.push(dated)
    for (let at = 0; at < dated.length; at++) {
      trace.digest = Math.imul(trace.digest ^ dated.charCodeAt(at), 0x01000193) >>> 0
    }
  }

  const { signatures, sign } = fakeSignatures(realSignatures)
  const database = yield* makeDatabase(mutant)
  const ledgers = yield* Layer.build(Layer.fresh(layerMemory))
  const ledger = Context.get(ledgers, Ledger)
  const outside = yield* Layer.build(
    layerLedger(simulationOf(random, faultRates, () => time.currentTimeMillisUnsafe())).pipe(
      Layer.provide(Layer.succeedContext(ledgers)),
      Layer.provide(Layer.succeed(Signatures, signatures)),
    ),
  )
  // The first scan of an account reads nothing, so it is made before the first payment.
  yield* database.payments.saveScannedThrough(
    { chainId: token.chainId, asset: token.asset, payTo: address(terms.payTo) },
    BigInt(startSeconds / 2 - 60),
  )
  const journals = yield* Effect.acquireRelease(
    Effect.sync(() => Deno.makeTempDirSync({ prefix: "journals-" })),
    (folder) => Effect.sync(() => Deno.removeSync(folder, { recursive: true })),
  )
  const signed: Array<SignedPayment> = []
  const calls: Array<CallRecord> = []
  return {
    random,
    note,
    trace,
    seconds,
    faultRates,
    answerWindow: Duration.seconds(random.between(30, answerWindowSecondsMax)),
    endFaults: () => {
      faultsEnded = true
    },
    signatures,
    sign,
    database,
    /** The folder of the replicas' delivery journals. */
    journals,
    ledger,
    facilitator: Context.get(outside, Facilitator),
    chain: Context.get(outside, Chain),
    signed,
    calls,
  }
})

/** Signatures that are recorded and not computed, which is faster. */
function fakeSignatures(realSignatures: Signatures["Service"]) {
  const signers = new Map<Signature, string>()
  const textOf = (authorization: Authorization) =>
    Object.values(authorization).map(String).join(":")
  const sign = (authorization: Authorization): Signature => {
    const hash = realSignatures.digest(`signature:${textOf(authorization)}`).slice(2)
    const signature = Signature.make(`0x${hash}${hash}1b`)
    signers.set(signature, textOf(authorization))
    return signature
  }
  const signatures: Signatures["Service"] = {
    ...realSignatures,
    signer: (_token, authorization, signature) =>
      Effect.sync(() =>
        signers.get(signature) === textOf(authorization)
          ? Option.some(authorization.from)
          : Option.none()
      ),
  }
  return { signatures, sign }
}
