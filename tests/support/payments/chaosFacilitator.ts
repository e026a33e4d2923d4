/**
 * An x402 facilitator on a real socket and a real chain that now and then lies, breaks or is silent.
 *
 * It checks payments as the token itself does, by asking the chain what a transfer would do, and it
 * does settle; what it says of that is another matter.
 *
 * @module
 */
import { Effect } from "effect"
import type { Random } from "../random.ts"
import type { Anvil } from "./anvil.ts"
import { type Call, toToken } from "./token.ts"

/** How a settlement goes wrong. */
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
  /** How often each way was taken, and how many calls there were of each kind. */
  readonly counts: Readonly<Record<string, number>>
  /** From now on it is honest. Done when its last late broadcast is on the chain. */
  readonly repent: Effect.Effect<void>
}

export interface ChaosOptions {
  readonly anvil: Anvil
  readonly random: Random
  /** The share of settlements, and of verifications, that go wrong. */
  readonly settleShare: number
  readonly verifyShare: number
}

/** How late a late broadcast is. */
const lateMs = { min: 500, max: 8_000 } as const
const receiptEveryMs = 150
const receiptTimes = 60

interface Shown {
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

  const verify = async (shown: Shown): Promise<Response> => {
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
    const { authorization } = shown.paymentPayload.payload
    const reason = mismatch(shown) ?? await relay.wouldFail(callOf(shown))
    return reason === null
      ? Response.json({ isValid: true, payer: authorization["from"] })
      : Response.json({ isValid: false, invalidReason: reason, payer: authorization["from"] })
  }

  /** Settles, and says so. */
  const settle = async (shown: Shown): Promise<Response> => {
    const reason = mismatch(shown) ?? await relay.wouldFail(callOf(shown))
    if (reason !== null) return failure(shown, reason)
    const transaction = await relay.send(callOf(shown))
    return await relay.succeeded(transaction)
      ? success(shown, transaction)
      : failure(shown, "transaction_failed")
  }

  const misbehave = async (way: Way, shown: Shown): Promise<Response> => {
    const call = callOf(shown)
    const maybe = () => random.chance(0.6) ? relay.send(call).catch(() => "") : null
    switch (way) {
      case "success without a transaction":
        return success(shown, random.chance(0.3) ? "" : madeUp(random))
      case "failure after broadcast":
        await relay.send(call)
        return failure(shown, "insufficient_funds")
      case "double broadcast": {
        await relay.send(call)
        return success(shown, await relay.send(call))
      }
      case "late broadcast": {
        const broadcast = sleep(random.between(lateMs.min, lateMs.max)).then(() => relay.send(call))
        late.add(broadcast)
        broadcast.catch(() => {}).finally(() => late.delete(broadcast))
        return failure(shown, random.pick(["settlement_pending", "unexpected_settle_error"]))
      }
      case "5xx after broadcast":
        await relay.send(call)
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
    const shown: Shown = await request.json()
    if (pathname === "/verify") return verify(shown)
    count("settle")
    if (honest || !random.chance(options.settleShare)) return settle(shown)
    const way = random.pick(ways)
    count(way)
    return misbehave(way, shown)
  }

  const server = yield* Effect.acquireRelease(
    Effect.sync(() =>
      Deno.serve({
        hostname: "127.0.0.1",
        port: 0,
        onListen: () => {},
        onError: (error) => new Response(String(error), { status: 500 }),
      }, handle)
    ),
    // It may be silent to somebody, so it is not waited for.
    (server) =>
      Effect.sync(() => {
        server.shutdown().catch(() => {})
      }),
  )
  const facilitator: ChaosFacilitator = {
    url: `http://127.0.0.1:${server.addr.port}`,
    counts,
    repent: Effect.promise(async () => {
      honest = true
      await Promise.allSettled([...late])
    }),
  }
  return facilitator
})

/** Brings calls to the chain, from accounts that hold gas. */
const makeRelay = Effect.fnUntraced(function* ({ anvil, random }: ChaosOptions) {
  const accounts = (yield* anvil.call("eth_accounts")) as ReadonlyArray<string>
  const call = (method: string, ...params: ReadonlyArray<unknown>) =>
    Effect.runPromise(anvil.call(method, ...params))
  let last: Promise<unknown> = Promise.resolve()

  return {
    /** Why the chain would refuse it now; null when it would not. */
    wouldFail: async ({ to, data }: Call): Promise<string | null> => {
      try {
        await call("eth_call", { from: accounts[0], to, data }, "pending")
        return null
      } catch {
        return "invalid_transaction_state"
      }
    },
    /** One after another, so that no two take the same number of their sender. */
    send: ({ to, data }: Call): Promise<string> => {
      const from = accounts[random.below(accounts.length)]
      const sent = last.catch(() => {}).then(async () =>
        String(await call("eth_sendTransaction", { from, to, data, gas: "0x4c4b40" }))
      )
      last = sent
      return sent
    },
    succeeded: async (transaction: string): Promise<boolean> => {
      for (let turn = 0; turn < receiptTimes; turn++) {
        const receipt = await call("eth_getTransactionReceipt", transaction)
        if (receipt !== null) return (receipt as { readonly status: string }).status === "0x1"
        await sleep(receiptEveryMs)
      }
      return false
    },
  }
})

const kind = { x402Version: 2, scheme: "exact", network: "eip155:8453" }

/** What is signed must be what was asked for. */
function mismatch({ paymentPayload, paymentRequirements }: Shown): string | null {
  const { to, value } = paymentPayload.payload.authorization
  const same = to?.toLowerCase() === paymentRequirements.payTo.toLowerCase() &&
    value === paymentRequirements.amount
  return same ? null : "invalid_exact_evm_payload_recipient_mismatch"
}

function callOf({ paymentPayload: { payload: { authorization, signature } } }: Shown): Call {
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  return toToken("transferWithAuthorization", [
    ...[from, to, BigInt(value ?? 0), BigInt(validAfter ?? 0), BigInt(validBefore ?? 0), nonce],
    signature,
  ])
}

function success(shown: Shown, transaction: string): Response {
  return Response.json({ success: true, transaction, ...partiesOf(shown) })
}

function failure(shown: Shown, errorReason: string): Response {
  return Response.json({ success: false, errorReason, transaction: "", ...partiesOf(shown) })
}

function partiesOf({ paymentPayload, paymentRequirements: { network } }: Shown) {
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

/** Takes the question and says nothing, for as long as anybody may listen. */
function silence(): Promise<Response> {
  return new Promise(() => {})
}

function madeUp(random: Random): string {
  const digits = Array.from({ length: 64 }, () => random.below(16).toString(16))
  return `0x${digits.join("")}`
}

function sleep(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms))
}
