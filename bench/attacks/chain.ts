/**
 * A chain and a facilitator on one real socket, as a process for the attack drills.
 *
 * The chain has one token. It makes a block every `BLOCK_MS` and answers the JSON-RPC calls that the
 * service makes. The facilitator checks nonce, time and balance, and needs `VERIFY_MS` and
 * `SETTLE_MS` (up to `SETTLE_SPREAD_MS` more) for a call; the transfer is in the next block. It does
 * not check signatures, because the service does, and so it costs little. It settles no sale that a
 * catalogue could not list. `/control` funds
 * addresses, makes transfers that no request announced, uses nonces up, slows single payers down and
 * gives them faults.
 *
 * @module
 */
import { toEventSelector } from "viem"
import { isListable } from "../../tests/support/payments/listing.ts"
import { token } from "../../tests/support/payments/terms.ts"

const milliseconds = (name: string, fallback: number) => Number(Deno.env.get(name) ?? fallback)
const verifyMs = milliseconds("VERIFY_MS", 300)
const settleMs = milliseconds("SETTLE_MS", 1_500)
const settleSpreadMs = milliseconds("SETTLE_SPREAD_MS", 500)
/** How long an RPC request takes. */
const rpcMs = milliseconds("RPC_MS", 0)
const blockMs = milliseconds("BLOCK_MS", 2_000)
/** How many blocks the safe block is below the newest. */
const safeAfterBlocks = 3
const firstBlock = 1_000_000

const used = toEventSelector("AuthorizationUsed(address,bytes32)")
const transferred = toEventSelector("Transfer(address,address,uint256)")
const authorizationState = "0xe94a0102"
const balanceOf = "0x70a08231"

/** A transfer by authorization. */
interface Transfer {
  readonly from: string
  readonly to: string
  readonly value: bigint
  readonly nonce: string
  readonly transaction: string
}

/** What goes wrong with a payer's payments: at verification, or at settlement. */
export type Fault =
  | "verify fails"
  | "verify refuses"
  | "settle refuses"
  | "settles nothing"
  /** It reports a transaction that fails. */
  | "reverts"
  /** The payer's contract says yes to a call that pays for no gas alone, and the settlement fails. */
  | "valid while simulated"
  | "settles and fails"
  | "settles and never responds"

interface Log {
  readonly address: string
  readonly topics: ReadonlyArray<string>
  readonly data: string
  readonly blockNumber: string
  readonly blockHash: string
  readonly transactionHash: string
  readonly logIndex: string
  readonly removed: false
}

interface Block {
  readonly number: number
  readonly timestamp: number
  readonly logs: ReadonlyArray<Log>
}

/** The facilitator's account, which sends every settlement. */
const settler = `0x${"fa".repeat(20)}`
const balances = new Map<string, bigint>()
const usedNonces = new Set<string>()
const slowPayersMs = new Map<string, number>()
/** The fault of the calls for a payer. */
const faults = new Map<string, Fault>()
const contracts = new Set<string>()
const blocks: Array<Block> = []
const receipts = new Map<string, object>()
const counts: Record<string, number> = { verify: 0, settle: 0, refused: 0, rpc: 0 }
let waiting: Array<Transfer> = []

const hex = (value: number | bigint) => `0x${value.toString(16)}`
const word = (value: number | bigint) => `0x${value.toString(16).padStart(64, "0")}`
const topicOf = (address: string) => `0x${address.slice(2).padStart(64, "0")}`
const hashOf = (block: number) => `0xb10c${block.toString(16).padStart(60, "0")}`
const keyOf = (from: string, nonce: string) => `${from} ${nonce}`
const count = (what: string) => counts[what] = (counts[what] ?? 0) + 1
const sleep = (ms: number) => new Promise((done) => setTimeout(done, ms))

function randomWord(): string {
  return `0x${crypto.getRandomValues(new Uint8Array(32)).toHex()}`
}

/** Puts the waiting transfers into a block. One without cover is dropped, as if it had failed. */
function makeBlock(): void {
  const number = firstBlock + blocks.length
  const at = { blockNumber: hex(number), blockHash: hashOf(number), removed: false as const }
  const logs: Array<Log> = []
  for (const { from, to, value, nonce, transaction } of waiting) {
    const balance = balances.get(from) ?? 0n
    if (balance < value) continue
    balances.set(from, balance - value)
    balances.set(to, (balances.get(to) ?? 0n) + value)
    const shared = { ...at, address: token.asset, transactionHash: transaction }
    const own: ReadonlyArray<Log> = [
      {
        ...shared,
        topics: [used, topicOf(from), nonce],
        data: "0x",
        logIndex: hex(logs.length),
      },
      {
        ...shared,
        topics: [transferred, topicOf(from), topicOf(to)],
        data: word(value),
        logIndex: hex(logs.length + 1),
      },
    ]
    logs.push(...own)
    receipts.set(transaction, {
      ...{ blockNumber: at.blockNumber, blockHash: at.blockHash, transactionHash: transaction },
      ...{ status: "0x1", from: settler, logs: own },
    })
  }
  waiting = []
  blocks.push({ number, timestamp: Math.floor(Date.now() / 1_000), logs })
}

const newest = () => firstBlock + blocks.length - 1

function blockOf(tag: unknown): number {
  if (tag === "latest" || tag === "pending" || tag === undefined) return newest()
  if (tag === "safe" || tag === "finalized") {
    return Math.max(firstBlock, newest() - safeAfterBlocks)
  }
  return tag === "earliest" ? firstBlock : Number(tag)
}

interface LogFilter {
  readonly topics?: ReadonlyArray<string | ReadonlyArray<string> | null>
  readonly fromBlock?: string
  readonly toBlock?: string
  readonly blockHash?: string
}

function logsOf({ topics = [], fromBlock, toBlock, blockHash }: LogFilter): ReadonlyArray<Log> {
  const exact = blockHash === undefined ? null : parseInt(blockHash.slice(6), 16)
  const from = Math.max(0, (exact ?? blockOf(fromBlock)) - firstBlock)
  const to = (exact ?? blockOf(toBlock)) - firstBlock
  const wanted = topics.map((topic) => topic === null ? null : new Set([topic].flat()))
  return blocks.slice(from, to + 1).flatMap(({ logs }) =>
    logs.filter(({ topics }) => wanted.every((set, at) => set?.has(topics[at] ?? "") ?? true))
  )
}

function callOf({ data }: { readonly data: string }): string {
  const first = `0x${data.slice(34, 74)}`
  switch (data.slice(0, 10)) {
    case authorizationState:
      return word(usedNonces.has(keyOf(first, `0x${data.slice(74, 138)}`)) ? 1 : 0)
    case balanceOf:
      return word(balances.get(first) ?? 0n)
    default:
      return word(0)
  }
}

interface RpcRequest {
  readonly id: number
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

function resultOf({ method, params }: RpcRequest): unknown {
  switch (method) {
    case "eth_chainId":
      return hex(token.chainId)
    case "eth_blockNumber":
      return hex(newest())
    case "eth_getBlockByNumber": {
      const block = blocks[blockOf(params[0]) - firstBlock]
      return block === undefined ? null : {
        number: hex(block.number),
        hash: hashOf(block.number),
        timestamp: hex(block.timestamp),
      }
    }
    case "eth_getLogs":
      return logsOf(params[0] as LogFilter)
    case "eth_getTransactionReceipt":
      return receipts.get(String(params[0])) ?? null
    case "eth_call":
      return callOf(params[0] as { data: string })
    case "eth_gasPrice":
      return "0x5f5e100"
    case "eth_getCode":
      return contracts.has(String(params[0]).toLowerCase()) ? "0x6001" : "0x"
    default:
      return null
  }
}

/** A transfer in a transaction whose payer's contract refuses it then. */
const isRefusedCall = ({ method, params: [call] }: RpcRequest) => {
  if (method !== "eth_call") return false
  const { gasPrice, data = "" } = call as { readonly gasPrice?: string; readonly data?: string }
  return gasPrice !== undefined && faults.get(`0x${data.slice(34, 74)}`) === "valid while simulated"
}

function revertedReceipt({ transaction: transactionHash }: Transfer): object {
  const at = { blockNumber: hex(newest()), blockHash: hashOf(newest()), transactionHash }
  return { ...at, from: settler, status: "0x0", logs: [] }
}

function answerRpc(request: RpcRequest) {
  if (isRefusedCall(request)) {
    count("transfers that would fail")
    return { jsonrpc: "2.0", id: request.id, error: { code: 3, message: "execution reverted" } }
  }
  return { jsonrpc: "2.0", id: request.id, result: resultOf(request) }
}

interface FacilitatorCall {
  readonly paymentRequirements: { readonly payTo: string }
  readonly paymentPayload: {
    readonly payload: { readonly authorization: Readonly<Record<string, string>> }
  }
}

function transferOf({ paymentPayload: { payload: { authorization } } }: FacilitatorCall): Transfer {
  const { from = "", to = "", value = "0", nonce = "" } = authorization
  return {
    from: from.toLowerCase(),
    to: to.toLowerCase(),
    value: BigInt(value),
    nonce: nonce.toLowerCase(),
    transaction: randomWord(),
  }
}

/** Why a transfer cannot be made now, or null. */
function faultOf({ from, nonce, value }: Transfer): string | null {
  if (usedNonces.has(keyOf(from, nonce))) return "authorization_used"
  return (balances.get(from) ?? 0n) < value ? "insufficient_funds" : null
}

/** Puts a transfer into the next block. Its nonce counts as used at once. */
function broadcast(transfer: Transfer): void {
  usedNonces.add(keyOf(transfer.from, transfer.nonce))
  waiting.push(transfer)
}

async function verify(call: FacilitatorCall): Promise<Response> {
  count("verify")
  await sleep(verifyMs)
  const transfer = transferOf(call)
  const fault = faults.get(transfer.from)
  if (fault === "verify fails") return new Response("upstream error", { status: 502 })
  const invalidReason = fault === "verify refuses" ? "insufficient_funds" : faultOf(transfer)
  if (invalidReason !== null) count("refused")
  return Response.json({
    isValid: invalidReason === null,
    payer: transfer.from,
    ...invalidReason === null ? {} : { invalidReason },
  })
}

async function settle(call: FacilitatorCall): Promise<Response> {
  count("settle")
  const transfer = transferOf(call)
  const slowMs = slowPayersMs.get(transfer.from)
  await sleep(slowMs ?? settleMs + Math.random() * settleSpreadMs)
  const parties = { payer: transfer.from, network: `eip155:${token.chainId}` }
  const fault = faults.get(transfer.from)
  const errorReason = fault === "settle refuses" || fault === "valid while simulated"
    ? "transaction_failed"
    : isListable(call.paymentPayload, call.paymentRequirements)
    ? faultOf(transfer)
    : "not_listable"
  if (errorReason !== null) {
    count("refused")
    return Response.json({ success: false, errorReason, transaction: "", ...parties })
  }
  if (fault === "reverts") receipts.set(transfer.transaction, revertedReceipt(transfer))
  else if (fault !== "settles nothing") broadcast(transfer)
  if (fault === "settles and fails") return new Response("upstream error", { status: 502 })
  if (fault === "settles and never responds") return new Promise(() => {})
  return Response.json({ success: true, transaction: transfer.transaction, ...parties })
}

interface Control {
  /** Atomic units by address, added to the balance. */
  readonly fund?: Readonly<Record<string, string>>
  /** Transfers by authorization that no request announced. */
  readonly transfers?: ReadonlyArray<
    { readonly from: string; readonly to: string; readonly value: string }
  >
  /** How long a settlement of this payer lasts, in milliseconds. */
  readonly slow?: Readonly<Record<string, number>>
  /** Nonces that their payers cancel. */
  readonly cancel?: ReadonlyArray<{ readonly from: string; readonly nonce: string }>
  /** Addresses that are contracts. */
  readonly contracts?: ReadonlyArray<string>
  /** Faults by payer. Null removes one. */
  readonly faults?: Readonly<Record<string, Fault | null>>
}

function control(change: Control): Response {
  const { fund = {}, transfers = [], slow = {}, cancel = [] } = change
  for (const address of change.contracts ?? []) contracts.add(address.toLowerCase())
  for (const [address, units] of Object.entries(fund)) {
    const key = address.toLowerCase()
    balances.set(key, (balances.get(key) ?? 0n) + BigInt(units))
  }
  for (const { from, to, value } of transfers) {
    broadcast({
      from: from.toLowerCase(),
      to: to.toLowerCase(),
      value: BigInt(value),
      nonce: randomWord(),
      transaction: randomWord(),
    })
  }
  for (const [address, ms] of Object.entries(slow)) slowPayersMs.set(address.toLowerCase(), ms)
  for (const { from, nonce } of cancel) {
    usedNonces.add(keyOf(from.toLowerCase(), nonce.toLowerCase()))
  }
  for (const [address, fault] of Object.entries(change.faults ?? {})) {
    if (fault === null) faults.delete(address.toLowerCase())
    else faults.set(address.toLowerCase(), fault)
  }
  return Response.json({ counts, newest: newest() })
}

async function handle(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url)
  if (pathname === "/facilitator/supported") {
    const kind = { x402Version: 2, scheme: "exact", network: `eip155:${token.chainId}` }
    return Response.json({ kinds: [kind], extensions: [], signers: {} })
  }
  const body = await request.json()
  switch (pathname) {
    case "/facilitator/verify":
      return await verify(body)
    case "/facilitator/settle":
      return await settle(body)
    case "/control":
      return control(body)
    default:
      count("rpc")
      if (rpcMs > 0) await sleep(rpcMs)
      return Response.json(Array.isArray(body) ? body.map(answerRpc) : answerRpc(body))
  }
}

for (let block = 0; block <= safeAfterBlocks; block++) makeBlock()
setInterval(makeBlock, blockMs)
Deno.serve(
  { hostname: "127.0.0.1", port: Number(Deno.env.get("PORT")), onListen: () => {} },
  handle,
)
