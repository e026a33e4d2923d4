/**
 * The channel contract over JSON-RPC. With several endpoints all must answer, and the reading that
 * promises us least counts.
 *
 * @module
 */
import { Duration, Effect, Layer } from "effect"
import { encodeFunctionData, parseAbi } from "viem/utils"
import { ChainUnavailable } from "../Chain.ts"
import { channelContract, type ChannelOnChain } from "../channels/domain/channel.ts"
import { ChannelContract, type ChannelReading } from "../channels/ChannelContract.ts"
import type { Bytes32 } from "../domain/payment.ts"
import { type Finality, watchSafeHead } from "./heads.ts"
import { connect, decodeBytes, quantity, type Rpc, RpcFailure } from "./rpc.ts"

interface ContractOptions {
  readonly rpcUrls: ReadonlyArray<string>
  readonly finality: Finality
}

const abi = parseAbi([
  "function channels(bytes32 channelId) view returns (uint128 balance, uint128 totalClaimed)",
  "function pendingWithdrawals(bytes32 channelId) view returns (uint128 amount, uint40 initiatedAt)",
  "function refundNonce(bytes32 channelId) view returns (uint256)",
])
type View = (typeof abi)[number]["name"]

/** The time limit of one reading, with all its calls. */
const readTimeout = Duration.millis(4_500)
/** Amounts are stored as 64-bit integers; no channel of USDC comes near. */
const unitsMax = 2n ** 63n - 1n

export const layer = ({ rpcUrls, finality }: ContractOptions): Layer.Layer<ChannelContract> =>
  Layer.effect(
    ChannelContract,
    Effect.gen(function* () {
      const endpoints = yield* Effect.forEach(rpcUrls, (rpcUrl) => readerOf(rpcUrl, finality))
      return ChannelContract.of({
        read: (channelId) =>
          Effect.forEach(endpoints, (read) => read(channelId), { concurrency: "unbounded" }).pipe(
            Effect.mapError(({ reason }) => new ChainUnavailable({ reason })),
            Effect.timeoutOrElse({
              duration: readTimeout,
              orElse: () => Effect.fail(new ChainUnavailable({ reason: "no response in time" })),
            }),
            Effect.map((readings) => readings.reduce(least)),
          ),
      })
    }),
  )

const readerOf = Effect.fnUntraced(function* (rpcUrl: string, finality: Finality) {
  const rpc = yield* connect({ rpcUrl })
  const safeHead = yield* watchSafeHead(rpc, finality)
  return Effect.fnUntraced(function* (
    channelId: Bytes32,
  ): Effect.fn.Return<ChannelReading, RpcFailure> {
    const { number } = yield* safeHead
    const [newest, safe] = yield* Effect.all([
      stateAt(rpc, channelId, "latest"),
      // The contract may be younger than the safe block.
      stateAt(rpc, channelId, quantity(number)).pipe(
        Effect.catchIf(({ kind }) => kind === "malformed", () => Effect.succeed(nothing)),
      ),
    ], { concurrency: "unbounded" })
    return { newest, safe }
  })
})

const nothing: ChannelOnChain = { balance: 0n, claimed: 0n, withdrawAt: 0n, refundNonce: 0n }

const stateAt = (rpc: Rpc, channelId: Bytes32, block: string) =>
  Effect.map(
    Effect.all([
      read(rpc, "channels", 2, channelId, block),
      read(rpc, "pendingWithdrawals", 2, channelId, block),
      read(rpc, "refundNonce", 1, channelId, block),
    ], { concurrency: "unbounded" }),
    ([[balance = 0n, claimed = 0n], [, withdrawAt = 0n], [refundNonce = 0n]]): ChannelOnChain => ({
      balance,
      claimed,
      withdrawAt,
      refundNonce,
    }),
  )

/** The words that a view returns. */
const read = (rpc: Rpc, view: View, count: number, channelId: Bytes32, block: string) => {
  const data = encodeFunctionData({ abi, functionName: view, args: [channelId] })
  return rpc.call({
    method: "eth_call",
    params: [{ to: channelContract, data }, block],
    decode: decodeBytes,
  }).pipe(
    Effect.filterOrFail(
      (bytes) => bytes.length === 2 + 64 * count,
      () => new RpcFailure({ kind: "malformed", reason: `${view} returned another form` }),
    ),
    Effect.map((bytes) =>
      Array.from({ length: count }, (_, i) => {
        const units = BigInt(`0x${bytes.slice(2 + 64 * i, 66 + 64 * i)}`)
        return units < unitsMax ? units : unitsMax
      })
    ),
  )
}

/** Of two readings: the smaller escrow, what both have claimed, and any withdrawal. */
function least(a: ChannelReading, b: ChannelReading): ChannelReading {
  return {
    newest: {
      balance: min(a.newest.balance, b.newest.balance),
      claimed: max(a.newest.claimed, b.newest.claimed),
      withdrawAt: max(a.newest.withdrawAt, b.newest.withdrawAt),
      refundNonce: min(a.newest.refundNonce, b.newest.refundNonce),
    },
    safe: { ...a.safe, claimed: min(a.safe.claimed, b.safe.claimed) },
  }
}

const min = (a: bigint, b: bigint) => a < b ? a : b
const max = (a: bigint, b: bigint) => a > b ? a : b
