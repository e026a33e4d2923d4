/**
 * The chain at several endpoints that must agree, so that no single one decides about money.
 *
 * Each read asks all of them. One that is silent makes the read fail, as the only endpoint would.
 * Reads of the newest state may differ because one endpoint is a block behind: then the answer is
 * the one that sells and pays nothing. A contradiction is returned as `disputed`, and for a minute
 * no authorization counts as unused: nothing is sold. Both are counted and logged.
 *
 * @module
 */
import { Clock, Effect, Metric, Result } from "effect"
import {
  type AuthorizedTransfer,
  Chain,
  ChainUnavailable,
  type ExpectedTransfer,
  type ScannedBlocks,
} from "../Chain.ts"
import { type Agreed, agreedHead, agreedProof, least, type ProofAsOf } from "../domain/agreement.ts"
import type { EpochMs } from "../../core/domain/time.ts"
import { isDisputed } from "../domain/paymentHealth.ts"

/** One endpoint: the port, and the reads that compare it with another endpoint. */
export interface Endpoint {
  readonly chain: Chain["Service"]
  /** A proof, with the safe block that it was read at. */
  readonly proofAsOf: (expected: ExpectedTransfer) => Effect.Effect<ProofAsOf, ChainUnavailable>
  readonly hashOf: (block: bigint) => Effect.Effect<string, ChainUnavailable>
}

const disagreements = Metric.counter("chain_disagreements_total", {
  description: "Reads in which the endpoints of the chain differ, by read",
  incremental: true,
})
const countDifference = (call: string) =>
  Metric.update(Metric.withAttributes(disagreements, { call }), 1)
const endpointBlock = Metric.gauge("chain_endpoint_block", {
  description: "The newest block of each endpoint of the chain, in the order of RPC_URL",
})

type Read<A> = Effect.Effect<A, ChainUnavailable>

/** The chain that two or more endpoints show together. */
export function agreeing(endpoints: ReadonlyArray<Endpoint>): Chain["Service"] {
  const comparison = comparing(endpoints)
  const { fromAll, agreed, undisputed } = comparison
  const newest = <A>(call: string, read: (chain: Chain["Service"]) => Read<A>) =>
    Effect.tap(
      fromAll(({ chain }) => read(chain)),
      (answers) =>
        new Set(answers).size === 1 ? Effect.void : Effect.andThen(
          countDifference(call),
          Effect.logWarning("The endpoints of the chain differ about the newest state", { call }),
        ),
    )
  return Chain.of({
    head: readHead(comparison),
    paymentProof: (expected) =>
      Effect.flatMap(
        fromAll(({ proofAsOf }) => proofAsOf(expected)),
        (proofs) => agreed("proof", agreedProof(proofs)),
      ),
    transfers: (query) =>
      Effect.flatMap(
        fromAll(({ chain }) => chain.transfers(query)),
        (ranges) => agreed("transfers", agreedRange(ranges)),
      ),
    isNonceUsed: Effect.fnUntraced(function* (...nonce) {
      yield* undisputed
      const [first = true, ...others] = yield* newest(
        "nonce",
        (chain) => chain.isNonceUsed(...nonce),
      )
      if (others.every((isUsed) => isUsed === first)) return first
      return yield* new ChainUnavailable({
        reason: "an authorization is used at one endpoint only",
      })
    }),
    balanceOf: (...holder) =>
      Effect.map(newest("balance", (chain) => chain.balanceOf(...holder)), least),
    hasCode: (address) =>
      Effect.map(
        newest("code", (chain) => chain.hasCode(address)),
        (found) => found.includes(true),
      ),
    // Each calls from the account that it saw settle, and a wallet may answer each in another way.
    wouldSettle: (...transfer) =>
      Effect.map(
        fromAll(({ chain }) => chain.wouldSettle(...transfer)),
        (answers) => answers.find((settles) => settles !== true) ?? true,
      ),
  })
}

/** Reads of all endpoints, and what happens when they contradict each other. */
function comparing(endpoints: ReadonlyArray<Endpoint>) {
  let disputedAtMs: EpochMs | null = null
  /** Counts and logs a contradiction, and fails with it. */
  const disputed = Effect.fnUntraced(function* (call: string, what: string) {
    disputedAtMs = yield* Clock.currentTimeMillis
    yield* countDifference(call)
    yield* Effect.logError(`The endpoints of the chain disagree: ${what}`, { call })
    return yield* new ChainUnavailable({
      reason: `the endpoints disagree: ${what}`,
      disputed: true,
    })
  })
  return {
    disputed,
    /** Asks all endpoints at the same time. The reason of a failure has the endpoint's position. */
    fromAll: <A>(read: (endpoint: Endpoint) => Read<A>) =>
      Effect.forEach(
        endpoints,
        (endpoint, i) =>
          Effect.mapError(read(endpoint), ({ reason }) =>
            new ChainUnavailable({ reason: `endpoint ${i + 1}: ${reason}` })),
        { concurrency: "unbounded" },
      ),
    agreed: <A>(call: string, answer: Agreed<A>): Read<A> =>
      Result.match(answer, {
        onSuccess: Effect.succeed,
        onFailure: (what) => disputed(call, what),
      }),
    /** Fails for some time after a contradiction, so that nothing is sold meanwhile. */
    undisputed: Effect.flatMap(
      Clock.currentTimeMillis,
      (nowMs) =>
        isDisputed({ now: nowMs, disputedAt: disputedAtMs })
          ? Effect.fail(new ChainUnavailable({ reason: "the endpoints disagreed shortly before" }))
          : Effect.void,
    ),
  }
}

/** The agreed head, whose safe block has one hash. */
const readHead = ({ fromAll, agreed, disputed }: ReturnType<typeof comparing>) =>
  Effect.gen(function* () {
    const heads = yield* fromAll(({ chain }) => chain.head)
    for (const [i, { number }] of heads.entries()) {
      const attributes = { endpoint: String(i + 1) }
      yield* Metric.update(Metric.withAttributes(endpointBlock, attributes), Number(number))
    }
    const found = yield* agreed("head", agreedHead(heads))
    const hashes = yield* fromAll(({ hashOf }) => hashOf(found.safeNumber))
    return new Set(hashes.map((hash) => hash.toLowerCase())).size === 1
      ? found
      : yield* disputed("head", `they have another safe block ${found.safeNumber}`)
  })

/** The blocks that all have read, when they have the same transfers. */
function agreedRange(
  ranges: ReadonlyArray<ScannedBlocks>,
): Agreed<ScannedBlocks> {
  const through = least(ranges.map((range) => range.through))
  const [first = [], ...others] = ranges.map(({ transfers }) =>
    transfers.filter(({ at }) => at.block <= through)
  )
  const found = listOf(first)
  return others.every((transfers) => listOf(transfers) === found)
    ? Result.succeed({ transfers: first, through })
    : Result.fail("they have other transfers in the same safe blocks")
}

const listOf = (transfers: ReadonlyArray<AuthorizedTransfer>) =>
  transfers.map(({ from, to, value, nonce, at }) =>
    [from, to, value, nonce, at.transaction, at.block, at.logIndex].join()
  ).join("\n")
