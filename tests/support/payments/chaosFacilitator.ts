/**
 * An x402 facilitator on a real socket and a real chain that sometimes lies, fails or does not
 * respond.
 *
 * It checks payments with an eth_call of the transfer, and it does settle. Its response may be
 * wrong.
 *
 * @module
 */
import { Effect } from "effect"
import type { Random } from "../random.ts"
import type { Anvil } from "./anvil.ts"
import { isListable } from "./listing.ts"
import { type Call, toToken } from "./token.ts"
import { serving } from "../serving.ts"

/** The faults of a settlement. */
export const ways = [
  "success without a transaction",
  "failure after broadcast",
  "double broadcast",
  "late broadcast",
  "5xx after broadcast",
  "HTML",
  "garbage JSON",
  "never answering",
] as const
export type Way = typeof ways[number]

export interface ChaosFacilitator {
  readonly url: string
  /** How often each fault occurred, and the number of calls of each kind. */
  readonly counts: Readonly<Record<string, number>>
  /** Makes it honest. Completed when its last late broadcast is on the chain. */
  readonly becomeHonest: Effect.Effect<void>
}

export interface ChaosOptions {
  readonly anvil: Anvil
  readonly random: Random
  /** The share of settlements, and of verifications, that fail. */
  readonly settleShare: number
  readonly verifyShare: number
  /** Waits before a late broadcast; real time when absent. */
  readonly wait?: (ms: number) => Promise<void>
}

/** The delay of a late broadcast. */
const broadcastDelayMs = { min: 500, max: 8_000 } as const
/** A pause is twice as long as the one before: a chain that mines at once has a receipt in a moment. */
const receiptPauseMs = { min: 5, max: 150 } as const
const receiptPollsMax = 60

interface FacilitatorCall {
  readonly paymentPayload: {
    readonly payload: {
      readonly authorization: Readonly<Record<string, string>>
      readonly signature: string
    }
  }
  readonly paymentRequirements: {
    readonly payTo: string
    readonly amount: string
    readonly network: string
  }
}

/** Listens until the scope closes. */
export const startChaosFacilitator = Effect.fn("startChaosFacilitator")(function* (
  options: ChaosOptions,
) {
  const { random } = options
  const counts: Record<string, number> = { verify: 0, settle: 0, "verify broken": 0 }
  for (const way of ways) counts[way] = 0
  const count = (what: string) => counts[what] = (counts[what] ?? 0) + 1
  const relay = yield* makeRelay(options)
  const late = new Set<Promise<unknown>>()
  let honest = false

  const verify = async (call: FacilitatorCall): Promise<Response> => {
    count("verify")
    if (!honest && random.chance(options.verifyShare)) {
      count("verify broken")
      switch (random.below(5)) {
        case 0:
          return broken(random)
        case 1:
          return html()
        case 2:
          return garbage()
        case 3:
          return silence()
        default:
          return Response.json({ isValid: false, invalidReason: "unexpected_verify_error" })
      }
    }
    const { authorization } = call.paymentPayload.payload
    const reason = mismatch(call) ?? await relay.wouldFail(callOf(call))
    return reason === null
      ? Response.json({ isValid: true, payer: authorization["from"] })
      : Response.json({ isValid: false, invalidReason: reason, payer: authorization["from"] })
  }

  /** Settles and reports it. */
  const settle = async (call: FacilitatorCall): Promise<Response> => {
    const reason = mismatch(call) ?? await relay.wouldFail(callOf(call))
    if (reason !== null) return failure(call, reason)
    const transaction = await relay.send(callOf(call))
    return await relay.succeeded(transaction)
      ? success(call, transaction)
      : failure(call, "transaction_failed")
  }

  const misbehave = async (way: Way, call: FacilitatorCall): Promise<Response> => {
    const transfer = callOf(call)
    const maybe = () => random.chance(0.6) ? relay.send(transfer).catch(() => "") : null
    switch (way) {
      case "success without a transaction":
        return success(call, random.chance(0.3) ? "" : randomTransaction(random))
      case "failure after broadcast":
        await relay.send(transfer)
        return failure(call, "insufficient_funds")
      case "double broadcast": {
        await relay.send(transfer)
        return success(call, await relay.send(transfer))
      }
      case "late broadcast": {
        const delayMs = random.between(broadcastDelayMs.min, broadcastDelayMs.max)
        const broadcast = (options.wait ?? sleep)(delayMs).then(() => relay.send(transfer))
        late.add(broadcast)
        broadcast.catch(() => {}).finally(() => late.delete(broadcast))
        return failure(call, random.pick(["settlement_pending", "unexpected_settle_error"]))
      }
      case "5xx after broadcast":
        await relay.send(transfer)
        return broken(random)
      case "HTML":
        await maybe()
        return html()
      case "garbage JSON":
        await maybe()
        return garbage()
      case "never answering":
        await maybe()
        return silence()
    }
  }

  const handle = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url)
    if (pathname === "/supported") return Response.json({ kinds: [kind], extensions: [] })
    const call: FacilitatorCall = await request.json()
    if (pathname === "/verify") return verify(call)
    count("settle")
    if (!isListable(call.paymentPayload, call.paymentRequirements)) {
      return failure(call, "not_listable")
    }
    if (honest || !random.chance(options.settleShare)) return settle(call)
    const way = random.pick(ways)
    count(way)
    return misbehave(way, call)
  }

  const url = yield* serving(handle, {
    onError: (error) => new Response(String(error), { status: 500 }),
  })
  const facilitator: ChaosFacilitator = {
    url,
    counts,
    becomeHonest: Effect.promise(async () => {
      honest = true
      await Promise.allSettled([...late])
    }),
  }
  return facilitator
})

/** Submits calls to the chain, from accounts with gas. */
const makeRelay = Effect.fnUntraced(function* ({ anvil, random }: ChaosOptions) {
  const accounts = (yield* anvil.call("eth_accounts")) as ReadonlyArray<string>
  const call = (method: string, ...params: ReadonlyArray<unknown>) =>
    Effect.runPromise(anvil.call(method, ...params))
  let last: Promise<unknown> = Promise.resolve()

  return {
    /** Why the chain would refuse the call now; null when it would not. */
    wouldFail: async ({ to, data }: Call): Promise<string | null> => {
      try {
        await call("eth_call", { from: accounts[0], to, data }, "pending")
        return null
      } catch {
        return "invalid_transaction_state"
      }
    },
    /** Sequential, so that no two transactions use the same nonce of their sender. */
    send: ({ to, data }: Call): Promise<string> => {
      const from = accounts[random.below(accounts.length)]
      const sent = last.catch(() => {}).then(async () =>
        String(await call("eth_sendTransaction", { from, to, data, gas: "0x4c4b40" }))
      )
      last = sent
      return sent
    },
    succeeded: async (transaction: string): Promise<boolean> => {
      let pauseMs: number = receiptPauseMs.min
      for (let turn = 0; turn < receiptPollsMax; turn++) {
        const receipt = await call("eth_getTransactionReceipt", transaction)
        if (receipt !== null) return (receipt as { readonly status: string }).status === "0x1"
        await sleep(pauseMs)
        pauseMs = Math.min(receiptPauseMs.max, pauseMs * 2)
      }
      return false
    },
  }
})

const kind = { x402Version: 2, scheme: "exact", network: "eip155:8453" }

/** The signed message must match the requirements. */
function mismatch({ paymentPayload, paymentRequirements }: FacilitatorCall): string | null {
  const { to, value } = paymentPayload.payload.authorization
  const same = to?.toLowerCase() === paymentRequirements.payTo.toLowerCase() &&
    value === paymentRequirements.amount
  return same ? null : "invalid_exact_evm_payload_recipient_mismatch"
}

function callOf(
  { paymentPayload: { payload: { authorization, signature } } }: FacilitatorCall,
): Call {
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  return toToken("transferWithAuthorization", [
    ...[from, to, BigInt(value ?? 0), BigInt(validAfter ?? 0), BigInt(validBefore ?? 0), nonce],
    signature,
  ])
}

function success(call: FacilitatorCall, transaction: string): Response {
  return Response.json({ success: true, transaction, ...partiesOf(call) })
}

function failure(call: FacilitatorCall, errorReason: string): Response {
  return Response.json({ success: false, errorReason, transaction: "", ...partiesOf(call) })
}

function partiesOf({ paymentPayload, paymentRequirements: { network } }: FacilitatorCall) {
  return { payer: paymentPayload.payload.authorization["from"], network }
}

function broken(random: Random): Response {
  return new Response("upstream error", { status: random.pick([500, 502, 503, 504]) })
}

function html(): Response {
  return new Response("<!doctype html><title>Just a moment</title>", {
    headers: { "content-type": "text/html" },
  })
}

function garbage(): Response {
  return new Response('{"success":tr', { headers: { "content-type": "application/json" } })
}

/** Accepts the request and never responds. */
function silence(): Promise<Response> {
  return new Promise(() => {})
}

function randomTransaction(random: Random): string {
  const digits = Array.from({ length: 64 }, () => random.below(16).toString(16))
  return `0x${digits.join("")}`
}

function sleep(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms))
}
