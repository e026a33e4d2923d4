/**
 * Reads about many authorizations in few calls: what a sweep asks at one moment shares one query of
 * logs and one call of Multicall3, a contract at the same address on Base and most chains.
 *
 * A shared answer that is refused, too large or of another form proves nothing, and each
 * authorization is then read alone, so none of them can hide the others.
 *
 * @module
 */
import { Effect, Request, RequestResolver } from "effect"
import { decodeFunctionResult, encodeFunctionData, parseAbi } from "viem/utils"
import { type Address, address, type Bytes32 } from "../domain/payment.ts"
import type { Head } from "./heads.ts"
import { decodeBytes, decodeWord, type Rpc, RpcFailure } from "./rpc.ts"
import { authorizationStateCall, type Blocks, eventsOf, topicOf, topics } from "./token.ts"

/** The nonce of a payer's authorization. */
interface PayerNonce {
  readonly asset: Address
  readonly from: Address
  readonly nonce: Bytes32
}

/** The uses of a nonce in blocks. */
interface UseQuery extends PayerNonce {
  readonly in: Blocks
  readonly safe: Head
}

/** The state of a nonce as of a block. */
interface StateQuery extends PayerNonce {
  readonly blockHash: string
}

/** Most authorizations of one call: 100 nonces are 7 kB, and 100 reads about a million gas. */
const readsMax = 100

/** Reads of one endpoint. A query of logs covers at most `blocksMax` blocks, or one range of a caller. */
export function sharedReads(rpc: Rpc, blocksMax: bigint) {
  const uses = shared((queries: ReadonlyArray<UseQuery>) => findUses(rpc, blocksMax, queries))
  const states = shared((queries: ReadonlyArray<StateQuery>) => readStates(rpc, queries))
  return {
    /** The logs in `blocks` that used or cancelled the nonce, in chain order. */
    usesOf: ({ asset, from, nonce }: PayerNonce, safe: Head, blocks: Blocks) =>
      uses({ asset, from, nonce, safe, in: blocks }),
    /** Whether the nonce is used or cancelled as of the safe block, as the word that the token returns. */
    stateOf: ({ asset, from, nonce }: PayerNonce, { hash }: Head) =>
      states({ asset, from, nonce, blockHash: hash }),
  }
}

interface Shared<Q, A> extends Request.Request<A, RpcFailure> {
  readonly query: Q
}

/** Queries of one moment together; each alone when that fails although the endpoint responds. */
const shared = <Q, A>(
  read: (queries: ReadonlyArray<Q>) => Effect.Effect<ReadonlyArray<A>, RpcFailure>,
) => {
  type Entry = Request.Entry<Shared<Q, A>>
  const readAlone = (entry: Entry) =>
    Request.completeEffect(
      entry,
      Effect.map(read([entry.request.query]), ([answer]) => answer as A),
    )
  const resolver = RequestResolver.make<Shared<Q, A>>((entries) => {
    const alone = Effect.forEach(entries, readAlone, { concurrency: "unbounded", discard: true })
    return entries.length === 1 ? alone : read(entries.map(({ request }) => request.query)).pipe(
      Effect.tap((answers) =>
        Effect.forEach(entries, (entry, n) => Request.succeed(entry, answers[n] as A))
      ),
      Effect.catchIf(({ kind }) => kind !== "silent", () => alone),
    )
  }).pipe(RequestResolver.batchN(readsMax))
  const make = Request.of<Shared<Q, A>>()
  return (query: Q) => Effect.request(make({ query }), resolver)
}

/** For each query its logs. Queries whose blocks are close together share a query. */
const findUses = Effect.fnUntraced(function* (
  rpc: Rpc,
  blocksMax: bigint,
  queries: ReadonlyArray<UseQuery>,
) {
  const found = yield* Effect.forEach(
    groupsOf(queries, blocksMax),
    ({ asset, blocks, of }) =>
      eventsOf(rpc, {
        asset,
        topics: [
          [topics.used, topics.canceled],
          [...new Set(of.map(({ from }) => topicOf(from)))],
          of.map(({ nonce }) => nonce),
        ],
        in: blocks,
      }),
    { concurrency: "unbounded" },
  )
  const events = found.flat()
  return queries.map(({ from, nonce, in: blocks }) =>
    events.filter((event) =>
      event.event !== "transfer" && event.authorizer === from && event.nonce === nonce &&
      event.at.block >= blocks.from && (blocks.to === "latest" || event.at.block <= blocks.to)
    )
  )
})

interface Group {
  readonly asset: Address
  readonly blocks: Blocks
  readonly of: ReadonlyArray<UseQuery>
}

/** Groups queries of one token whose blocks are at most `blocksMax` together. */
function groupsOf(queries: ReadonlyArray<UseQuery>, blocksMax: bigint): ReadonlyArray<Group> {
  const groups: Array<Group> = []
  for (const query of queries.toSorted((a, b) => Number(a.in.from - b.in.from))) {
    const last = groups.at(-1)
    const end = ({ to }: Blocks) => to === "latest" ? query.safe.number : to
    const isNear = last !== undefined && last.asset === query.asset &&
      [last.blocks, query.in].every((blocks) => end(blocks) - last.blocks.from < blocksMax)
    if (!isNear) groups.push({ asset: query.asset, blocks: query.in, of: [query] })
    else {
      const to = [last.blocks.to, query.in.to].includes("latest")
        ? "latest"
        : end(last.blocks) > end(query.in)
        ? last.blocks.to
        : query.in.to
      groups[groups.length - 1] = {
        ...last,
        blocks: { from: last.blocks.from, to },
        of: [...last.of, query],
      }
    }
  }
  return groups
}

const multicall3 = address("0xca11bde05977b3631167028862be2a173976ca11")
const multicallAbi = parseAbi([
  "struct Call { address target; bool allowFailure; bytes callData; }",
  "struct Result { bool success; bytes returnData; }",
  "function aggregate3(Call[] calls) payable returns (Result[] results)",
])

/** For each query the word that the token returns. */
const readStates = Effect.fnUntraced(function* (rpc: Rpc, queries: ReadonlyArray<StateQuery>) {
  const [first] = queries
  const isOneBlock = queries.every(({ blockHash }) => blockHash === first?.blockHash)
  if (first === undefined || !isOneBlock) return yield* unusable("a state of several blocks")
  const callOf = ({ from, nonce }: StateQuery) => authorizationStateCall(from, nonce)
  const block = { blockHash: first.blockHash }
  if (queries.length === 1) {
    const params = [{ to: first.asset, data: callOf(first) }, block]
    return [yield* rpc.call({ method: "eth_call", params, decode: decodeWord })]
  }
  const calls = queries.map((query) => ({
    target: query.asset,
    allowFailure: false,
    callData: callOf(query) as `0x${string}`,
  }))
  const data = encodeFunctionData({ abi: multicallAbi, functionName: "aggregate3", args: [calls] })
  const bytes = yield* rpc.call({
    method: "eth_call",
    params: [{ to: multicall3, data }, block],
    decode: decodeBytes,
  })
  const results = yield* Effect.try({
    try: () =>
      decodeFunctionResult({
        abi: multicallAbi,
        functionName: "aggregate3",
        data: bytes as `0x${string}`,
      }),
    catch: () => unusable("no results of Multicall3"),
  })
  if (results.length !== queries.length) return yield* unusable("a wrong number of results")
  return yield* Effect.forEach(
    results,
    ({ success, returnData }) =>
      Effect.mapError(
        decodeWord(success ? returnData : null),
        () => unusable("a result that is no word"),
      ),
  )
})

const unusable = (what: string) =>
  new RpcFailure({ kind: "malformed", reason: `eth_call returned ${what}` })
