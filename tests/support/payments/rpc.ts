/**
 * JSON-RPC endpoints on a real socket: honest ones with one payment, which a test can make lie, and
 * ones that break the protocol.
 *
 * @module
 */
import { Duration, Effect } from "effect"
import { type ChainOptions, layer } from "../../../src/payments/chain/chain.ts"
import { topicOf, topics } from "../../../src/payments/chain/token.ts"
import { address, type Authorization } from "../../../src/payments/domain/payment.ts"
import { products } from "../../../src/catalog/domain/product.ts"
import { Chain } from "../../../src/payments/Chain.ts"
import { buyer } from "./buyers.ts"
import { authorizationFor, token } from "./terms.ts"
import { serving } from "../serving.ts"

export interface RpcRequest {
  readonly id: number
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

export type Responder = (request: RpcRequest) => Response | Promise<Response>

/** The chain port on endpoints with these responses. A call times out after 250 ms. */
export const chainAt = (...responders: ReadonlyArray<Responder>) => chainWith({}, responders)

/** The same, for endpoints that may never answer: a call is given up soon. */
export const impatientChainAt = (...responders: ReadonlyArray<Responder>) =>
  chainWith({ callTimeout: Duration.millis(250) }, responders)

/** The response to a JSON-RPC batch, from those to its calls; most endpoints here accept none. */
export type BatchResponder = (responses: ReadonlyArray<unknown>) => Response | Promise<Response>

/** The same, with other options. An honest endpoint answers in time on a busy machine too. */
export const chainWith = (
  options: Pick<ChainOptions, "scanBlocksMax" | "callTimeout">,
  responders: ReadonlyArray<Responder>,
  respondToBatch?: BatchResponder,
) =>
  Effect.flatMap(
    Effect.forEach(responders, (respond) => endpoint(respond, respondToBatch)),
    (rpcUrls) =>
      Effect.provide(
        Chain,
        layer({
          ...{ rpcUrls, chainId: 8453, finality: "safe" },
          ...{ callTimeout: Duration.minutes(1), ...options },
        }),
      ),
  )

/** Serves until the scope closes. The URL ends in a key that must never be logged. */
const endpoint = (respond: Responder, respondToBatch?: BatchResponder) =>
  Effect.map(
    serving(async (request) => {
      const body: RpcRequest | ReadonlyArray<RpcRequest> = await request.json()
      const answer = (call: RpcRequest) =>
        isSpecified(call) ? respond(call) : refusal(call, -32_602)
      if ("method" in body) return await answer(body)
      if (respondToBatch === undefined) return refusal({ id: 0, method: "", params: [] }, -32_600)
      const responses = body.map(async (call) => await (await answer(call)).json())
      return await respondToBatch(await Promise.all(responses))
    }),
    (url) => `${url}/${secretKey}`,
  )

type Rule = (value: unknown) => boolean
const matching = (pattern: RegExp): Rule => (value) =>
  typeof value === "string" && pattern.test(value)
const quantity = /0x(?:0|[1-9a-f][0-9a-f]*)/
const blockHash = matching(/^0x[0-9a-f]{64}$/)
const account = matching(/^0x[0-9a-fA-F]{40}$/)
const bytes = matching(/^0x(?:[0-9a-fA-F]{2})*$/)
const block: Rule = matching(
  new RegExp(`^(?:${quantity.source}|earliest|finalized|safe|latest|pending)$`),
)
const withOnly = (rules: Readonly<Record<string, Rule>>): Rule => (value) =>
  value instanceof Object &&
  Object.entries(value).every(([name, field]) => rules[name]?.(field) === true)
const anyTopics: Rule = (value) =>
  Array.isArray(value) && value.length <= 4 &&
  value.flat().every((topic) => topic === null || blockHash(topic))
const state: Rule = (value) => block(value) || withOnly({ blockHash })(value)

/** The parameters of each method, by github.com/ethereum/execution-apis; blocks by hash, by EIP-1898. */
const methods: Readonly<Record<string, ReadonlyArray<Rule>>> = {
  eth_chainId: [],
  eth_blockNumber: [],
  eth_getBlockByNumber: [block, (value) => typeof value === "boolean"],
  eth_getCode: [account, state],
  eth_call: [
    withOnly({
      ...{ to: account, data: bytes, from: account },
      ...{ gas: matching(quantity), gasPrice: matching(quantity) },
    }),
    state,
  ],
  eth_gasPrice: [],
  eth_getTransactionReceipt: [blockHash],
  eth_getLogs: [
    withOnly({ address: account, topics: anyTopics, fromBlock: block, toBlock: block, blockHash }),
  ],
}

function isSpecified({ method, params, ...rest }: RpcRequest): boolean {
  const rules = methods[method]
  return "jsonrpc" in rest && rest.jsonrpc === "2.0" && rules !== undefined &&
    params.length === rules.length && rules.every((rule, n) => rule(params[n]))
}

/** The provider's key in the URL. */
export const secretKey = "k3y0fTheEndpoint"

/** A valid JSON-RPC response. */
export const result = ({ id }: RpcRequest, result: unknown) =>
  Response.json({ jsonrpc: "2.0", id, result })

export const refusal = ({ id }: RpcRequest, code: number) =>
  Response.json({ jsonrpc: "2.0", id, error: { code, message: "no" } })

/** The current time of these chains, from the real clock. */
export const nowSeconds = Math.floor(performance.timeOrigin / 1_000)
const safeNumber = 5_000
const hash = (n: number) => `0x${n.toString(16).padStart(64, "0")}`
const hex = (n: number) => `0x${n.toString(16)}`

/** The transaction in the hint. */
export const transaction = hash(0xdead)

/** What happened to the payment on the honest endpoint's chain. */
export type ChainHistory = "paid" | "expired" | "cancelled" | "waiting"

/** The payment of a history: expired, unless it is still waiting. */
export function paymentOf(history: ChainHistory): Authorization {
  const from = history === "waiting" ? nowSeconds : nowSeconds - 400
  return authorizationFor(buyer(0), products.latest, from)
}

export type Log = Readonly<Record<string, unknown>>

/** A log in the payment's block. */
const logAt = (logIndex: number, topics: ReadonlyArray<string>, data: string): Log => ({
  address: token.asset,
  topics,
  data,
  blockNumber: hex(safeNumber - 100),
  blockHash: hash(safeNumber - 100),
  transactionHash: transaction,
  transactionIndex: "0x0",
  logIndex: hex(logIndex),
  removed: false,
})

/** The logs of a history: the use of the nonce, and the transfer next to it. */
export function logsOf(history: ChainHistory): ReadonlyArray<Log> {
  const { from, to, value, nonce } = paymentOf(history)
  const use = (topic: string) => logAt(7, [topic, topicOf(from), nonce], "0x")
  switch (history) {
    case "paid": {
      const data = `0x${value.toString(16).padStart(64, "0")}`
      return [use(topics.used), logAt(8, [topics.transfer, topicOf(from), topicOf(to)], data)]
    }
    case "cancelled":
      return [use(topics.canceled)]
    default:
      return []
  }
}

/** The responses of an honest endpoint for a chain with these logs. */
export function honestResponses(history: ChainHistory, logs = logsOf(history)) {
  return ({ method, params: [first] }: RpcRequest): unknown => {
    switch (method) {
      case "eth_chainId":
        return hex(8453)
      case "eth_blockNumber":
        return hex(safeNumber + 40)
      case "eth_getBlockByNumber":
        return { number: hex(safeNumber), hash: hash(safeNumber), timestamp: hex(nowSeconds - 80) }
      case "eth_getTransactionReceipt":
        return first !== transaction || logs.length === 0 ? null : {
          transactionHash: transaction,
          blockNumber: hex(safeNumber - 100),
          blockHash: hash(safeNumber - 100),
          status: "0x1",
          logs,
        }
      case "eth_getLogs":
        return logs.filter((log) => matches(log, first as LogFilter))
      case "eth_call":
        return hash(logs.length === 0 ? 0 : 1)
      case "eth_getCode":
        return "0x6001"
      default:
        return null
    }
  }
}

interface LogFilter {
  readonly topics: ReadonlyArray<unknown>
  readonly fromBlock?: string
  readonly toBlock?: string
}

/** Like a node, the filter leaves out the logs of other blocks, unless their block is invalid. */
function matches(log: Log, { topics, fromBlock, toBlock }: LogFilter): boolean {
  const block = log["blockNumber"]
  if (typeof block === "string" && /^0x[0-9a-f]+$/.test(block) && fromBlock !== undefined) {
    if (BigInt(block) < BigInt(fromBlock)) return false
    if (toBlock !== undefined && toBlock !== "latest" && BigInt(block) > BigInt(toBlock)) {
      return false
    }
  }
  const has = log["topics"] as ReadonlyArray<string>
  return topics.every((wanted, i) =>
    wanted === null || (wanted as ReadonlyArray<string>).includes(has[i] ?? "")
  )
}

/** An address that has nothing to do with the payment. */
export const stranger = address(`0x${"5e".repeat(20)}`)

/** The two logs of a payment: the use of its nonce, and its transfer. */
export const [use = {}, transfer = {}] = logsOf("paid")
const usedTopics = use["topics"] as ReadonlyArray<string>
export const transferTopics = transfer["topics"] as ReadonlyArray<string>
export const strange = topicOf(stranger)
export const far = `0x${"f".repeat(12)}`

/** Logs that look like the payment's but are not. */
export const falseLogs: ReadonlyArray<readonly [string, ReadonlyArray<Log>]> = [
  ["of another contract", [{ ...use, address: stranger }, { ...transfer, address: stranger }]],
  ["whose transfer is of another contract", [use, { ...transfer, address: stranger }]],
  ["whose use is of another contract", [{ ...use, address: stranger }, transfer]],
  ["that were removed", [{ ...use, removed: true }, { ...transfer, removed: true }]],
  ["of a use alone, with nothing of value next to it", [use, { ...transfer, data: "0x" }]],
  ["with a gap between", [use, { ...transfer, logIndex: "0x9" }]],
  ["in the wrong order", [transfer, use]],
  ["with the transfer first", [{ ...transfer, logIndex: "0x6" }, use]],
  ["at one and the same index", [use, { ...transfer, logIndex: "0x7" }]],
  ["of two transactions", [use, { ...transfer, transactionHash: `0x${"11".repeat(32)}` }]],
  ["of two blocks", [use, { ...transfer, blockHash: `0x${"11".repeat(32)}` }]],
  ["to another address", [
    use,
    { ...transfer, topics: [transferTopics[0], transferTopics[1], strange] },
  ]],
  ["from another address", [use, {
    ...transfer,
    topics: [transferTopics[0], strange, transferTopics[2]],
  }]],
  ["of another payer's nonce", [
    { ...use, topics: [usedTopics[0], strange, usedTopics[2]] },
    transfer,
  ]],
  ["of another nonce", [{ ...use, topics: [usedTopics[0], usedTopics[1], strange] }, transfer]],
  ["of a cancellation", [{ ...use, topics: [topics.canceled, ...usedTopics.slice(1)] }, transfer]],
  ["with a topic too many", [use, { ...transfer, topics: [...transferTopics, strange] }]],
  ["with a topic too few", [use, { ...transfer, topics: transferTopics.slice(0, 2) }]],
  ["of one unit less", [use, { ...transfer, data: `0x${(9_999).toString(16).padStart(64, "0")}` }]],
  ["of a negative amount", [use, { ...transfer, data: "-0x2710" }]],
  ["of an endless amount", [use, { ...transfer, data: `0x${"f".repeat(640)}` }]],
  [
    "of a block that is not there yet",
    [use, transfer].map((log) => ({ ...log, blockNumber: null })),
  ],
  ["of a negative block", [use, transfer].map((log) => ({ ...log, blockNumber: "-0x1" }))],
  ["of a block far ahead", [use, transfer].map((log) => ({ ...log, blockNumber: far }))],
  ["at an index that is none", [use, { ...transfer, logIndex: "0xfffffffffffffffff" }]],
]
