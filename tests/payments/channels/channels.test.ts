/**
 * Payment channels on every store: what is charged was delivered, what is claimed was charged, and
 * one voucher buys one answer, whatever fails in between.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok } from "node:assert/strict"
import {
  Arbitrary,
  Cause,
  Context,
  Deferred,
  Duration,
  Effect,
  Exit,
  Fiber,
  Layer,
  Option,
  Result,
  Schema,
} from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { BatchSettlementEvmScheme } from "@x402/evm/batch-settlement/client"
import { products } from "../../../src/catalog/domain/product.ts"
import { type ChannelDelivery, Channels, layer } from "../../../src/payments/channels/Channels.ts"
import { ChannelStore } from "../../../src/payments/channels/ChannelStore.ts"
import {
  type ChannelPayment,
  channelPayment,
} from "../../../src/payments/channels/domain/channelPayload.ts"
import { challenge } from "../../../src/payments/domain/x402/challenge.ts"
import { type FailedSale, NotCharged } from "../../../src/payments/domain/failedSale.ts"
import * as channelStore from "../../../src/payments/postgres/channelStore.ts"
import { Signatures } from "../../../src/payments/Signatures.ts"
import { defaultTiming } from "../../../src/payments/timing.ts"
import * as signatures from "../../../src/payments/wasmSignatures.ts"
import { buyer } from "../../support/payments/buyers.ts"
import {
  channelConfig,
  ChannelLedger,
  channelTerms,
  signVoucher,
} from "../../support/payments/channelLedger.ts"
import { nonce, terms } from "../../support/payments/terms.ts"
import { checkProperty, onEveryStore } from "../../support/stores.ts"

const product = products.latest
const price: bigint = product.price

interface CallOptions {
  readonly n?: number
  readonly request?: string
  readonly secret?: string | null
  readonly ceiling?: bigint
  readonly deposit?: bigint
  readonly refund?: boolean
  /** The buyer whose key signs; the payer when absent. */
  readonly signer?: number
  readonly compute?: Parameters<Channels["sell"]>[0]["compute"]
}

/** A seller, its ledger, and buyers who follow the scheme. */
const makeWorld = Effect.gen(function* () {
  const ledger = new ChannelLedger()
  const limits = { channelMax: 100n * price, totalMax: 1_000n * price, holdMs: 600_000 }
  const timing = { ...defaultTiming, proveRetriesMax: 1, proveInterval: Duration.millis(1) }
  const options = { terms, channels: channelTerms, limits, timing, salesMax: 64 }
  const context = yield* Layer.build(
    Layer.provideMerge(
      layer(options),
      Layer.mergeAll(channelStore.layer, ledger.layer, signatures.layer),
    ),
  )
  const channels = Context.get(context, Channels)
  if (channels === null) return yield* Effect.die("off")
  const store = Context.get(context, ChannelStore)
  const { channelId } = Context.get(context, Signatures)
  ledger.idOf = (config) => channelId(terms.chainId, config)
  const idOf = (n: number) => ledger.idOf(channelConfig(n))
  let answers = 0
  /** Calls; returns the delivery, which the test may deliver. */
  const call = Effect.fnUntraced(function* (options: CallOptions): Effect.fn.Return<
    ChannelDelivery,
    FailedSale
  > {
    const { n = 0, request = "latest?[]", secret = null, deposit = 0n, refund = false } = options
    const channel = Option.getOrNull(yield* store.find(idOf(n)))
    const ceiling = options.ceiling ?? (channel?.charged ?? 0n) + (refund ? 0n : price)
    const signature = yield* signVoucher(options.signer ?? n, idOf(n), ceiling)
    ledger.sign(idOf(n), ceiling, signature)
    const authorization = { validAfter: "0", validBefore: "9", salt: nonce(1), signature }
    const payment: ChannelPayment = {
      ...{ channelId: idOf(n), config: channelConfig(n), ceiling, signature, identifier: null },
      action: refund
        ? { type: "refund", amount: null }
        : deposit > 0n
        ? { type: "deposit", amount: deposit, authorization }
        : { type: "voucher" },
    }
    const body = new TextEncoder().encode(`answer ${answers++}`)
    const compute = options.compute ?? Effect.succeed({ body, charge: true })
    return yield* channels.sell({ product, payment, request, secret, compute })
  })
  /** Delivers an answer, and waits until the store knows it. */
  const deliver = (delivery: ChannelDelivery) =>
    Effect.andThen(delivery.delivered, store.deliver(delivery.paymentId))
  const chargedOf = (n: number) =>
    Effect.map(store.find(idOf(n)), (channel) => Option.getOrUndefined(channel)?.charged ?? 0n)
  return { ledger, limits, timing, channels, store, idOf, call, deliver, chargedOf }
})
type World = Effect.Success<typeof makeWorld>

const text = ({ body }: ChannelDelivery) => new TextDecoder().decode(body)

const codeOf = (exit: Exit.Exit<unknown, FailedSale>) => {
  const error = Option.getOrUndefined(Exit.findErrorOption(exit))
  return error instanceof NotCharged ? [error.code, error.message] : [error?._tag]
}
const mismatch = ["payment_required", "invalid_batch_settlement_evm_cumulative_amount_mismatch"]

/** One step of a random history; `flag` chooses between its two forms. */
const Step = Schema.Struct({
  act: Schema.Literals([
    ...["buy", "buy", "buy", "lose", "again", "twins", "die", "expire", "alive"] as const,
    ...["claim", "claim", "refund", "withdraw", "finalize", "fault", "works", "forget"] as const,
  ]),
  n: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1 })),
  flag: Schema.Boolean,
})
const history = Arbitrary.schema(Schema.Array(Step).check(Schema.isMaxLength(40)))

const faults = ["declined", "silent", "unsaid"] as const

/** What the test knows of a buyer's channel. */
interface Known {
  /** Deliveries that ran, by ceiling. */
  readonly delivered: Map<bigint, string>
  /** The last answer that was stored and not delivered. */
  lost: { readonly ceiling: bigint; readonly body: string } | null
  charged: bigint
}

const alive = (limits: World["limits"], timing: World["timing"]) => {
  limits.holdMs = 600_000
  timing.lease = Duration.seconds(90)
}

/** Makes one step; whatever fails in it, the invariants must hold after it. */
const makeStep = Effect.fnUntraced(function* (
  { ledger, limits, timing, channels, idOf, call, deliver, chargedOf }: World,
  known: ReadonlyArray<Known>,
  { act, n, flag }: typeof Step.Type,
  i: number,
) {
  const payer = known[n]
  if (payer === undefined) return
  const before = yield* chargedOf(n)
  const balance = ledger.of(idOf(n)).balance
  const deposit = balance < before + price ? 20n * price : 0n
  const secret = flag ? `a-key-of-the-step-${i}` : null
  const received = (delivery: ChannelDelivery, ceiling: bigint) =>
    Effect.sync(() => {
      const earlier = payer.delivered.get(ceiling)
      ok(earlier === undefined || earlier === text(delivery), "one voucher bought two answers")
      payer.delivered.set(ceiling, text(delivery))
      if (payer.lost?.ceiling === ceiling) payer.lost = null
    })
  switch (act) {
    case "buy": {
      const bought = yield* Effect.exit(call({ n, deposit, secret, request: `r${i}` }))
      if (!Exit.isSuccess(bought)) return
      yield* received(bought.value, before + price)
      return yield* deliver(bought.value)
    }
    // The answer is stored, and its connection breaks.
    case "lose": {
      const bought = yield* Effect.exit(call({ n, deposit, request: "lost?" }))
      if (Exit.isSuccess(bought)) {
        payer.lost = { ceiling: before + price, body: text(bought.value) }
      }
      return
    }
    // The same voucher again, for the same request or another one.
    case "again": {
      const request = flag ? "lost?" : `other${i}`
      const bought = yield* Effect.exit(call({ n, request, deposit }))
      if (!Exit.isSuccess(bought)) return
      if (bought.value.replayed) equal(text(bought.value), payer.lost?.body)
      yield* received(bought.value, before + price)
      return yield* deliver(bought.value)
    }
    // Within HOLD: after it, an answer that is still on its way is replaced, and not charged.
    case "twins": {
      alive(limits, timing)
      const both = yield* Effect.all(
        [1, 2].map((twin) =>
          Effect.exit(call({ n, deposit, request: `twin${i}-${flag ? twin : 0}` }))
        ),
        { concurrency: 2 },
      )
      const sold = both.flatMap((exit) => Exit.isSuccess(exit) ? [exit.value] : [])
      ok(new Set(sold.map(text)).size <= 1, "parallel calls bought two answers")
      return yield* Effect.forEach(
        sold,
        (delivery) => Effect.andThen(received(delivery, before + price), deliver(delivery)),
      )
    }
    // The process dies while it computes.
    case "die": {
      const compute = flag ? Effect.die("killed") : Effect.interrupt
      yield* Effect.exit(call({ n, deposit, request: `dead${i}`, compute }))
      return
    }
    case "expire":
      limits.holdMs = 0
      timing.lease = Duration.millis(-1_000)
      return
    case "alive":
      return alive(limits, timing)
    case "claim":
      if (flag) limits.channelMax = 1n
      yield* channels.claim
      limits.channelMax = 100n * price
      return
    case "refund":
      return yield* Effect.exit(call({ n, refund: true }))
    case "withdraw":
      return ledger.initiateWithdraw(idOf(n), BigInt(i + 1))
    // After the delay, in which the job has run.
    case "finalize":
      if (ledger.fault === null) yield* channels.claim
      return ledger.finalizeWithdraw(idOf(n))
    case "fault":
      ledger.fault = faults[i % faults.length] ?? null
      return
    case "works":
      ledger.fault = null
      return
    // A claim that was sent long ago, and a reading that is old.
    case "forget":
      return yield* Effect.flatMap(
        SqlClient,
        (sql) =>
          sql`UPDATE channel SET claim_sent_at = claim_sent_at - interval '1 hour',
          read_at = read_at - interval '1 hour',
          refund_sent_at = refund_sent_at - interval '1 hour'`,
      )
  }
})

/** What holds after every step, whatever failed. */
const checkInvariants = Effect.fnUntraced(function* (
  { ledger, idOf, chargedOf }: World,
  known: ReadonlyArray<Known>,
) {
  for (const [n, payer] of known.entries()) {
    const charged = yield* chargedOf(n)
    const { claimed } = ledger.of(idOf(n))
    equal(charged, price * BigInt(payer.delivered.size), "charged and delivered")
    ok(claimed <= charged, `claimed ${claimed} of ${charged}`)
    ok(charged >= payer.charged, "what was charged fell")
    payer.charged = charged
  }
})

onEveryStore("channels", (law) => {
  law(
    "after any history, what is charged was delivered, and what is claimed was charged",
    checkProperty(history, (steps) =>
      Effect.scoped(Effect.gen(function* () {
        const world = yield* makeWorld
        const known: ReadonlyArray<Known> = [0, 1].map(() => ({
          ...{ delivered: new Map(), lost: null, charged: 0n },
        }))
        for (const [i, step] of steps.entries()) {
          yield* makeStep(world, known, step, i)
          yield* checkInvariants(world, known)
        }
      }))),
  )

  law(
    "a voucher buys one answer, and the next one continues from it",
    Effect.gen(function* () {
      const { call, deliver, chargedOf, ledger, idOf } = yield* makeWorld
      const first = yield* call({ deposit: 5n * price })
      equal(yield* chargedOf(0), 0n)
      yield* deliver(first)
      yield* deliver(first)
      equal([yield* chargedOf(0), ledger.of(idOf(0)).balance], [price, 5n * price])
      equal(first.receipt?.extra?.["chargedAmount"], price.toString())
      equal(codeOf(yield* Effect.exit(call({ ceiling: price }))), mismatch)
      equal(codeOf(yield* Effect.exit(call({ ceiling: 3n * price }))), mismatch)
      yield* deliver(yield* call({ ceiling: 2n * price }))
      equal(yield* chargedOf(0), 2n * price)
      equal(ledger.submitted, ["deposit"])
    }),
  )

  law(
    "an answer that was not delivered is fetched with its voucher and request, until HOLD",
    Effect.gen(function* () {
      const { call, deliver, chargedOf, limits } = yield* makeWorld
      const lost = yield* call({ deposit: 5n * price })
      const again = yield* call({ ceiling: price })
      equal([text(again), again.replayed], [text(lost), true])
      equal(
        codeOf(yield* Effect.exit(call({ ceiling: price, request: "other?" })))[0],
        "payment_in_progress",
      )
      equal(yield* chargedOf(0), 0n)
      limits.holdMs = 0
      const other = yield* call({ ceiling: price, request: "other?" })
      yield* deliver(lost)
      equal(yield* chargedOf(0), 0n)
      yield* deliver(other)
      equal(yield* chargedOf(0), price)
    }),
  )

  law(
    "a call that fails, or is not worth its price, is not charged and frees its channel at once",
    Effect.gen(function* () {
      const { call, deliver, chargedOf } = yield* makeWorld
      const failed = new NotCharged({ code: "upstream_timeout", message: "test" })
      const deposit = 5n * price
      yield* Effect.exit(call({ deposit, compute: Effect.fail(failed) }))
      yield* Effect.exit(call({ deposit, compute: Effect.die("test") }))
      const body = new Uint8Array(1)
      const free = yield* call({ deposit, compute: Effect.succeed({ body, charge: false }) })
      equal([free.receipt, yield* chargedOf(0)], [null, 0n])
      yield* deliver(yield* call({ deposit, ceiling: price, request: "other?" }))
      equal(yield* chargedOf(0), price)
    }),
  )

  law(
    "a deposit that the chain does not show sells nothing; one that lands unsaid does",
    Effect.gen(function* () {
      const { call, deliver, chargedOf, ledger } = yield* makeWorld
      const deposit = 5n * price
      for (const fault of ["silent", "declined"] as const) {
        ledger.fault = fault
        equal(codeOf(yield* Effect.exit(call({ deposit })))[0], "facilitator_error")
      }
      ledger.fault = "unsaid"
      yield* deliver(yield* call({ deposit }))
      equal(yield* chargedOf(0), price)
    }),
  )

  law(
    "a voucher on top of an undelivered answer acknowledges it",
    Effect.gen(function* () {
      const { call, chargedOf } = yield* makeWorld
      yield* call({ deposit: 5n * price })
      yield* call({ ceiling: 2n * price, request: "next?" })
      equal(yield* chargedOf(0), price)
    }),
  )

  law(
    "one key is charged once, also with a new voucher; another key fetches nothing",
    Effect.gen(function* () {
      const { call, deliver, chargedOf } = yield* makeWorld
      const secret = "a-key-of-one-purchase"
      const first = yield* call({ deposit: 5n * price, secret })
      yield* deliver(first)
      const again = yield* call({ ceiling: 2n * price, secret })
      equal([text(again), again.replayed], [text(first), true])
      equal(
        codeOf(yield* Effect.exit(call({ ceiling: price, secret: "another-key-of-16" }))),
        mismatch,
      )
      equal(codeOf(yield* Effect.exit(call({ ceiling: price }))), mismatch)
      equal(yield* chargedOf(0), price)
    }),
  )

  law(
    "while a call computes, another one on its channel waits, and one on another channel does not",
    Effect.gen(function* () {
      const { call } = yield* makeWorld
      const started = yield* Deferred.make<void>()
      const go = yield* Deferred.make<void>()
      const compute = Deferred.succeed(started, undefined).pipe(
        Effect.andThen(Deferred.await(go)),
        Effect.as({ body: new TextEncoder().encode("slow"), charge: true }),
      )
      const slow = yield* Effect.forkChild(call({ deposit: 5n * price, compute }))
      yield* Deferred.await(started)
      equal(
        codeOf(yield* Effect.exit(call({ ceiling: price, deposit: 5n * price })))[0],
        "payment_in_progress",
      )
      yield* call({ n: 1, deposit: 5n * price })
      yield* Deferred.succeed(go, undefined)
      equal(text(yield* Fiber.join(slow)), "slow")
    }),
  )

  law(
    "nothing is sold beyond the escrow, during a withdrawal, or above a limit",
    Effect.gen(function* () {
      const { call, deliver, ledger, idOf, limits } = yield* makeWorld
      equal(
        codeOf(yield* Effect.exit(call({})))[1],
        "invalid_batch_settlement_evm_channel_not_found",
      )
      yield* deliver(yield* call({ deposit: 2n * price }))
      yield* deliver(yield* call({}))
      equal(
        codeOf(yield* Effect.exit(call({})))[1],
        "invalid_batch_settlement_evm_cumulative_exceeds_balance",
      )
      limits.channelMax = 2n * price
      equal(codeOf(yield* Effect.exit(call({ deposit: 9n * price })))[0], "payments_unavailable")
      limits.channelMax = 100n * price
      limits.totalMax = 2n * price
      equal(codeOf(yield* Effect.exit(call({ deposit: 9n * price })))[0], "payments_unavailable")
      equal(
        codeOf(yield* Effect.exit(call({ n: 1, deposit: 9n * price })))[0],
        "payments_unavailable",
      )
      limits.totalMax = 100n * price
      yield* deliver(yield* call({ deposit: 9n * price }))
      ledger.initiateWithdraw(idOf(0), 5n)
      const sql = yield* SqlClient
      yield* sql`UPDATE channel SET read_at = read_at - interval '1 hour'`
      equal(codeOf(yield* Effect.exit(call({})))[0], "payments_unavailable")
    }),
  )

  law(
    "a voucher of another key, and a channel's id with another configuration, are refused",
    Effect.gen(function* () {
      const { call, channels, idOf, store, ledger } = yield* makeWorld
      const forged = yield* Effect.exit(call({ signer: 1, deposit: 5n * price }))
      equal(codeOf(forged)[1], "invalid_batch_settlement_evm_voucher_signature")
      const signature = yield* signVoucher(0, idOf(0), price)
      const elsewhere = yield* Effect.exit(channels.sell({
        ...{ product, request: "latest?[]", secret: null },
        compute: Effect.die("computed"),
        payment: {
          ...{ channelId: idOf(0), config: channelConfig(1), ceiling: price, signature },
          ...{ identifier: null, action: { type: "voucher" } },
        },
      }))
      equal(codeOf(elsewhere)[1], "invalid_batch_settlement_evm_channel_id_mismatch")
      equal([yield* store.find(idOf(0)), ledger.submitted], [Option.none(), []])
    }),
  )

  law(
    "the payments of the standard client are accepted, and its state follows",
    Effect.gen(function* () {
      const { channels, deliver, ledger, idOf } = yield* makeWorld
      const withChannels = { ...terms, channels: channelTerms }
      const client = new BatchSettlementEvmScheme(buyer(2) as never, {
        depositPolicy: { depositMultiplier: 3 },
        salt: nonce(2),
      })
      const required = challenge(product, withChannels).header
      const accepted = JSON.parse(atob(required)).accepts[1]
      const types: Array<string> = []
      for (let i = 1n; i <= 4n; i++) {
        const made = yield* Effect.promise(() => client.createPaymentPayload(2, accepted))
        const header = btoa(JSON.stringify({ ...made, accepted }))
        const payment = Result.getOrThrow(
          Option.getOrThrow(channelPayment(header, product, withChannels, channelTerms)),
        )
        types.push(payment.action.type)
        ledger.sign(payment.channelId, payment.ceiling, payment.signature)
        equal([payment.channelId, payment.ceiling], [idOf(2), i * price])
        const delivery = yield* channels.sell({
          ...{ product, payment, request: `r${i}`, secret: null },
          compute: Effect.succeed({ body: new Uint8Array(1), charge: true }),
        })
        yield* deliver(delivery)
        yield* Effect.promise(async () => {
          await client.schemeHooks.onPaymentResponse?.({
            paymentPayload: { ...made, accepted },
            requirements: accepted,
            settleResponse: { success: true, ...delivery.receipt },
          } as never)
        })
      }
      equal(types, ["deposit", "voucher", "voucher", "deposit"])
      equal(ledger.of(idOf(2)).balance, 6n * price)
    }),
  )

  law(
    "a withdrawal is answered by a claim at once, which leaves the payer what was not charged",
    Effect.gen(function* () {
      const { call, deliver, ledger, idOf, channels } = yield* makeWorld
      yield* deliver(yield* call({ deposit: 5n * price }))
      yield* channels.claim
      equal(ledger.of(idOf(0)).claimed, 0n)
      ledger.initiateWithdraw(idOf(0), 5n)
      yield* channels.claim
      equal(ledger.of(idOf(0)).claimed, price)
      ledger.finalizeWithdraw(idOf(0))
      equal(ledger.of(idOf(0)).withdrawn, 4n * price)
    }),
  )

  law(
    "a charge is claimed by time and by amount; one that cannot be claimed delays no other",
    Effect.gen(function* () {
      const { call, deliver, ledger, idOf, channels, limits } = yield* makeWorld
      const sql = yield* SqlClient
      yield* deliver(yield* call({ deposit: 5n * price }))
      yield* deliver(yield* call({ n: 1, deposit: 5n * price }))
      yield* sql`UPDATE channel SET unclaimed_at = unclaimed_at - interval '6 hours'
        WHERE channel_id = ${idOf(0)}`
      yield* channels.claim
      equal([0, 1].map((n) => ledger.of(idOf(n)).claimed), [price, 0n])
      // The escrow of the first is gone, against the rules.
      yield* deliver(yield* call({}))
      ledger.of(idOf(0)).balance = price
      limits.channelMax = 2n * price
      yield* channels.claim
      equal([0, 1].map((n) => ledger.of(idOf(n)).claimed), [price, price])
    }),
  )

  law(
    "a claim that the contract refuses stops no other of its transaction",
    Effect.gen(function* () {
      const { call, deliver, ledger, idOf, channels, limits, store } = yield* makeWorld
      yield* deliver(yield* call({ deposit: 5n * price }))
      yield* deliver(yield* call({ n: 1, deposit: 5n * price }))
      const { voucher } = Option.getOrThrow(yield* store.find(idOf(0)))
      if (voucher !== null) ledger.sign(idOf(0), 0n, voucher)
      limits.channelMax = price
      yield* channels.claim
      equal([0, 1].map((n) => ledger.of(idOf(n)).claimed), [0n, price])
    }),
  )

  law(
    "a refund waits for an answer that is not delivered, unless its voucher acknowledges it",
    Effect.gen(function* () {
      const { call, ledger, idOf } = yield* makeWorld
      yield* call({ deposit: 5n * price })
      equal(
        codeOf(yield* Effect.exit(call({ refund: true, ceiling: 0n })))[0],
        "payment_in_progress",
      )
      yield* call({ refund: true, ceiling: price })
      const { claimed, withdrawn } = ledger.of(idOf(0))
      equal([claimed, withdrawn], [price, 4n * price])
    }),
  )

  law(
    "of an escrow that is smaller than what was charged, what is left is claimed",
    Effect.gen(function* () {
      const { call, deliver, ledger, idOf, channels, limits } = yield* makeWorld
      yield* deliver(yield* call({ deposit: 5n * price }))
      yield* deliver(yield* call({}))
      ledger.of(idOf(0)).balance = price
      limits.channelMax = 2n * price
      yield* channels.claim
      equal(ledger.of(idOf(0)).claimed, price)
    }),
  )

  law(
    "a refund claims what was delivered and returns the rest; its lost answer sells nothing meanwhile",
    Effect.gen(function* () {
      const { call, deliver, ledger, idOf, chargedOf } = yield* makeWorld
      yield* deliver(yield* call({ deposit: 5n * price }))
      ledger.fault = "silent"
      equal(codeOf(yield* Effect.exit(call({ refund: true })))[0], "Unresolved")
      ledger.fault = null
      equal(codeOf(yield* Effect.exit(call({})))[0], "payments_unavailable")
      const refund = yield* call({ refund: true })
      equal(refund.receipt?.amount, (4n * price).toString())
      const { balance, claimed, withdrawn } = ledger.of(idOf(0))
      equal([balance, claimed, withdrawn], [price, price, 4n * price])
      equal(
        codeOf(yield* Effect.exit(call({ refund: true })))[1],
        "invalid_batch_settlement_evm_refund_no_balance",
      )
      yield* deliver(yield* call({ deposit: 5n * price }))
      equal(yield* chargedOf(0), 2n * price)
    }),
  )

  law(
    "after a restore from a backup, the charges go on from what the chain has claimed",
    Effect.gen(function* () {
      const { call, deliver, ledger, idOf, channels, limits, store } = yield* makeWorld
      yield* deliver(yield* call({ deposit: 9n * price }))
      yield* deliver(yield* call({}))
      limits.channelMax = 1n
      yield* channels.claim
      limits.channelMax = 100n * price
      equal(ledger.of(idOf(0)).claimed, 2n * price)
      const sql = yield* SqlClient
      yield* sql`TRUNCATE channel, channel_sale`
      const backup = { balance: 9n * price, claimed: 0n, withdrawAt: 0n, refundNonce: 0n }
      yield* store.observe(idOf(0), channelConfig(0), { newest: backup, safe: backup })
      yield* sql`UPDATE channel SET read_at = read_at - interval '1 hour'`
      equal(codeOf(yield* Effect.exit(call({ ceiling: price }))), mismatch)
      yield* deliver(yield* call({ ceiling: 3n * price }))
    }),
  )

  const refused = (name: string, statement: string, message: RegExp) =>
    law(
      `the database refuses ${name}`,
      Effect.gen(function* () {
        const { call, deliver } = yield* makeWorld
        yield* deliver(yield* call({ deposit: 5n * price }))
        yield* call({})
        const sql = yield* SqlClient
        const exit = yield* Effect.exit(sql.withTransaction(sql.unsafe(statement)))
        match(Exit.isSuccess(exit) ? "done" : Cause.pretty(exit.cause), message)
      }),
    )
  refused(
    "a charge without a delivery",
    "UPDATE channel SET charged = charged + 10000",
    /delivered/,
  )
  refused("a charge that falls", "UPDATE channel SET charged = 0, voucher = NULL", /cannot fall/)
  refused("another payer", `UPDATE channel SET payer = '0x${"1".repeat(40)}'`, /cannot be changed/)
  refused(
    "a delivery that is undone",
    "UPDATE channel_sale SET state = 'answered', delivered_at = NULL WHERE state = 'delivered'",
    /cannot go from/,
  )
  refused("another price", "UPDATE channel_sale SET price = 1", /cannot be changed/)
  refused(
    "a second open sale",
    "INSERT INTO channel_sale (sale_id, channel_id, ceiling, price, request, voucher, state, lease_until) " +
      `SELECT '0x${"1".repeat(64)}', channel_id, 99, 1, '', '', 'claimed', now() FROM channel`,
    /channel_sale_open/,
  )
  refused(
    "an answer beyond the escrow",
    "UPDATE channel SET balance = 0; UPDATE channel_sale SET state = 'claimed', answered_at = NULL, body = NULL WHERE state = 'answered'",
    /cannot go from|multiple/,
  )
})
