/**
 * What a hostile service cannot get from the client: 3,000 runs of generated answers. Each run is a
 * service that changes terms, receipts and records at random, answers payments at random, and sees the
 * client restart and the clock move.
 *
 * After every request the test itself judges what the service holds: each authorization is the agreed
 * transfer, signed by the buyer; those of a UTC day are within the budget; and a new one for the same
 * call comes only when the one before can no longer be charged for it.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { encodeAbiParameters, keccak256, recoverTypedDataAddress } from "viem"
import { BuyError, type Client, memoryLedger } from "bellwether-client"
import { expiryMarginSeconds } from "../../../packages/client/src/purchase.ts"
import {
  authorizationOf,
  baseUrl,
  buyerKey,
  challengeAt,
  clientOf,
  errorResponse,
  type Faults,
  json,
  makeSeller,
  onClock,
  payer,
  receipt,
  type Received,
  type Replaced,
  type Seller,
  sellerTerms,
  type TestClock,
  transaction,
} from "../../support/client/seller.ts"
import { transferTypes } from "../../support/payments/buyers.ts"
import { Random } from "../../support/random.ts"
import { sized } from "../../support/size.ts"

const runs = sized({ short: 200, full: 3_000 })
const budgetUsd = "0.08"
const budget = 80_000
const callsPerRun = 5
const prices: Readonly<Record<string, string>> = {
  "/v1/latest": "10000",
  "/v1/signals": "30000",
  "/v1/resolving": "20000",
}

type Json = Record<string, unknown>

/** Values that a field of a hostile answer may have. */
const hostileValues: ReadonlyArray<unknown> = [
  ...[
    null,
    true,
    false,
    0,
    -1,
    1,
    2,
    601,
    1e21,
    "",
    "0",
    "1",
    "30000",
    "30001",
    "-30000",
    "0x7530",
  ],
  ...[
    "3e4",
    " 30000",
    "30000.0",
    "340282366920938463463374607431768211456",
    "upto",
    "eip155:1",
    "base",
  ],
  ...[
    sellerTerms.asset,
    sellerTerms.treasury,
    payer,
    `0x${"66".repeat(20)}`,
    `0x${"66".repeat(32)}`,
  ],
  ...[
    sellerTerms.asset.toLowerCase(),
    "USDC",
    "Coin",
    "permit2",
    "upfront",
    "$0.03",
    "$0.04",
    "$1e1",
  ],
  ...["http://evil.example/v1/signals", `${baseUrl}/v1/whales`, "javascript:alert(1)", [], {}, [
    [],
  ]],
  ...["\u001b[2J\u202e", "x".repeat(5_000), { toString: 1 }, [null], "__proto__"],
]

/** A value with one to three fields changed, deleted, added or doubled, anywhere in it. */
function mutated(random: Random, value: unknown): unknown {
  const copy: unknown = structuredClone(value)
  const root = { root: copy }
  for (let changes = 1 + random.below(3); changes > 0; changes -= 1) {
    let holder: Json = root
    let name = "root"
    for (let depth = 0; depth < 6; depth += 1) {
      const inner = holder[name]
      if (typeof inner !== "object" || inner === null) break
      const names = Object.keys(inner)
      if (names.length === 0 || depth > 0 && random.chance(0.15)) break
      holder = inner as Json
      name = names[random.below(names.length)] ?? name
    }
    const act = random.below(10)
    if (act === 0) delete holder[name]
    else if (act === 1) holder[`${name}2`] = hostileValues[random.below(hostileValues.length)]
    else if (act === 2) holder[name] = [holder[name], holder[name]]
    else holder[name] = hostileValues[random.below(hostileValues.length)]
  }
  return root.root
}

const header = (value: unknown): string => btoa(encodeURIComponent(JSON.stringify(value) ?? ""))
/** Base64 of JSON, where it can be encoded. */
function encoded(value: unknown): string {
  try {
    return btoa(JSON.stringify(value))
  } catch {
    return header(value)
  }
}

/** The 402 of a hostile service: correct in half of the cases, so that a purchase goes on. */
function hostileChallenge(random: Random, path: string): Replaced {
  const wire = challengeAt(path)
  if (wire === null || random.chance(0.5)) return null
  const kind = random.below(8)
  if (kind === 0) return json(wire.body, 402)
  if (kind === 1) return json(wire.body, 402, { "payment-required": "not base64 €".slice(0, 10) })
  if (kind === 2) {
    return random.chance(0.5) ? Response.redirect(`${baseUrl}/v1/whales`, 307) : "lost"
  }
  const header = kind === 3 ? wire.header : mutated(random, wire.header)
  const body = kind === 3 ? mutated(random, wire.body) : wire.body
  if (random.chance(0.1)) {
    wire.header.accepts.unshift({ ...wire.header.accepts[0], amount: "90000" })
  }
  return json(body, 402, { "payment-required": encoded(header) })
}

const charges = [true, false, null] as const
const refunds = ["queued", "confirmed", "\u0007"] as const

/** The answer of a hostile service to a payment. */
function hostileAnswer(random: Random): Replaced {
  const retryAfter = { "retry-after": String(random.pick([0, 1, 5, 60, 3_600, -1, "x"])) }
  switch (random.below(9)) {
    case 0:
      return "lost"
    case 1:
      return json({ error: random.pick(["nonce_used", 1, null, "expired"]) }, 402)
    case 2:
      return json(mutated(random, { success: true, data: [], charged: true }), 200)
    case 3:
      return json({ data: [], charged: false }, 200)
    case 4:
      return json({ data: [], charged: true }, 200, {
        "payment-response": encoded(mutated(random, JSON.parse(atob(honestReceipt)))),
      })
    case 5:
      return Response.redirect(`${baseUrl}/v1/signals?since=99`, 308)
    case 6:
      return new Response("{", {
        status: random.pick([200, 204, 400, 418, 500, 503]) === 204 ? 500 : 503,
      })
    default: {
      const refund = random.chance(0.2) ? { refund: { state: random.pick(refunds) } } : {}
      const status = random.pick([400, 404, 409, 410, 429, 500, 502, 503])
      const error = { charged: random.pick(charges), retryable: random.chance(0.5), ...refund }
      const honest = errorResponse(status, error, retryAfter)
      return random.chance(0.7) ? honest : json(
        mutated(random, { error: { code: "c", message: "m", ...error } }),
        status,
        retryAfter,
      )
    }
  }
}
const honestReceipt = receipt()["payment-response"] ?? ""

const states = [
  "answered",
  "void",
  "released",
  "unresolved",
  "refund_due",
  "refunded",
  "x",
] as const

function hostileRecord(random: Random): object | Response | "lost" {
  const kind = random.below(5)
  if (kind === 0) return "lost"
  if (kind === 1) {
    return errorResponse(404, { code: "not_found", charged: false, retryable: false })
  }
  const fields = { state: random.pick(states) }
  return kind < 4
    ? fields
    : json(mutated(random, { ...fields, amountUsd: "0.03", payer, transaction }))
}

/** What the test knows of one authorization. */
interface Held {
  readonly id: string
  readonly target: string
  readonly value: number
  readonly day: string
  readonly validBefore: number
  /** Whether a buyer must still expect that it is charged for its call. */
  isOpen: boolean
  /** Whether a send of it was answered with anything else than "not taken". */
  isUnclear: boolean
}

/** The id of a payment, by the formula of the service's documents. */
function idOf(nonce: `0x${string}`): string {
  const types = ["string", "uint256", "address", "address", "bytes32"].map((type) => ({ type }))
  const { chainId, asset } = sellerTerms
  return keccak256(encodeAbiParameters(types, ["pay/v1", BigInt(chainId), asset, payer, nonce]))
}

/** Judges every request with a payment, independently of the client. */
function makeJudge(clock: TestClock) {
  const held = new Map<string, Held>()
  const headers = new Map<string, string>()
  const payTos = new Set<string>()

  const received = async ({ url, payment, key }: Received): Promise<void> => {
    if (payment === null) return
    const target = `${url.pathname}${url.search}`
    const { authorization: signed, signature } = authorizationOf(payment)
    const known = held.get(signed.nonce)
    if (known !== undefined) {
      equal([target, `${payment} ${key}`], [known.target, headers.get(signed.nonce)])
      return
    }
    const nowSeconds = Math.floor(clock.nowMs() / 1_000)
    equal(signed.value, prices[url.pathname])
    ok(Number(signed.validBefore) <= nowSeconds + 600 && Number(signed.validAfter) <= nowSeconds)
    payTos.add(signed.to.toLowerCase())
    equal(payTos.size, 1, "two receivers")
    const { asset, chainId, tokenName: name, tokenVersion: version } = sellerTerms
    const signer = await recoverTypedDataAddress({
      domain: { name, version, chainId, verifyingContract: asset },
      types: transferTypes,
      primaryType: "TransferWithAuthorization",
      message: {
        ...signed,
        value: BigInt(signed.value),
        validAfter: BigInt(signed.validAfter),
        validBefore: BigInt(signed.validBefore),
      },
      signature,
    })
    equal(signer, payer)
    const open = [...held.values()].filter((one) => one.isOpen && one.target === target)
    equal(open, [], "a second signature while the first is unclear")
    held.set(signed.nonce, {
      id: idOf(signed.nonce),
      ...{ target, value: Number(signed.value), validBefore: Number(signed.validBefore) },
      day: new Date(clock.nowMs()).toISOString().slice(0, 10),
      ...{ isOpen: true, isUnclear: false },
    })
    headers.set(signed.nonce, `${payment} ${key}`)
    const days = new Map<string, number>()
    for (const { day, value } of held.values()) days.set(day, (days.get(day) ?? 0) + value)
    for (const spent of days.values()) ok(spent <= budget, `${spent} units were signed in a day`)
  }

  /** What an answer to a payment leaves open. */
  const answered = async (payment: string, answer: Response | null): Promise<void> => {
    const one = held.get(authorizationOf(payment).authorization.nonce)
    if (one === undefined) return
    const body = answer === null ? undefined : await answer.clone().json().catch(() => undefined)
    const error = body?.error
    const isFormat = typeof error?.code === "string" && typeof error?.message === "string" &&
      typeof error?.retryable === "boolean" && [true, false, null].includes(error?.charged)
    const isClosed = answer?.status === 200 ||
      isFormat && answer?.status !== 402 &&
        (error.charged === true || typeof error.refund?.state === "string")
    const isUntaken = answer?.status === 402 || isFormat && error.charged === false
    if (isClosed) one.isOpen = one.isUnclear = false
    else if (isUntaken) one.isOpen = one.isUnclear
    else one.isOpen = one.isUnclear = true
  }

  /** A record may close an authorization that has expired, or report a refund. */
  const recorded = async (id: string, answer: Response | null): Promise<void> => {
    const body = answer === null ? undefined : await answer.clone().json().catch(() => undefined)
    const isRefund = ["refund_due", "refunded"].includes(body?.state)
    const isVoid = body?.state === "void" ||
      answer?.status === 404 && body?.error?.code === "not_found"
    for (const one of held.values()) {
      if (one.id !== id) continue
      const isExpired = clock.nowMs() / 1_000 > one.validBefore + expiryMarginSeconds
      if (isRefund || isVoid && isExpired) one.isOpen = one.isUnclear = false
    }
  }
  let failure: unknown = null
  /** Keeps the first failure for `verdict`. */
  const judging = async (judge: () => Promise<void>): Promise<void> => {
    try {
      await judge()
    } catch (error) {
      failure ??= error
    }
  }
  const verdict = (): void => {
    if (failure !== null) throw failure
  }
  return { received, answered, recorded, judging, verdict, signed: () => held.size }
}

/** A seller whose every request is judged. The client takes what fetch throws for a lost answer. */
function judged(seller: Seller, judge: ReturnType<typeof makeJudge>): typeof globalThis.fetch {
  return async (input, init) => {
    const url = new URL(String(input))
    const headers = new Headers(init?.headers)
    const payment = headers.get("payment-signature")
    const key = headers.get("idempotency-key")
    const answer = await seller.fetch(input, init).catch(() => null)
    const id = url.pathname.split("/v1/payments/")[1]
    await judge.judging(async () => {
      equal(url.origin, baseUrl)
      await judge.received({ url, payment, key, etag: null })
      if (payment !== null) await judge.answered(payment, answer)
      if (id !== undefined) await judge.recorded(id, answer)
    })
    if (answer === null) throw new TypeError("connection lost")
    return answer
  }
}

function call(client: Client, of: number): Promise<unknown> {
  if (of === 0) return client.latest()
  return of === 1 ? client.resolving() : client.signals({ since: of })
}

/** What a message may not contain. */
function checkText(text: string, payments: ReadonlyArray<Received>): void {
  ok(!/\p{Cc}|\u202e/u.test(text), JSON.stringify(text))
  ok(!text.includes(buyerKey.slice(2)))
  for (const { payment, key } of payments) {
    ok(!text.includes(payment ?? "") && !text.includes(key ?? ""))
  }
}

/** One hostile service, met five times; returns how many payments it got. */
async function run(seed: number, clock: TestClock): Promise<{ signed: number; refused: number }> {
  const random = new Random(seed)
  const isHonestBefore = random.chance(0.5)
  const faults: Faults = {
    unpaid: ({ url }) => isHonestBefore ? null : hostileChallenge(random, url.pathname),
    paid: () => random.chance(0.1) ? null : hostileAnswer(random),
    get record() {
      return hostileRecord(random)
    },
  }
  const seller = makeSeller(clock, faults)
  const judge = makeJudge(clock)
  const ledger = memoryLedger()
  const steps: Array<string> = []
  let refused = 0
  for (let nth = 0; nth < callsPerRun; nth += 1) {
    const client = clientOf(
      seller,
      clock,
      { ledger, budgetUsd, fetch: judged(seller, judge) },
      steps,
    )
    const before = seller.received.length
    try {
      await call(client, random.below(4))
    } catch (error) {
      ok(error instanceof BuyError, String(error))
      checkText(error.sentence, seller.payments())
      refused += 1
    }
    judge.verdict()
    ok(seller.received.length - before <= 60, "a call without an end")
    if (random.chance(0.3)) {
      clock.move(random.pick([30_000, 200_000, 3_600_000, -50_000, 90_000_000]))
    }
  }
  steps.forEach((step) => checkText(step, seller.payments()))
  return { signed: judge.signed(), refused }
}

Deno.test(`${runs} hostile services get no payment that was not agreed, and none over the budget`, () =>
  onClock(async (clock) => {
    let [signed, refused] = [0, 0]
    for (let seed = 1; seed <= runs; seed += 1) {
      try {
        const got = await run(seed, clock)
        signed += got.signed
        refused += got.refused
      } catch (error) {
        throw new Error(`seed ${seed}`, { cause: error })
      }
    }
    // The runs are worth something only if many of them pay.
    ok(signed > runs && refused > runs, `${signed} payments were signed, ${refused} calls refused`)
  }))

/** Every field of the 402 is changed to every hostile value. */
Deno.test("no change of one field of a challenge is signed, except where it says the same", async () => {
  const wire = challengeAt("/v1/signals")
  ok(wire !== null)
  const paths: Array<ReadonlyArray<string>> = []
  const collect = (value: unknown, path: ReadonlyArray<string>): void => {
    paths.push(path)
    if (typeof value !== "object" || value === null) return
    for (const [name, inner] of Object.entries(value)) collect(inner, [...path, name])
  }
  for (const part of ["header", "body"] as const) {
    for (const name of ["x402Version", "accepts", "resource"]) {
      const value = wire[part][name]
      if (value !== undefined) collect(value, [part, name])
    }
  }
  await onClock(async (clock) => {
    for (const path of paths) {
      for (const value of hostileValues) {
        const judge = makeJudge(clock)
        const tampered = structuredClone(wire)
        const last = path.at(-1) ?? ""
        const holder = path.slice(0, -1).reduce<Json>((at, name) => at[name] as Json, tampered)
        holder[last] = value
        const seller = makeSeller(clock, {
          unpaid: () => json(tampered.body, 402, { "payment-required": encoded(tampered.header) }),
        })
        const client = clientOf(seller, clock, { fetch: judged(seller, judge) })
        await client.signals({ since: 1 }).catch((error) =>
          ok(error instanceof BuyError, String(error))
        )
        judge.verdict()
      }
    }
  })
})
