/**
 * The uses of many authorizations in few queries: what a sweep asks at one moment shares queries of logs.
 *
 * A shared answer that is refused, too large or of another form proves nothing, and each
 * authorization is then read alone, so none of them can hide the others.
 *
 * @module
 */
import { Array, Effect, Request, RequestResolver } from "effect"
import { least } from "../domain/agreement.ts"
import type { Address, Bytes32 } from "../domain/payment.ts"
import type { Head } from "./heads.ts"
import { type Rpc, RpcFailure } from "./rpc.ts"
import { type Blocks, eventsOf, type TokenEvent, topicOf, topics } from "./token.ts"

/** The uses of a payer's nonce in blocks. */
interface UseQuery {
  readonly asset: Address
  readonly from: Address
  readonly nonce: Bytes32
  readonly in: Blocks
  readonly safe: Head
}

type Uses = ReadonlyArray<TokenEvent>
interface UseRequest extends Request.Request<Uses, RpcFailure> {
  readonly query: UseQuery
}
const requestOf = Request.of<UseRequest>()

/** Most authorizations of one query: 100 nonces are 7 kB. */
const readsMax = 100
/** Queries whose blocks start in the same range of this length share one: with it they are less than 2,000. */
const blocksTogether = 500n

/**
 * Reads the logs that used or cancelled a nonce, in chain order, at one endpoint. A query of logs covers
 * at most `blocksMax` blocks, or one range of a caller.
 */
export function sharedUses(rpc: Rpc, blocksMax: bigint) {
  const readAlone = (entry: Request.Entry<UseRequest>) =>
    Request.completeEffect(
      entry,
      Effect.map(findUses(rpc, blocksMax, [entry.request.query]), ([uses = []]) => uses),
    )
  const resolver = RequestResolver.makeGrouped<UseRequest, string>({
    key: ({ request: { query } }) => `${query.asset} ${query.in.from / blocksTogether}`,
    resolver: (entries) => {
      const alone = Effect.forEach(entries, readAlone, { concurrency: "unbounded", discard: true })
      if (entries.length === 1) return alone
      return findUses(rpc, blocksMax, Array.map(entries, ({ request }) => request.query)).pipe(
        Effect.tap((found) =>
          Effect.forEach(entries, (entry, n) => Request.succeed(entry, found[n] ?? []))
        ),
        Effect.catchIf(({ kind }) => kind !== "silent", () => alone),
      )
    },
  }).pipe(RequestResolver.batchN(readsMax))
  return (query: UseQuery) => Effect.request(requestOf({ query }), resolver)
}

/** For each query its logs, from one query of logs over the blocks of all. */
const findUses = Effect.fnUntraced(function* (
  rpc: Rpc,
  blocksMax: bigint,
  queries: Array.NonEmptyReadonlyArray<UseQuery>,
) {
  const [{ asset, safe }] = queries
  const from = least(queries.map(({ in: { from } }) => from))
  const to = queries.map(({ in: { to } }) => to).reduce((a, b) =>
    a === "latest" || b === "latest" ? "latest" : b > a ? b : a
  )
  if (queries.length > 1 && (to === "latest" ? safe.number : to) - from >= blocksMax) {
    return yield* new RpcFailure({ kind: "refused", reason: "too many blocks for one query" })
  }
  const events = yield* eventsOf(rpc, {
    asset,
    topics: [
      [topics.used, topics.canceled],
      [...new Set(queries.map(({ from }) => topicOf(from)))],
      queries.map(({ nonce }) => nonce),
    ],
    in: { from, to },
  })
  return queries.map(({ from, nonce, in: blocks }) =>
    events.filter((event) =>
      event.event !== "transfer" && event.authorizer === from && event.nonce === nonce &&
      event.at.block >= blocks.from && (blocks.to === "latest" || event.at.block <= blocks.to)
    )
  )
})
