/**
 * Reads every transfer by authorization to an address, one range of safe blocks at a time.
 *
 * Two queries per range, however many transfers it has: the incoming transfers, and the used
 * authorizations of their payers. A transfer without an authorization directly before it is a plain
 * transfer. It buys nothing and is only logged.
 *
 * @module
 */
import { Array, Effect } from "effect"
import type { Address } from "../domain/payment.ts"
import type { AuthorizedTransfer, ScannedBlocks } from "../Chain.ts"
import { decodeReceipt, responseBytesMax, type Rpc, RpcFailure } from "./rpc.ts"
import {
  type Blocks,
  eventsIn,
  eventsOf,
  isTransferOf,
  type TokenEvent,
  topicOf,
  topics,
} from "./token.ts"

/** Default number of blocks per range: the limit of public endpoints. */
export const scanBlocksMax = 2_000
/** Maximum number of payers per query. */
const payersMax = 100
const concurrency = 4

interface Query {
  readonly asset: Address
  readonly to: Address
  readonly blocksMax: number
}

/**
 * Reads the next range: from the block after `after`, up to `safe` or the maximum size. A range
 * that is refused or too large is halved, down to one block.
 */
export const readNextRange = (
  rpc: Rpc,
  query: Query,
  after: bigint,
  safe: bigint,
): Effect.Effect<ScannedBlocks, RpcFailure> => {
  const furthest = after + BigInt(query.blocksMax)
  const through = furthest < safe ? furthest : safe
  return through <= after
    ? Effect.succeed({ transfers: [], through: after })
    : readOrHalve(rpc, query, after + 1n, through)
}

const readOrHalve = (
  rpc: Rpc,
  query: Query,
  from: bigint,
  to: bigint,
): Effect.Effect<ScannedBlocks, RpcFailure> =>
  read(rpc, query, { from, to }).pipe(
    Effect.map((transfers) => ({ transfers, through: to })),
    Effect.catchIf(
      ({ kind }) => kind === "refused" || kind === "too_large",
      () =>
        from < to ? readOrHalve(rpc, query, from, from + (to - from) / 2n) : Effect.map(
          readFullBlock(rpc, query, from),
          (transfers) => ({ transfers, through: to }),
        ),
    ),
  )

/**
 * Reads a block with more transfers than an endpoint returns at once. Anyone can fill a block with
 * transfers of zero. It costs more to fill it with authorizations, so those are queried first, and
 * then the receipts of their transactions.
 */
const readFullBlock = Effect.fnUntraced(function* (rpc: Rpc, { asset, to }: Query, block: bigint) {
  const used = yield* eventsOf(rpc, {
    asset,
    topics: [[topics.used]],
    in: { from: block, to: block },
    bytesMax: responseBytesMax.oneBlock,
  })
  const transactions = [...new Set(used.map(({ at }) => at.transaction))]
  const incoming = yield* Effect.forEach(
    transactions,
    (transaction) => incomingOf(rpc, { asset, to, transaction, block }),
    { concurrency },
  )
  return byAuthorization(incoming.flat(), used)
})

const incomingOf = Effect.fnUntraced(function* (
  rpc: Rpc,
  { asset, to, transaction, block }: {
    readonly asset: Address
    readonly to: Address
    readonly transaction: string
    readonly block: bigint
  },
) {
  const receipt = yield* rpc.call({
    method: "eth_getTransactionReceipt",
    params: [transaction],
    decode: decodeReceipt,
    bytesMax: responseBytesMax.oneBlock,
  })
  const isConsistent = receipt !== null && BigInt(receipt.blockNumber) === block &&
    receipt.logs.every(({ transactionHash, blockHash }) =>
      transactionHash.toLowerCase() === transaction && blockHash === receipt.blockHash
    )
  const events = isConsistent ? eventsIn(asset, receipt.logs) : null
  if (events === null) {
    return yield* new RpcFailure({
      kind: "malformed",
      reason: "eth_getTransactionReceipt returned the receipt of another transaction",
    })
  }
  return events.filter((event) => event.event === "transfer").filter((event) => event.to === to)
})

const read = Effect.fnUntraced(function* (rpc: Rpc, query: Query, blocks: Blocks) {
  const { asset, to } = query
  const bytesMax = blocks.from === blocks.to ? responseBytesMax.oneBlock : responseBytesMax.usual
  const incoming = (yield* eventsOf(rpc, {
    asset,
    topics: [[topics.transfer], null, [topicOf(to)]],
    in: blocks,
    bytesMax,
  })).filter((event) => event.event === "transfer")
  const payers = [...new Set(incoming.map(({ from }) => topicOf(from)))]
  const used = yield* Effect.forEach(
    Array.chunksOf(payers, payersMax),
    (chunk) =>
      eventsOf(rpc, {
        asset,
        topics: [[topics.used], chunk],
        in: blocks,
        bytesMax,
      }),
    { concurrency },
  )
  const transfers = byAuthorization(incoming, used.flat())
  yield* logPlainTransfers(incoming.length - transfers.length)
  return transfers
})

/** The transfers that directly follow the use of an authorization, in their order. */
function byAuthorization(
  incoming: ReadonlyArray<TokenEvent & { readonly event: "transfer" }>,
  used: ReadonlyArray<TokenEvent>,
): ReadonlyArray<AuthorizedTransfer> {
  const byNextPosition = new Map(used.map((event) => [positionKey(event, 1), event]))
  return incoming.flatMap((transfer) => {
    const event = byNextPosition.get(positionKey(transfer, 0))
    if (event?.event !== "used" || !isTransferOf(event, transfer)) return []
    const { from, to, value } = transfer
    const { transaction, block, logIndex } = event.at
    const at = { transaction, block, logIndex, finality: "safe" as const }
    return [{ from, to, value, nonce: event.nonce, at }]
  })
}

const positionKey = ({ at }: TokenEvent, next: number) => `${at.blockHash}:${at.logIndex + next}`

const logPlainTransfers = (count: number) =>
  count === 0 ? Effect.void : Effect.logInfo("Received transfers without an authorization").pipe(
    Effect.annotateLogs({ count }),
  )
