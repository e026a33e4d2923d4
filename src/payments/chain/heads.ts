/**
 * Tracks the newest safe block: the newest block that can no longer be reorganised away, as far as
 * the chain guarantees.
 *
 * @module
 */
import { Clock, Duration, Effect } from "effect"
import { cachedFor } from "../../core/cachedFor.ts"
import { decodeBlock, decodeQuantity, quantity, type Rpc, RpcFailure } from "./rpc.ts"

/** `safe`: the block that the node calls safe. `blocks`: this many blocks below the newest. */
export type Finality = "safe" | { readonly blocks: number }

export interface Head {
  readonly number: bigint
  readonly hash: string
  /** Seconds since the Unix epoch. */
  readonly timestamp: bigint
}

/** How long a head is cached. A block lasts 2 s. */
const headTtl = Duration.seconds(1)
/**
 * How long heads that contradict the accepted one are rejected. When they continue for longer, the
 * accepted head was wrong; without this limit no head would be accepted again.
 */
const contradictionMax = Duration.minutes(5)
/**
 * How far a block's time may be ahead of our clock. A block from the future must not void a
 * payment.
 */
const aheadSecondsMax = 60n

/**
 * The safe head, read at most once a second. A safe block stays safe. So a node is unreliable when
 * it returns a head that is lower or older than an earlier one, another block of the same number,
 * or a block from the future. Such a head is rejected.
 */
export const watchSafeHead = Effect.fnUntraced(
  function* (rpc: Pick<Rpc, "call">, finality: Finality) {
    let accepted: Head | null = null
    let contradictedSinceMs: number | null = null

    const read = Effect.fnUntraced(function* () {
      const tag = finality === "safe"
        ? "safe"
        : yield* blockBelowNewest(rpc, BigInt(finality.blocks))
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
        return yield* inconsistent(`another block than ${tag}`)
      }
      const nowMs = yield* Clock.currentTimeMillis
      if (head.timestamp > BigInt(Math.floor(nowMs / 1_000)) + aheadSecondsMax) {
        return yield* inconsistent(`a block from the future (${head.timestamp})`)
      }
      if (accepted !== null && contradicts(accepted, head)) {
        contradictedSinceMs = Math.min(contradictedSinceMs ?? nowMs, nowMs)
        if (nowMs - contradictedSinceMs < Duration.toMillis(contradictionMax)) {
          return yield* inconsistent(`a safe block ${head.number} after ${accepted.number}`)
        }
      }
      contradictedSinceMs = null
      accepted = head
      return head
    })

    const [cached] = yield* cachedFor(Effect.suspend(read), headTtl)
    return cached
  },
)

const blockBelowNewest = (rpc: Pick<Rpc, "call">, blocks: bigint) =>
  rpc.call({ method: "eth_blockNumber", params: [], decode: decodeQuantity }).pipe(
    Effect.map((newest) => quantity(BigInt(newest) > blocks ? BigInt(newest) - blocks : 0n)),
  )

function contradicts(seen: Head, head: Head): boolean {
  return head.number < seen.number ||
    (head.number === seen.number && head.hash !== seen.hash) ||
    head.timestamp < seen.timestamp
}

const inconsistent = (what: string) =>
  new RpcFailure({ kind: "malformed", reason: `eth_getBlockByNumber returned ${what}` })
