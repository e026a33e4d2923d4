/**
 * Logs of the token, by what is asked for: what comes back is checked to be just that, in the order of
 * the chain.
 *
 * @module
 */
import { Effect, Option } from "effect"
import type { Address } from "../domain/payment.ts"
import { NoAnswer, type Rpc } from "./rpc.ts"
import { eventOf, type TokenEvent } from "./token.ts"
import { decodeLogs, type Log, quantity } from "./wire.ts"

/** A stretch of blocks, both ends included; `latest` may be far above anything that was seen yet. */
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

/** The events that answer the query, lowest first. */
export const eventsOf = Effect.fnUntraced(function* (rpc: Rpc, query: LogQuery) {
  const { asset, topics, bytesMax } = query
  const logs = yield* rpc.ask({
    method: "eth_getLogs",
    params: [{ address: asset, topics, ...filterOf(query.in) }],
    decode: decodeLogs,
    ...(bytesMax === undefined ? {} : { bytesMax }),
  })
  const events = eventsIn(asset, logs)
  if (
    events === null || events.length !== logs.length || !logs.every((log) => asked(query, log))
  ) {
    return yield* new NoAnswer({
      kind: "malformed",
      reason: "eth_getLogs was answered with other logs than were asked for",
    })
  }
  return events
})

/** The token's events among logs of any contract; null when the logs are not in the chain's order. */
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

/** Whether a log is one of those that were asked for. */
function asked({ topics, in: where }: LogQuery, log: Log): boolean {
  const block = BigInt(log.blockNumber)
  const here = "blockHash" in where
    ? log.blockHash.toLowerCase() === where.blockHash
    : block >= where.from && (where.to === "latest" || block <= where.to)
  return here &&
    topics.every((wanted, i) =>
      wanted === null || wanted.includes(log.topics[i]?.toLowerCase() ?? "")
    )
}

function isBefore(one: Log, other: Log): boolean {
  const blocks = BigInt(other.blockNumber) - BigInt(one.blockNumber)
  return blocks > 0n || (blocks === 0n && Number(one.logIndex) < Number(other.logIndex))
}
