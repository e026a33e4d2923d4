/**
 * The vectors of agoragentic's transaction assurance suite, as calls of the running service. A vector
 * is a set of facts about a sale (`rail_match: false`, `replay_detected: true`) and the decision that
 * follows. The suite gives them to a module; here each is brought about with real payments, and the
 * answer of the service is its decision: sold is `pass`, refused without a charge is `deny`, and not
 * known yet is `review`.
 *
 * @module
 */
import { Effect } from "effect"
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts"
import { type Product, products } from "../../src/catalog/domain/product.ts"
import { testHeader } from "../../src/core/testCall.ts"
import { address, type Authorization, Bytes32 } from "../../src/payments/domain/payment.ts"
import { sign } from "../../tests/support/payments/buyers.ts"
import {
  authorizationFor,
  headerOf,
  terms,
  wirePayment,
} from "../../tests/support/payments/terms.ts"
import type { Fault } from "../attacks/chain.ts"
import { sleep } from "../attacks/drill.ts"
import { type Environment, startEnvironment } from "../attacks/environment.ts"
import { type HttpAnswer, request } from "../attacks/http.ts"

export type Decision = "pass" | "deny" | "review"

/** One vector, and what the service did. */
export interface VectorResult {
  readonly id: string
  readonly expected: Decision
  /** Null: the vector is not about a seller of x402. */
  readonly decision: Decision | null
  readonly seen: string
}

interface Seen {
  readonly decision: Decision | null
  readonly seen: string
}

type Experiment = (world: World) => Promise<Seen>

const { latest, signals, resolving } = products
const stranger = address(`0x${"5e".repeat(20)}`)
const refundWithinMs = 180_000
const pollMs = 500
const reasonLengthMax = 60
const buyerUnits = "1000000000"
const otherKeyHolder = privateKeyToAccount(`0x${"0b".repeat(32)}`)

type Wire = ReturnType<typeof wirePayment>

interface Changes {
  readonly product?: Product
  /** Signed with these changes. */
  readonly authorization?: Partial<Authorization>
  /** Signed by another key than that of the payer. */
  readonly signer?: PrivateKeyAccount
  /** Made after the signature. */
  readonly wire?: (wire: Wire) => unknown
}

/** A buyer with money and an address of its own, as a proxy reports it. */
interface Buyer {
  readonly account: PrivateKeyAccount
  readonly pay: (changes?: Changes) => Promise<string>
  readonly send: (
    path: string,
    header: string | null,
    more?: { readonly key?: string; readonly trigger?: string; readonly hangUpAfterMs?: number },
  ) => Promise<HttpAnswer>
}

interface World {
  readonly environment: Environment
  readonly newBuyer: (fault?: Fault) => Promise<Buyer>
  readonly credentials: Set<string>
  readonly keys: Set<string>
  /** Everything that the service has said, headers decoded. */
  readonly said: Array<string>
}

const randomKey = () => crypto.randomUUID()
const randomNonce = () =>
  Bytes32.make(`0x${crypto.getRandomValues(new Uint8Array(32)).toHex()}` as const)

/** A header as text, decoded where it is base64. */
function readable(value: string): string {
  try {
    return value + atob(value)
  } catch {
    return value
  }
}

function makeWorld(environment: Environment): World {
  const credentials = new Set<string>()
  const keys = new Set<string>()
  const said: Array<string> = []
  let buyers = 0
  const newBuyer = async (fault?: Fault): Promise<Buyer> => {
    const key = generatePrivateKey()
    keys.add(key)
    const account = privateKeyToAccount(key)
    const client = `203.0.113.${++buyers}`
    await environment.control({
      fund: { [account.address]: buyerUnits },
      ...fault === undefined ? {} : { faults: { [account.address]: fault } },
    })
    const pay = async ({ product = latest, authorization, signer, wire }: Changes = {}) => {
      const now = Math.floor(Date.now() / 1_000)
      const nonce = randomNonce()
      const message = authorizationFor(account, product, now, { nonce, ...authorization })
      const signature = await Effect.runPromise(sign(signer ?? account, message))
      credentials.add(signature)
      const payment = wirePayment(product, message, signature)
      return headerOf(wire === undefined ? payment : wire(payment))
    }
    const send: Buyer["send"] = async (path, header, { key, trigger, ...more } = {}) => {
      if (key !== undefined) credentials.add(key)
      const answer = await request({
        ...{ port: environment.ports[0] ?? 0, path, client, ...more },
        headers: {
          ...header === null ? {} : { "payment-signature": header },
          ...key === undefined ? {} : { "idempotency-key": key },
          ...trigger === undefined ? {} : { [testHeader]: trigger },
        },
      })
      said.push(answer.body, ...[...answer.headers.values()].map(readable))
      return answer
    }
    return { account, pay, send }
  }
  return { environment, newBuyer, credentials, keys, said }
}

/** The decision in an answer. */
function decisionOf({ status, body, failure }: HttpAnswer): Seen {
  if (status === 200) return { decision: "pass", seen: "200, sold" }
  if (status === null) return { decision: "review", seen: String(failure) }
  const { error } = JSON.parse(body)
  // The body of a 402 has the reason as text, and means that nothing was charged.
  const { code, charged } = typeof error === "string" ? { code: error, charged: false } : error
  return {
    decision: status >= 500 || charged === null ? "review" : "deny",
    seen: `${status} ${code.slice(0, reasonLengthMax)}, charged ${charged}`,
  }
}

/** One payment with these changes, sent to `path`. */
const paying = (changes: Changes, path: string = latest.path): Experiment => async (world) => {
  const buyer = await world.newBuyer()
  return decisionOf(await buyer.send(path, await buyer.pay(changes)))
}

const accepted = (change: object) =>
  paying({ wire: (wire) => ({ ...wire, accepted: { ...wire.accepted, ...change } }) })

const faulty = (fault: Fault): Experiment => async (world) => {
  const buyer = await world.newBuyer(fault)
  return decisionOf(await buyer.send(latest.path, await buyer.pay(), { key: randomKey() }))
}

/** The same payment twice; the second call is judged. */
const again =
  (path: string, keys: readonly [string?, string?] = []): Experiment => async (world) => {
    const buyer = await world.newBuyer()
    const header = await buyer.pay()
    const send = (path: string, key?: string) =>
      buyer.send(path, header, key === undefined ? {} : { key })
    const first = await send(latest.path, keys[0])
    if (first.status !== 200) return { decision: null, seen: `the first call: ${first.status}` }
    return decisionOf(await send(path, keys[1]))
  }

const other = (reason: string): Experiment => () =>
  Promise.resolve({ decision: null, seen: reason })

/** Whether the service said any of these. */
const leaks = (what: (world: World) => Iterable<string>): Experiment => (world) => {
  const found = [...what(world)].filter((secret) =>
    world.said.some((text) => text.includes(secret))
  )
  const seen = `${found.length} found in ${world.said.length} bodies and headers`
  return Promise.resolve({ decision: found.length === 0 ? "deny" : "pass", seen })
}

/** Polls until `check` holds, or the time is up. */
async function until(check: () => Promise<boolean>, ms: number): Promise<boolean> {
  const end = performance.now() + ms
  while (performance.now() < end) {
    if (await check()) return true
    await sleep(pollMs)
  }
  return false
}

/** A transfer to the seller that no call announced, and its state when it is `state`. */
const unannounced = (state: string, decision: Decision): Experiment => async (world) => {
  const { environment, newBuyer } = world
  const { account, send } = await newBuyer()
  const from = account.address
  const value = latest.price.toString()
  await environment.control({ transfers: [{ from, to: environment.payTo, value }] })
  const paymentOf = async () => {
    const query = "SELECT payment_id, state FROM payment WHERE payer = $1"
    const [row] = await environment.query(query, [from.toLowerCase()])
    return row
  }
  const isSo = await until(async () => (await paymentOf())?.["state"] === state, refundWithinMs)
  const { body } = await send(`/v1/payments/${(await paymentOf())?.["payment_id"]}`, null)
  const refund = JSON.stringify(JSON.parse(body).refund ?? null)
  return { decision: isSo ? decision : null, seen: `${state}, refund ${refund.slice(0, 60)}` }
}

/** A product that is paid for first, whose work then fails; only simulated payments can do this. */
const failedExecution: Experiment = () =>
  Effect.runPromise(Effect.scoped(Effect.gen(function* () {
    const settings = { PAYMENTS: "simulated", ALLOW_SIMULATED_PAYMENTS: "1" }
    const environment = yield* startEnvironment({ settings })
    return yield* Effect.promise(async (): Promise<Seen> => {
      const { newBuyer } = makeWorld(environment)
      const { pay, send } = await newBuyer()
      const header = await pay({ product: resolving })
      const answer = await send(resolving.path, header, { trigger: "fails-after-settlement" })
      const { decision, seen } = decisionOf(answer)
      const [row] = await environment.query("SELECT state FROM payment")
      // A failure that is final and paid back is a refusal, whatever its status.
      return row?.["state"] === "refund_due"
        ? { decision: "deny", seen: `${seen}, ${row["state"]}` }
        : { decision, seen }
    })
  })))

const expired = { validBefore: BigInt(Math.floor(Date.now() / 1_000) - 60) }
const buyerSide = other("the buyer's limit; bellwether-client and bellwether-mcp keep budgets")
const otherProtocol = other("another protocol, which the service does not speak")
const noDisputes = other("x402 exact has no disputes; what is not delivered is refunded unasked")
const noModel = other("this run has no model; tests/injection")

/** How each vector is brought about. */
const experiments: Readonly<Record<string, Experiment>> = {
  ap2_complete_chain: otherProtocol,
  visa_complete_chain: otherProtocol,
  acp_complete_chain: otherProtocol,
  x402_complete_chain: paying({}),
  authority_absent: async ({ newBuyer }) =>
    decisionOf(await (await newBuyer()).send(latest.path, null)),
  authority_unverified: paying({ signer: otherKeyHolder }),
  authority_unknown: faulty("verify fails"),
  authority_revoked: async ({ environment, newBuyer }) => {
    const { account, pay, send } = await newBuyer()
    const nonce = randomNonce()
    await environment.control({ cancel: [{ from: account.address, nonce }] })
    return decisionOf(await send(latest.path, await pay({ authorization: { nonce } })))
  },
  authority_expired: paying({ authorization: expired }),
  authority_wrong_principal: paying({ authorization: { from: stranger } }),
  authority_wrong_audience: paying({ authorization: { to: stranger } }),
  authority_wrong_agent: again(latest.path, [randomKey(), randomKey()]),
  unsupported_protocol_version: paying({ wire: (wire) => ({ ...wire, x402Version: 3 }) }),
  newer_protocol_version_review_required: other("x402Version is 1 or 2, without minor versions"),
  newer_protocol_version_deny_precedence: paying({
    authorization: expired,
    wire: (wire) => ({ ...wire, x402Version: 3 }),
  }),
  merchant_mismatch: accepted({ payTo: stranger }),
  seller_mismatch: paying({
    wire: (wire) => ({ ...wire, resource: { url: `https://other.example${latest.path}` } }),
  }),
  category_mismatch: paying({
    wire: (wire) => ({ ...wire, resource: { url: terms.publicBaseUrl + signals.path } }),
  }),
  action_mismatch: async ({ environment, newBuyer }) => {
    const { pay } = await newBuyer()
    const url = `http://127.0.0.1:${environment.ports[0]}${latest.path}`
    const headers = { "payment-signature": await pay() }
    const { status } = await fetch(url, { method: "HEAD", headers })
    return { decision: status === 402 ? "deny" : "pass", seen: `HEAD: ${status}` }
  },
  rail_mismatch: accepted({ network: "eip155:137" }),
  currency_mismatch: accepted({ asset: stranger }),
  quote_changed: accepted({ amount: (latest.price - 1n).toString() }),
  terms_changed: accepted({ scheme: "upto" }),
  per_action_limit_exceeded: buyerSide,
  daily_limit_exceeded: buyerSide,
  total_limit_exceeded: buyerSide,
  payment_identifier_missing: paying({
    wire: ({ payload, ...wire }) => {
      const { nonce: _, ...authorization } = payload.authorization
      return { ...wire, payload: { ...payload, authorization } }
    },
  }),
  payment_identifier_reused: async ({ newBuyer }) => {
    const { pay, send } = await newBuyer()
    const key = randomKey()
    const first = await send(latest.path, await pay(), { key })
    const again = await send(latest.path, await pay(), { key })
    const isReplay = again.headers.get("idempotent-replayed") === "true"
    const isSame = first.body === again.body && isReplay
    const other = await send(resolving.path, await pay({ product: resolving }), { key })
    const seen =
      `same request: ${isSame ? "the first answer" : again.status}, not charged again; ` +
      `another request: ${decisionOf(other).seen}`
    return { ...decisionOf(other), seen }
  },
  paid_retry_replay: again(latest.path),
  evidence_replayed: again(signals.path),
  payment_not_observed: faulty("settles nothing"),
  delivery_with_unverified_payment: faulty("verify refuses"),
  delivery_with_nonfinal_payment: faulty("settles and fails"),
  payment_with_failed_execution: failedExecution,
  payment_without_delivery: async ({ newBuyer }) => {
    const { pay, send } = await newBuyer()
    const [header, key] = [await pay(), randomKey()]
    const lost = decisionOf(await send(latest.path, header, { key, hangUpAfterMs: 1_000 }))
    const { status } = await send(latest.path, header, { key })
    return { ...lost, seen: `${lost.seen}; the same payment again: ${status}` }
  },
  outcome_not_validated: other("the buyer's check; the service encodes by the product's schema"),
  wrong_output: other("as before; another body does not compile (paywall.test.ts)"),
  partial_fulfillment: other("an answer is delivered whole, or refunded whole"),
  reconciliation_required: async (world) => {
    const { seen } = await faulty("settles and never responds")(world)
    return { decision: null, seen: `${seen}: the chain is read before the answer` }
  },
  refund_pending: unannounced("refund_due", "review"),
  refund_completed: unannounced("refunded", "pass"),
  dispute_pending: noDisputes,
  dispute_resolved: noDisputes,
  raw_secret_leak: leaks(() => ["postgres://", "DATABASE_URL", "TREASURY_PRIVATE_KEY"]),
  private_key_leak: leaks(({ keys }) => [...keys].map((key) => key.slice(2))),
  payment_credential_leak: leaks(({ credentials }) => credentials),
  raw_prompt_leak: noModel,
  raw_tool_output_leak: noModel,
  private_owner_data_leak: leaks(({ environment }) => [environment.dir, Deno.hostname(), "/root/"]),
}

interface Vector {
  readonly id: string
  readonly expected: { readonly decision: Decision }
}

/** Brings about every vector of the suite in `folder`, one after another. */
export async function runAssurance(
  environment: Environment,
  folder: string,
): Promise<ReadonlyArray<VectorResult>> {
  const text = await Deno.readTextFile(`${folder}/conformance/vectors.v1.json`)
  const { vectors }: { readonly vectors: ReadonlyArray<Vector> } = JSON.parse(text)
  const world = makeWorld(environment)
  const results: Array<VectorResult> = []
  for (const { id, expected } of vectors) {
    const experiment = experiments[id] ?? other("a vector that this driver does not know")
    results.push({ id, expected: expected.decision, ...await experiment(world) })
  }
  return results
}
