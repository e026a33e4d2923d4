/**
 * Every transfer by authorization to an address, a stretch of safe blocks at a time.
 *
 * Two questions a stretch, however many transfers: which came in, and which of their payers'
 * authorizations were used. A transfer that no authorization stands before is a plain one: it
 * buys nothing, so it is only logged for the operator.
 *
 * @module
 */
import { Effect } from "effect"
import type { Address } from "../domain/payment.ts"
import type { ScannedBlocks, SeenTransfer } from "../Chain.ts"
import { answerBytesMax, decodeReceipt, type Rpc, RpcFailure } from "./rpc.ts"
import {
  belongs,
  type Blocks,
  eventsIn,
  eventsOf,
  type TokenEvent,
  topicOf,
  topics,
} from "./token.ts"

/** Blocks a stretch has unless another number is given: public endpoints answer for no more. */
export const scanBlocksMax = 2_000
/** Payers a question names. */
const payersMax = 100
const concurrency = 4

interface Query {
  readonly asset: Address
  readonly to: Address
  readonly blocksMax: number
}

/**
 * Reads on from the block after `after`, up to `safe`: as far as is answered at once. A stretch that
 * is refused or too large is halved, down to one block.
 */
export const scan = (
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
        from < to
          ? readOrHalve(rpc, query, from, from + (to - from) / 2n)
          : Effect.map(readDense(rpc, query, from), (transfers) => ({ transfers, through: to })),
    ),
  )

/**
 * A block so full of transfers that no endpoint tells them all: anybody can fill one, with transfers of
 * nothing. Authorizations are dearer to spam, so they are asked for, and the transactions they are of.
 */
const readDense = Effect.fnUntraced(function* (rpc: Rpc, { asset, to }: Query, block: bigint) {
  const used = yield* eventsOf(rpc, {
    asset,
    topics: [[topics.used]],
    in: { from: block, to: block },
    bytesMax: answerBytesMax.oneBlock,
  })
  const transactions = [...new Set(used.map(({ at }) => at.transaction))]
  const incoming = yield* Effect.forEach(
    transactions,
    (transaction) => incomingOf(rpc, { asset, to, transaction, block }),
    { concurrency },
  )
  return byAuthorization(incoming.flat(), used)
})

/** The transfers to an address in one transaction of a block. */
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
    bytesMax: answerBytesMax.oneBlock,
  })
  const whole = receipt !== null && BigInt(receipt.blockNumber) === block &&
    receipt.logs.every(({ transactionHash, blockHash }) =>
      transactionHash.toLowerCase() === transaction && blockHash === receipt.blockHash
    )
  const events = whole ? eventsIn(asset, receipt.logs) : null
  if (events === null) {
    return yield* new RpcFailure({
      kind: "malformed",
      reason: "eth_getTransactionReceipt was answered with another transaction's",
    })
  }
  return events.filter((event) => event.event === "transfer").filter((event) => event.to === to)
})

const read = Effect.fnUntraced(function* (rpc: Rpc, query: Query, blocks: Blocks) {
  const { asset, to } = query
  const bytesMax = blocks.from === blocks.to ? answerBytesMax.oneBlock : answerBytesMax.usual
  const incoming = (yield* eventsOf(rpc, {
    asset,
    topics: [[topics.transfer], null, [topicOf(to)]],
    in: blocks,
    bytesMax,
  })).filter((event) => event.event === "transfer")
  const payers = [...new Set(incoming.map(({ from }) => topicOf(from)))]
  const used = yield* Effect.forEach(
    chunksOf(payers, payersMax),
    (some) =>
      eventsOf(rpc, {
        asset,
        topics: [[topics.used], some],
        in: spanOf(incoming, blocks),
        bytesMax,
      }),
    { concurrency },
  )
  const transfers = byAuthorization(incoming, used.flat())
  yield* tellPlain(incoming.length - transfers.length)
  return transfers
})

/** The transfers that an authorization stands directly before, in the order they came in. */
function byAuthorization(
  incoming: ReadonlyArray<TokenEvent & { readonly event: "transfer" }>,
  used: ReadonlyArray<TokenEvent>,
): ReadonlyArray<SeenTransfer> {
  const places = new Map(used.map((event) => [placeKey(event, 1), event]))
  return incoming.flatMap((transfer) => {
    const event = places.get(placeKey(transfer, 0))
    if (event?.event !== "used" || !belongs(event, transfer)) return []
    const { from, to, value } = transfer
    const { transaction, block, logIndex } = event.at
    const at = { transaction, block, logIndex, finality: "safe" as const }
    return [{ from, to, value, nonce: event.nonce, at }]
  })
}

const placeKey = ({ at }: TokenEvent, next: number) => `${at.blockHash}:${at.logIndex + next}`

const tellPlain = (count: number) =>
  count === 0 ? Effect.void : Effect.logInfo("Transfers without an authorization came in").pipe(
    Effect.annotateLogs({ count }),
  )

/** The blocks from the first event to the last. */
function spanOf(events: ReadonlyArray<TokenEvent>, blocks: Blocks): Blocks {
  const [first, last] = [events[0], events.at(-1)]
  return first === undefined || last === undefined
    ? blocks
    : { from: first.at.block, to: last.at.block }
}

function chunksOf<A>(items: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> {
  const chunks = Math.ceil(items.length / size)
  return Array.from({ length: chunks }, (_, i) => items.slice(i * size, (i + 1) * size))
}
