/**
 * The chain over JSON-RPC. A response counts only when it is complete and has the requested form.
 * Anything else proves nothing, so it can neither charge nor void a payment.
 *
 * @module
 */
import { Duration, Effect, Layer, Option } from "effect"
import type { PaidAt, PaymentProof } from "../domain/payment.ts"
import { usdcOnBase } from "../domain/x402/terms.ts"
import { Chain, ChainUnavailable, type ExpectedTransfer } from "../Chain.ts"
import { type Finality, type Head, watchSafeHead } from "./heads.ts"
import {
  connect,
  decodeBlock,
  decodeBytes,
  decodeQuantity,
  decodeReceipt,
  decodeWord,
  responseBytesMax,
  type Rpc,
  RpcFailure,
  type RpcOptions,
} from "./rpc.ts"
import { readNextRange, scanBlocksMax } from "./transfers.ts"
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

export interface ChainOptions extends RpcOptions {
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
 * How many blocks a payment may be ahead of the safe block: a day. A block further ahead is not
 * credible.
 */
const aheadBlocksMax = 43_200n
const transactionPattern = /^0x[0-9a-f]{64}$/

export const layer = (options: ChainOptions): Layer.Layer<Chain> =>
  Layer.effect(Chain, make(options))

const make = Effect.fnUntraced(function* (options: ChainOptions) {
  const rpc = yield* connect(options)
  const safeHead = yield* watchSafeHead(rpc, options.finality)
  const chainChecked = yield* checkChainId(rpc, usdcOnBase.chainId)

  const within = (limit: Duration.Duration) => <A>(answer: Effect.Effect<A, RpcFailure>) =>
    Effect.andThen(chainChecked, answer).pipe(
      Effect.mapError(({ reason }) => new ChainUnavailable({ reason })),
      Effect.timeoutOrElse({
        duration: limit,
        orElse: () => Effect.fail(new ChainUnavailable({ reason: "no response in time" })),
      }),
    )
  const inTime = within(lookupTimeout)
  const blocksMax = options.scanBlocksMax ?? scanBlocksMax

  return Chain.of({
    head: inTime(Effect.zipWith(newestBlock(rpc), safeHead, ({ number, timestamp }, safe) => ({
      number: BigInt(number),
      timestamp: BigInt(timestamp),
      safeNumber: safe.number,
    }))),
    paymentProof: (expected) =>
      expected.chainId !== usdcOnBase.chainId
        ? Effect.fail(new ChainUnavailable({ reason: `no endpoint of chain ${expected.chainId}` }))
        : inTime(Effect.flatMap(safeHead, (safe) => proofOf(rpc, safe, expected))),
    transfers: ({ asset, to, after }) =>
      within(scanTimeout)(
        Effect.flatMap(safeHead, ({ number }) =>
          after === null
            ? Effect.succeed({ transfers: [], through: number })
            : readNextRange(rpc, { asset, to, blocksMax }, after, number)),
      ),
    isNonceUsed: (asset, from, nonce) =>
      inTime(Effect.flatMap(
        rpc.call({
          method: "eth_call",
          params: [{ to: asset, data: authorizationStateCall(from, nonce) }, "latest"],
          decode: decodeWord,
        }),
        decodeBoolean,
      )),
    balanceOf: (asset, holder) =>
      inTime(Effect.map(
        rpc.call({
          method: "eth_call",
          params: [{ to: asset, data: balanceCall(holder) }, "latest"],
          decode: decodeWord,
        }),
        BigInt,
      )),
    hasCode: (address) =>
      inTime(Effect.map(
        rpc.call({ method: "eth_getCode", params: [address, "latest"], decode: decodeBytes }),
        (code) => code !== "0x",
      )),
  })
})

const newestBlock = (rpc: Rpc) =>
  rpc.call({ method: "eth_getBlockByNumber", params: ["latest", false], decode: decodeBlock })

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

const proofOf = Effect.fnUntraced(function* (rpc: Rpc, safe: Head, expected: ExpectedTransfer) {
  const hinted = yield* paidInHint(rpc, safe, expected)
  if (Option.isSome(hinted)) return paid(hinted.value)
  const used = yield* findUse(rpc, safe, expected)
  return used === null
    ? yield* proofWithoutUse(rpc, safe, expected)
    : yield* proofFromUse(rpc, safe, expected, used)
})

/**
 * The payment, when it is in the transaction that the facilitator reported. The report may be
 * wrong: when the payment is not in it, the logs are searched. Fails only when the endpoint does
 * not respond.
 */
const paidInHint = Effect.fnUntraced(function* (
  rpc: Rpc,
  safe: Head,
  expected: ExpectedTransfer,
) {
  const hint = expected.transactionHint?.toLowerCase() ?? ""
  if (!transactionPattern.test(hint)) return Option.none<PaidAt>()
  const receipt = yield* rpc.call({
    method: "eth_getTransactionReceipt",
    params: [hint],
    decode: decodeReceipt,
  }).pipe(Effect.catchIf(({ kind }) => kind !== "silent", () => Effect.succeed(null)))
  if (receipt === null || receipt.status !== "0x1") return Option.none()
  const isConsistent = receipt.logs.every(({ transactionHash, blockHash, blockNumber }) =>
    transactionHash.toLowerCase() === hint && blockHash === receipt.blockHash &&
    BigInt(blockNumber) === BigInt(receipt.blockNumber)
  )
  const events = isConsistent ? eventsIn(expected.asset, receipt.logs) : null
  return Option.map(paymentIn(events ?? [], expected), (event) => paidAt(event, safe)).pipe(
    Option.filter(({ block }) => block <= safe.number + aheadBlocksMax),
  )
})

/** The log that used or cancelled the nonce; null when there is none in the search range. */
const findUse = Effect.fnUntraced(function* (rpc: Rpc, safe: Head, expected: ExpectedTransfer) {
  const { asset, from, nonce, validBefore } = expected
  const [use, second] = yield* eventsOf(rpc, {
    asset,
    topics: [[topics.used, topics.canceled], [topicOf(from)], [nonce]],
    in: searchRange(validBefore, safe),
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

/** The proof when no use was found: `not_yet`, until a safe block is later than validBefore. */
const proofWithoutUse = Effect.fnUntraced(function* (
  rpc: Rpc,
  safe: Head,
  { asset, from, nonce, validBefore }: ExpectedTransfer,
): Effect.fn.Return<PaymentProof, RpcFailure> {
  if (safe.timestamp <= validBefore) return { proof: "not_yet" }
  const used = yield* rpc.call({
    method: "eth_call",
    params: [{ to: asset, data: authorizationStateCall(from, nonce) }, { blockHash: safe.hash }],
    decode: decodeWord,
  })
  if (yield* decodeBoolean(used)) {
    return yield* inconsistent("a used nonce without a log of its use")
  }
  return { proof: "never", reason: "expired" } satisfies PaymentProof
})

const decodeBoolean = (word: string) => {
  switch (BigInt(word)) {
    case 0n:
      return Effect.succeed(false)
    case 1n:
      return Effect.succeed(true)
    default:
      return inconsistent("a boolean that is neither true nor false")
  }
}

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
