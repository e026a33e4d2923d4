/**
 * The newest block that can no longer be reorganised away, as far as the chain promises.
 *
 * @module
 */
import { Clock, Duration, Effect, Exit } from "effect"
import { decodeBlock, decodeQuantity, quantity, type Rpc, RpcFailure } from "./rpc.ts"

/** `safe`: what the node calls safe. `blocks`: so many below the newest. */
export type Finality = "safe" | { readonly blocks: number }

export interface Head {
  readonly number: bigint
  readonly hash: string
  /** Seconds since the Unix epoch. */
  readonly timestamp: bigint
}

/** How long a head is good for: a block lasts 2 s. */
const keptFor = Duration.seconds(1)
/**
 * How long a head is held against those that contradict it. What is contradicted for longer was itself
 * a node's slip: nothing would ever be believed again.
 */
const heldFor = Duration.minutes(5)
/** How far a block may be ahead of our clock: a time that is not yet must not void a payment. */
const aheadSecondsMax = 60n

/**
 * The safe head, asked for once a second at most. What was safe stays safe: a head that is lower than
 * one seen before, another block of the same number, or one from the future, comes of a node that is
 * not to be believed.
 */
export const watchSafeHead = Effect.fnUntraced(function* (rpc: Rpc, finality: Finality) {
  let highest: Head | null = null
  let contradictedSinceMs: number | null = null

  const ask = Effect.fnUntraced(function* () {
    const tag = finality === "safe" ? "safe" : yield* below(rpc, BigInt(finality.blocks))
    const { number, hash, timestamp } = yield* rpc.call({
      method: "eth_getBlockByNumber",
      params: [tag, false],
      decode: decodeBlock,
    })
    const head: Head = {
      number: BigInt(number),
      hash: hash.toLowerCase(),
      timestamp: BigInt(timestamp),
    }
    if (tag !== "safe" && head.number !== BigInt(tag)) {
      return yield* disbelieved(`another block than ${tag}`)
    }
    const nowMs = yield* Clock.currentTimeMillis
    if (head.timestamp > BigInt(Math.floor(nowMs / 1_000)) + aheadSecondsMax) {
      return yield* disbelieved(`a block of the time ${head.timestamp}`)
    }
    if (highest !== null && contradicts(highest, head)) {
      contradictedSinceMs ??= nowMs
      if (nowMs - contradictedSinceMs < Duration.toMillis(heldFor)) {
        return yield* disbelieved(`a safe block ${head.number} after ${highest.number}`)
      }
    }
    contradictedSinceMs = null
    highest = head
    return head
  })

  return yield* Effect.cachedWithTTL(
    Effect.suspend(ask),
    (exit) => Exit.isSuccess(exit) ? keptFor : Duration.zero,
  )
})

const below = (rpc: Rpc, blocks: bigint) =>
  rpc.call({ method: "eth_blockNumber", params: [], decode: decodeQuantity }).pipe(
    Effect.map((newest) => quantity(BigInt(newest) > blocks ? BigInt(newest) - blocks : 0n)),
  )

function contradicts(seen: Head, head: Head): boolean {
  return head.number < seen.number ||
    (head.number === seen.number && head.hash !== seen.hash) ||
    head.timestamp < seen.timestamp
}

const disbelieved = (what: string) =>
  new RpcFailure({ kind: "malformed", reason: `eth_getBlockByNumber was answered with ${what}` })
