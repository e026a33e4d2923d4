/**
 * The events and calls of an EIP-3009 token. Returned logs are checked: they must match the query
 * and be in chain order.
 *
 * @module
 */
import { Effect, Option } from "effect"
import { encodeFunctionData, parseAbi, toEventSelector } from "viem/utils"
import { type Address, address, Bytes32 } from "../domain/payment.ts"
import { decodeLogs, type Log, quantity, type Rpc, RpcFailure } from "./rpc.ts"

const abi = parseAbi([
  "function authorizationState(address authorizer, bytes32 nonce) view returns (bool)",
  "function balanceOf(address holder) view returns (uint256)",
])

/** The first topic of each event. */
export const topics = {
  used: toEventSelector("AuthorizationUsed(address,bytes32)"),
  canceled: toEventSelector("AuthorizationCanceled(address,bytes32)"),
  transfer: toEventSelector("Transfer(address,address,uint256)"),
} as const

/** The position of a log. */
interface LogPosition {
  readonly block: bigint
  readonly blockHash: string
  readonly transaction: string
  readonly logIndex: number
}

/** An event of the token that matters for payments. */
export type TokenEvent =
  & { readonly at: LogPosition }
  & (
    | { readonly event: "used" | "canceled"; readonly authorizer: Address; readonly nonce: Bytes32 }
    | {
      readonly event: "transfer"
      readonly from: Address
      readonly to: Address
      readonly value: bigint
    }
  )

/** Decodes a log; none when it is from another contract or of another event. */
function eventOf(asset: Address, log: Log): Option.Option<TokenEvent> {
  if (address(log.address) !== asset) return Option.none()
  const at = positionOf(log)
  const [topic, first, second] = log.topics.map((topic) => topic.toLowerCase())
  if (first === undefined || second === undefined || log.topics.length !== 3) return Option.none()
  const from = addressIn(first)
  if (from === null) return Option.none()
  switch (topic) {
    case topics.used:
    case topics.canceled: {
      if (log.data !== "0x") return Option.none()
      const event = topic === topics.used ? "used" : "canceled"
      return Option.some({
        at,
        event,
        authorizer: from,
        nonce: Bytes32.make(`0x${second.slice(2)}`),
      })
    }
    case topics.transfer: {
      const to = addressIn(second)
      if (to === null || log.data.length !== wordLength) return Option.none()
      return Option.some({ at, event: "transfer", from, to, value: BigInt(log.data) })
    }
    default:
      return Option.none()
  }
}

/**
 * Whether a transfer was caused by this use of an authorization: same transaction, at the next log
 * index.
 */
export function isTransferOf(
  used: TokenEvent & { readonly event: "used" | "canceled" },
  transfer: TokenEvent,
): transfer is TokenEvent & { readonly event: "transfer" } {
  return transfer.event === "transfer" &&
    transfer.from === used.authorizer &&
    transfer.at.transaction === used.at.transaction &&
    transfer.at.blockHash === used.at.blockHash &&
    transfer.at.logIndex === used.at.logIndex + 1
}

/** An address as a topic: padded to 32 bytes. */
export function topicOf(address: Address): string {
  return `0x${address.slice(2).padStart(64, "0")}`
}

export function authorizationStateCall(from: Address, nonce: Bytes32): string {
  return encodeFunctionData({ abi, functionName: "authorizationState", args: [from, nonce] })
}

export function balanceCall(holder: Address): string {
  return encodeFunctionData({ abi, functionName: "balanceOf", args: [holder] })
}

/** 0x and 32 bytes. */
const wordLength = 66

function positionOf({ blockNumber, blockHash, transactionHash, logIndex }: Log): LogPosition {
  return {
    block: BigInt(blockNumber),
    blockHash: blockHash.toLowerCase(),
    transaction: transactionHash.toLowerCase(),
    logIndex: Number(logIndex),
  }
}

/** The address in a topic; null when the topic contains more than an address. */
function addressIn(topic: string): Address | null {
  return /^0x0{24}/.test(topic) ? address(`0x${topic.slice(26)}`) : null
}

/**
 * A range of blocks, both ends inclusive. `latest` may be far above the newest block that was seen.
 */
export interface Blocks {
  readonly from: bigint
  readonly to: bigint | "latest"
}

type Topics = ReadonlyArray<ReadonlyArray<string> | null>

interface LogQuery {
  readonly asset: Address
  readonly topics: Topics
  readonly in: Blocks | { readonly blockHash: string }
  readonly bytesMax?: number
}

/** The events that match the query, in chain order. */
export const eventsOf = Effect.fnUntraced(function* (rpc: Rpc, query: LogQuery) {
  const { asset, topics, bytesMax } = query
  const logs = yield* rpc.call({
    method: "eth_getLogs",
    params: [{ address: asset, topics, ...filterOf(query.in) }],
    decode: decodeLogs,
    ...(bytesMax === undefined ? {} : { bytesMax }),
  })
  const events = eventsIn(asset, logs)
  if (
    events === null || events.length !== logs.length ||
    !logs.every((log) => matchesQuery(query, log))
  ) {
    return yield* new RpcFailure({
      kind: "malformed",
      reason: "eth_getLogs returned logs that do not match the query",
    })
  }
  return events
})

/** The token's events among logs of any contract; null when the logs are not in chain order. */
export function eventsIn(
  asset: Address,
  logs: ReadonlyArray<Log>,
): ReadonlyArray<TokenEvent> | null {
  const inOrder = logs.every((log, i) => {
    const last = logs[i - 1]
    return last === undefined || isBefore(last, log)
  })
  return inOrder ? logs.flatMap((log) => Option.toArray(eventOf(asset, log))) : null
}

function filterOf(where: LogQuery["in"]) {
  return "blockHash" in where ? { blockHash: where.blockHash } : {
    fromBlock: quantity(where.from),
    toBlock: where.to === "latest" ? where.to : quantity(where.to),
  }
}

function matchesQuery({ topics, in: where }: LogQuery, log: Log): boolean {
  const block = BigInt(log.blockNumber)
  const inBlocks = "blockHash" in where
    ? log.blockHash.toLowerCase() === where.blockHash
    : block >= where.from && (where.to === "latest" || block <= where.to)
  return inBlocks &&
    topics.every((wanted, i) =>
      wanted === null || wanted.includes(log.topics[i]?.toLowerCase() ?? "")
    )
}

function isBefore(one: Log, other: Log): boolean {
  const blocks = BigInt(other.blockNumber) - BigInt(one.blockNumber)
  return blocks > 0n || (blocks === 0n && Number(one.logIndex) < Number(other.logIndex))
}
