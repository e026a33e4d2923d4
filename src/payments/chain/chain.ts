/**
 * The chain over JSON-RPC. A response counts only when it is complete and has the requested form.
 * Anything else proves nothing, so it can neither charge nor void a payment.
 *
 * @module
 */
import { Duration, Effect, Layer, Option } from "effect"
import type { Address, PaidAt, PaymentProof } from "../domain/payment.ts"
import { Chain, ChainUnavailable, type ExpectedTransfer, inTime } from "../Chain.ts"
import { agreeing, type Endpoint } from "./agreement.ts"
import { type Finality, type Head, watchSafeHead } from "./heads.ts"
import {
  connect,
  decodeBlock,
  decodeBytes,
  decodeQuantity,
  decodeReceipt,
  decodeWord,
  quantity,
  responseBytesMax,
  type Rpc,
  RpcFailure,
  type RpcOptions,
} from "./rpc.ts"
import { readNextRange, scanBlocksMax } from "./transfers.ts"
import { type Settling, wouldSettle } from "./settling.ts"
import {
  authorizationStateCall,
  balanceCall,
  type Blocks,
  eventsIn,
  eventsOf,
  isTransferOf,
  type TokenEvent,
  topicOf,
  topics,
} from "./token.ts"

export interface ChainOptions extends Omit<EndpointOptions, "rpcUrl"> {
  /** One or more. One alone is not compared. */
  readonly rpcUrls: ReadonlyArray<string>
}

interface EndpointOptions extends RpcOptions {
  /** The chain that the endpoints must serve. */
  readonly chainId: number
  readonly finality: Finality
  /** Blocks per range of the scan: as many as the endpoint accepts in one query. */
  readonly scanBlocksMax?: number
}

/** The time limit of one operation with all its calls. Shorter than the callers' timeouts. */
const lookupTimeout = Duration.millis(4_500)
/** The time limit of one range of the scan, which no caller waits for. */
const scanTimeout = Duration.seconds(20)

const secondsPerBlock = 2n
/**
 * The blocks in which the use of an authorization is searched. 30 minutes before its expiry covers
 * every payment that was accepted; 5 minutes after it covers chains with irregular block times.
 * Together they stay below the 2,000 blocks that public endpoints accept.
 */
const searchBlocks = { before: 900n, after: 150n } as const
/**
 * Ranges that one read searches for a use outside the usual blocks. At 2,000 blocks each they cover
 * 17 hours; the next read continues after them.
 */
const otherRangesMax = 16
/** Such searches at the same time. Above it, each search starts again. */
const otherSearchesMax = 1_000
/**
 * How many blocks a payment may be ahead of the safe block: a day. A block further ahead is not
 * credible.
 */
const aheadBlocksMax = 43_200n
const transactionPattern = /^0x[0-9a-f]{64}$/

/** The chain at one endpoint, or at several that must agree (`agreement.ts`). */
export const layer = ({ rpcUrls, ...options }: ChainOptions): Layer.Layer<Chain> =>
  Layer.effect(
    Chain,
    Effect.map(
      Effect.forEach(rpcUrls, (rpcUrl) => connectEndpoint({ ...options, rpcUrl })),
      (endpoints) => {
        const [only, second] = endpoints
        return only !== undefined && second === undefined ? only.chain : agreeing(endpoints)
      },
    ),
  )

const connectEndpoint = Effect.fnUntraced(function* (options: EndpointOptions) {
  const rpc = yield* connect(options)
  const safeHead = yield* watchSafeHead(rpc, options.finality)
  const chainChecked = yield* checkChainId(rpc, options.chainId)

  const within = (limit: Duration.Duration) => <A>(answer: Effect.Effect<A, RpcFailure>) =>
    Effect.andThen(chainChecked, answer).pipe(
      Effect.mapError(({ reason }) => new ChainUnavailable({ reason })),
      inTime(limit),
    )
  const lookUp = within(lookupTimeout)
  const blocksMax = options.scanBlocksMax ?? scanBlocksMax

  const settling: Settling = { from: null }
  const searching: Searching = {
    rpc,
    blocksMax: BigInt(blocksMax),
    reached: new Map(),
    settling,
  }
  const proofAsOf: Endpoint["proofAsOf"] = (expected) =>
    expected.chainId !== options.chainId
      ? Effect.fail(new ChainUnavailable({ reason: `no endpoint of chain ${expected.chainId}` }))
      : lookUp(
        Effect.flatMap(
          safeHead,
          (safe) =>
            Effect.map(
              proofOf(searching, safe, expected),
              (proof) => ({ proof, asOf: safe.number }),
            ),
        ),
      )
  const chain = Chain.of({
    head: lookUp(
      Effect.zipWith(blockAt(rpc, "latest"), safeHead, ({ number, timestamp }, safe) => ({
        number: BigInt(number),
        timestamp: BigInt(timestamp),
        safeNumber: safe.number,
      })),
    ),
    paymentProof: (expected) => Effect.map(proofAsOf(expected), ({ proof }) => proof),
    transfers: ({ asset, to, after }) =>
      within(scanTimeout)(
        Effect.flatMap(
          safeHead,
          ({ number }) => readNextRange(rpc, { asset, to, blocksMax }, after, number),
        ),
      ),
    ...stateOf(rpc, lookUp, settling),
  })
  return {
    chain,
    proofAsOf,
    hashOf: (block) => lookUp(Effect.map(blockAt(rpc, quantity(block)), ({ hash }) => hash)),
  } satisfies Endpoint
})

type LookUp = <A>(answer: Effect.Effect<A, RpcFailure>) => Effect.Effect<A, ChainUnavailable>

/** The reads of the newest state. */
const stateOf = (
  rpc: Rpc,
  lookUp: LookUp,
  settling: Settling,
): Omit<Chain["Service"], "head" | "paymentProof" | "transfers"> => {
  const read = (to: Address, data: string) =>
    rpc.call({ method: "eth_call", params: [{ to, data }, "latest"], decode: decodeWord })
  return {
    isNonceUsed: (asset, from, nonce) =>
      lookUp(isUsedAsOf(rpc.call, "latest", { asset, from, nonce })),
    balanceOf: (asset, holder) => lookUp(Effect.map(read(asset, balanceCall(holder)), BigInt)),
    hasCode: (address) =>
      lookUp(Effect.map(
        rpc.call({ method: "eth_getCode", params: [address, "latest"], decode: decodeBytes }),
        (code) => code !== "0x",
      )),
    wouldSettle: (...transfer) => lookUp(wouldSettle(rpc, settling, ...transfer)),
  }
}

const blockAt = (rpc: Rpc, block: string) =>
  rpc.call({ method: "eth_getBlockByNumber", params: [block, false], decode: decodeBlock })

/** Fails until the endpoint confirms the chain id. Success is cached. */
const checkChainId = (rpc: Rpc, chainId: number) =>
  Effect.cachedWithTTL(
    rpc.call({ method: "eth_chainId", params: [], decode: decodeQuantity }).pipe(
      Effect.filterOrFail(
        (id) => Number(id) === chainId,
        (id) =>
          new RpcFailure({ kind: "malformed", reason: `the endpoint serves chain ${Number(id)}` }),
      ),
    ),
    (exit) => exit._tag === "Success" ? Duration.infinity : Duration.zero,
  )

/** An endpoint, and how far it was searched for the use of each nonce outside the usual blocks. */
interface Searching {
  readonly rpc: Rpc
  /** Blocks per range. */
  readonly blocksMax: bigint
  /** The first block that was not searched yet, by `searchKey`. */
  readonly reached: Map<string, bigint>
  readonly settling: Settling
}

/**
 * The proof of a payment: from the reported transaction or, when the token says that the nonce is used,
 * from the log of its use. The nonce of an expired payment is read at the safe block, which decides.
 */
const proofOf = Effect.fnUntraced(function* (
  searching: Searching,
  safe: Head,
  expected: ExpectedTransfer,
): Effect.fn.Return<PaymentProof, RpcFailure> {
  const { rpc } = searching
  const hinted = yield* readHint(searching, safe, expected)
  if (hinted !== null && hinted !== "reverted") return paid(hinted)
  const notYet: PaymentProof = { proof: "not_yet", ...hinted === null ? {} : { reverted: true } }
  const isExpired = safe.timestamp > expected.validBefore
  const isUsed = yield* isUsedAsOf(
    rpc.callTogether,
    isExpired ? { blockHash: safe.hash } : "latest",
    expected,
  )
  if (!isUsed) return isExpired ? { proof: "never", reason: "expired" } : notYet
  const usual = searchRange(expected.validBefore, safe)
  const start = otherStart(expected, usual)
  const use = (yield* findUse(rpc, safe, expected, usual)) ??
    (start === null ? null : yield* findOtherUse(searching, safe, expected, start))
  if (use !== null) return yield* proofFromUse(rpc, safe, expected, use)
  // The logs of the newest blocks may come later than their state.
  return isExpired || start !== null
    ? yield* inconsistent("a used nonce without a log of its use")
    : notYet
})

/**
 * The payment, when it is in the transaction that the facilitator reported; `reverted` when that has
 * failed. The report may be wrong: when the payment is not in it, the logs are searched. Fails only
 * when the endpoint does not respond.
 */
const readHint = Effect.fnUntraced(function* (
  { rpc, settling }: Searching,
  safe: Head,
  expected: ExpectedTransfer,
) {
  const hint = expected.transactionHint?.toLowerCase() ?? ""
  if (!transactionPattern.test(hint)) return null
  const receipt = yield* rpc.call({
    method: "eth_getTransactionReceipt",
    params: [hint],
    decode: decodeReceipt,
  }).pipe(Effect.catchIf(({ kind }) => kind !== "silent", () => Effect.succeed(null)))
  if (receipt === null) return null
  if (receipt.status === "0x0") return "reverted"
  const isConsistent = receipt.logs.every(({ transactionHash, blockHash, blockNumber }) =>
    transactionHash.toLowerCase() === hint && blockHash === receipt.blockHash &&
    BigInt(blockNumber) === BigInt(receipt.blockNumber)
  )
  const events = isConsistent ? eventsIn(expected.asset, receipt.logs) : null
  const payment = Option.getOrNull(paymentIn(events ?? [], expected))
  if (payment === null || payment.at.block > safe.number + aheadBlocksMax) return null
  settling.from = receipt.from ?? settling.from
  return paidAt(payment, safe)
})

/** The log that used or cancelled the nonce; null when there is none in these blocks. */
const findUse = Effect.fnUntraced(function* (
  rpc: Rpc,
  safe: Head,
  { asset, from, nonce }: ExpectedTransfer,
  blocks: Blocks,
) {
  const [use, second] = yield* eventsOf(rpc, {
    asset,
    topics: [[topics.used, topics.canceled], [topicOf(from)], [nonce]],
    in: blocks,
  })
  if (use === undefined) return null
  const consistent = second === undefined && use.event !== "transfer" &&
    use.at.block <= safe.number + aheadBlocksMax
  return consistent ? use : yield* inconsistent("contradictory uses of one nonce")
})

/** The blocks in which an authorization with this expiry would have been used. */
function searchRange(validBefore: bigint, safe: Head): Blocks {
  const agoSeconds = safe.timestamp - validBefore
  const expiry = safe.number - agoSeconds / secondsPerBlock
  const from = atLeast(0n, (expiry < safe.number ? expiry : safe.number) - searchBlocks.before)
  const to = atLeast(from, expiry + searchBlocks.after)
  return { from, to: to < safe.number ? to : "latest" }
}

const atLeast = (least: bigint, number: bigint) => number < least ? least : number

/** The first block outside the usual ones in which the nonce can have been used; null without one. */
const otherStart = ({ since }: ExpectedTransfer, { from, to }: Blocks) =>
  since !== undefined && since < from ? since : to === "latest" ? null : to + 1n

/**
 * The log of a use outside the usual blocks, from `start` to the safe block: a cancellation long
 * after the expiry, or another authorization with the same nonce. Null when it is not in the ranges
 * of this read; the next read continues. A range in which the log was found is searched again, so
 * that several endpoints can find it in one read.
 */
const findOtherUse = Effect.fnUntraced(function* (
  searching: Searching,
  safe: Head,
  expected: ExpectedTransfer,
  start: bigint,
) {
  const { rpc, blocksMax, reached } = searching
  const key = searchKey(expected)
  let from = reached.get(key) ?? start
  for (let range = 0; range < otherRangesMax && from <= safe.number; range++) {
    const next = from + blocksMax
    const to = next <= safe.number ? next - 1n : safe.number
    const use = yield* findUse(rpc, safe, expected, { from, to })
    if (use !== null) return use
    from = next
    if (reached.size >= otherSearchesMax) reached.clear()
    reached.set(key, from)
  }
  if (from > safe.number) reached.delete(key)
  return null
})

const searchKey = ({ asset, from, nonce, validBefore, since }: ExpectedTransfer) =>
  `${asset}:${from}:${nonce}:${since ?? validBefore}`

/** Whether the token says that the nonce is used or cancelled as of a block. */
const isUsedAsOf = Effect.fnUntraced(function* (
  call: Rpc["callTogether"],
  block: "latest" | { readonly blockHash: string },
  { asset, from, nonce }: Pick<ExpectedTransfer, "asset" | "from" | "nonce">,
) {
  const params = [{ to: asset, data: authorizationStateCall(from, nonce) }, block]
  const word = BigInt(yield* call({ method: "eth_call", params, decode: decodeWord }))
  return word <= 1n ? word === 1n : yield* inconsistent("a boolean that is neither true nor false")
})

/** The proof for a used nonce, from the events of its block. */
const proofFromUse = Effect.fnUntraced(function* (
  rpc: Rpc,
  safe: Head,
  expected: ExpectedTransfer,
  use: TokenEvent,
): Effect.fn.Return<PaymentProof, RpcFailure> {
  const { asset, from } = expected
  const events = yield* eventsOf(rpc, {
    asset,
    topics: [[topics.used, topics.canceled, topics.transfer], [topicOf(from)]],
    in: { blockHash: use.at.blockHash },
    bytesMax: responseBytesMax.oneBlock,
  })
  const found = events.find(({ at }) => at.logIndex === use.at.logIndex)
  if (found === undefined || !sameUse(found, use)) {
    return yield* inconsistent("a block without the log that named it")
  }
  const payment = paymentIn(events, expected)
  if (Option.isSome(payment)) return paid(paidAt(payment.value, safe))
  return use.at.block <= safe.number
    ? { proof: "never", reason: "spent_elsewhere" }
    : { proof: "not_yet" }
})

/**
 * The event that is the payment: the nonce was used, and the next log is a transfer of the full
 * amount to us.
 */
function paymentIn(
  events: ReadonlyArray<TokenEvent>,
  { from, to, value, nonce }: ExpectedTransfer,
): Option.Option<TokenEvent> {
  return Option.fromNullishOr(
    events.find((use) =>
      use.event === "used" && use.authorizer === from && use.nonce === nonce &&
      events.some((next) => isTransferOf(use, next) && next.to === to && next.value === value)
    ),
  )
}

function sameUse(one: TokenEvent, other: TokenEvent): boolean {
  return one.event !== "transfer" && other.event !== "transfer" && one.event === other.event &&
    one.authorizer === other.authorizer && one.nonce === other.nonce &&
    one.at.transaction === other.at.transaction && one.at.block === other.at.block
}

function paidAt({ at: { transaction, block, logIndex } }: TokenEvent, safe: Head): PaidAt {
  return { transaction, block, logIndex, finality: block <= safe.number ? "safe" : "latest" }
}

const paid = (at: PaidAt): PaymentProof => ({ proof: "paid", at })

const inconsistent = (what: string) =>
  Effect.fail(new RpcFailure({ kind: "malformed", reason: `the endpoint shows ${what}` }))
