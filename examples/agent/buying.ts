/**
 * One purchase: challenge, checks, signature, payment, receipt.
 *
 * The signature is the reference client's own. It is made once; whatever happens afterwards, the
 * same payment is sent again under the same Idempotency-Key, so it is taken once at the most.
 *
 * @module
 */
import { x402Client, x402HTTPClient } from "@x402/core/client"
import { type ClientEvmSigner, ExactEvmScheme } from "@x402/evm"
import { Clock, Duration, Effect, Ref, Result, Schema } from "effect"
import { encodeAbiParameters, keccak256 } from "viem"
import type { LocalAccount } from "viem/accounts"
import { usd } from "../../src/core/domain/money.ts"
import type { Offer } from "./contract.ts"
import { type Ledger, type Limits, noted, objection, signed, type Standing } from "./ledger.ts"
import { paths } from "./plan.ts"
import {
  asset,
  chainId,
  checkChallenge,
  checkReceipt,
  checkRecord,
  checkTyped,
  Distrust,
  network,
  type PaymentRecord,
  readRecord,
  type Receipt,
  type Terms,
} from "./trust.ts"
import { verdictOf } from "./verdict.ts"
import { type Answer, ask, askPatiently, type Say } from "./wire.ts"

/** How often one payment is sent before the agent looks up what became of it. */
export const sendsMax = 12
/** How long one purchase may take, from its first question to its last, whatever it is told to wait. */
export const purchaseMs = 180_000

export type Bought =
  | { readonly kind: "had"; readonly body: unknown; readonly charged: boolean }
  | { readonly kind: "missed"; readonly why: string }

export interface BuyerOptions {
  readonly base: URL
  readonly account: LocalAccount
  readonly limits: Limits
  readonly ledger: Ref.Ref<Ledger>
  readonly say: Say
}

/** A payment as it is sent, however often. */
interface Payment {
  readonly url: URL
  readonly id: string
  readonly headers: Readonly<Record<string, string>>
}

/** What is read of a payload that the reference client made. */
const Signed = Schema.Struct({
  payload: Schema.Struct({
    authorization: Schema.Struct({
      nonce: Schema.TemplateLiteral(["0x", Schema.String]),
    }),
  }),
})
const readSigned = Schema.decodeUnknownResult(Signed)

/** A buyer with one key and one ledger. */
export function makeBuyer({ base, account, limits, ledger, say }: BuyerOptions) {
  const http = new x402HTTPClient(new x402Client())
  const note = (id: string, standing: Standing) =>
    Ref.update(ledger, (entries) => noted(entries, id, standing))

  const challenged = Effect.fnUntraced(function* (offer: Offer, url: URL, answer: Answer) {
    const read = Result.try(() =>
      http.getPaymentRequiredResponse((name) => answer.headers.get(name), answer.body)
    )
    if (Result.isFailure(read)) {
      return yield* new Distrust({ message: `${offer.path} answers 402 without a challenge` })
    }
    const header = read.success
    const terms = yield* Effect.fromResult(
      checkChallenge({ offer, url, header, body: answer.body }),
    )
    // Only the entry that was checked goes on to be signed.
    return { required: { ...header, accepts: header.accepts.slice(0, 1) }, terms }
  })

  /** The key, that signs what was agreed and nothing else. */
  const signerOf = (terms: Terms, nowSeconds: number): ClientEvmSigner => ({
    address: account.address,
    signTypedData: (typed) => {
      Result.getOrThrow(checkTyped(typed, terms, account.address, nowSeconds))
      return account.signTypedData(typed)
    },
  })

  /** Signs, once the ledger has room for it. */
  const sign = Effect.fnUntraced(function* (
    url: URL,
    required: ReturnType<typeof http.getPaymentRequiredResponse>,
    terms: Terms,
  ) {
    const nowSeconds = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
    const client = x402Client.fromConfig({
      schemes: [{ network, client: new ExactEvmScheme(signerOf(terms, nowSeconds)) }],
      // The reference client's own brake, beside ours.
      spendControls: { maxAmountPerPayment: `$${usd(limits.perCall)}` },
    })
    const payload = yield* Effect.tryPromise({
      try: () => client.createPaymentPayload(required),
      catch: (error) =>
        new Distrust({ message: error instanceof Error ? error.message : String(error) }),
    })
    const read = readSigned(payload)
    if (Result.isFailure(read)) {
      return yield* new Distrust({ message: "the payment is not one that can be looked up" })
    }
    const { nonce } = read.success.payload.authorization
    const payment: Payment = {
      url,
      id: paymentIdOf(account.address, nonce),
      headers: {
        ...http.encodePaymentSignatureHeader(payload),
        "Idempotency-Key": crypto.randomUUID(),
      },
    }
    return payment
  })

  const lookedUp = Effect.fnUntraced(function* (id: string) {
    const url = new URL(paths.payment.replace("{paymentId}", id), base)
    const answer = yield* ask(url)
    const record = answer?.status === 200 ? readRecord(answer.body) : null
    return record !== null && Result.isSuccess(record) ? record.success : null
  })

  const settled = Effect.fnUntraced(function* (payment: Payment, terms: Terms, answer: Answer) {
    yield* note(payment.id, "charged")
    const shown = Result.try(() =>
      http.getPaymentSettleResponse((name) => answer.headers.get(name))
    )
    if (Result.isFailure(shown)) {
      return yield* new Distrust({ message: "the answer was charged and came without a receipt" })
    }
    const receipt: Receipt = yield* Effect.fromResult(
      checkReceipt(shown.success, terms, account.address),
    )
    const record = yield* lookedUp(payment.id)
    if (record === null) yield* say("  receipt is mine; the service's books cannot be read now")
    else {
      yield* Effect.fromResult(checkRecord(record, receipt, terms))
      yield* say(`  receipt and books agree: $${record.amountUsd} in ${receipt.transaction}`)
    }
  })

  /** What the books say of a payment whose end was not heard. */
  const clarify = Effect.fnUntraced(function* (id: string) {
    const record = yield* lookedUp(id)
    const standing = record === null ? "signed" : standingOf(record)
    yield* note(id, standing)
    return standing
  })

  const givenUp = Effect.fnUntraced(function* ({ id }: Payment, why: string) {
    const standing = yield* clarify(id)
    return {
      kind: "missed",
      why: `${why}; the payment is ${standing === "signed" ? "unclear" : standing}`,
    } satisfies Bought
  })

  /** Sends the payment until it is known what became of it, or it has waited long enough. */
  const paid = Effect.fnUntraced(function* (payment: Payment, terms: Terms, untilMs: number) {
    for (let sends = 1; sends <= sendsMax; sends += 1) {
      const answer = yield* ask(payment.url, payment.headers)
      const verdict = verdictOf(
        answer === null ? null : {
          status: answer.status,
          retryAfter: answer.headers.get("retry-after"),
          receipt: answer.headers.has("payment-response"),
          body: answer.body,
        },
      )
      switch (verdict.kind) {
        case "delivered": {
          if (verdict.charged && answer !== null) yield* settled(payment, terms, answer)
          else yield* note(payment.id, "uncharged")
          return { kind: "had", body: answer?.body, charged: verdict.charged } satisfies Bought
        }
        case "over": {
          yield* note(payment.id, verdict.standing)
          return { kind: "missed", why: verdict.why } satisfies Bought
        }
        case "again": {
          const seconds = verdict.waitMs / 1_000
          if ((yield* Clock.currentTimeMillis) + verdict.waitMs > untilMs) {
            return yield* givenUp(
              payment,
              `${verdict.why}; ${seconds} s more is longer than I wait`,
            )
          }
          yield* say(`  ${verdict.why}; I send the same payment again in ${seconds} s`)
          yield* Effect.sleep(Duration.millis(verdict.waitMs))
        }
      }
    }
    return yield* givenUp(payment, `no answer to ${sendsMax} sends`)
  })

  /** Buys a path at the price of its offer, or says why not. Fails where something does not fit. */
  const buy = Effect.fnUntraced(function* (offer: Offer, path: string) {
    const url = new URL(path, base)
    const untilMs = (yield* Clock.currentTimeMillis) + purchaseMs
    const unpaid = yield* askPatiently(url, { say, untilMs })
    if (unpaid.status !== 402) {
      return { kind: "missed", why: `status ${unpaid.status} instead of 402` } satisfies Bought
    }
    const { required, terms } = yield* challenged(offer, url, unpaid)
    const against = objection(terms.amount, yield* Ref.get(ledger), limits)
    if (against !== null) return { kind: "missed", why: against } satisfies Bought
    const payment = yield* sign(url, required, terms)
    yield* Ref.update(
      ledger,
      (entries) => signed(entries, { what: path, price: terms.amount, paymentId: payment.id }),
    )
    return yield* paid(payment, terms, untilMs)
  })

  return { buy, clarify, ledger }
}

export type Buyer = ReturnType<typeof makeBuyer>

/** What the service knows a payment by: anybody who has the authorization can make it. */
function paymentIdOf(from: `0x${string}`, nonce: `0x${string}`): string {
  return keccak256(encodeAbiParameters(
    [
      { type: "string" },
      { type: "uint256" },
      { type: "address" },
      { type: "address" },
      { type: "bytes32" },
    ],
    ["pay/v1", BigInt(chainId), asset, from, nonce],
  ))
}

const standings: Readonly<Record<string, Standing>> = {
  answered: "charged",
  settled: "charged",
  refund_due: "refundQueued",
  refunded: "refunded",
  void: "uncharged",
}

function standingOf({ state }: PaymentRecord): Standing {
  return standings[state] ?? "signed"
}
