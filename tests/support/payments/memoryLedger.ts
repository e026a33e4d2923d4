/**
 * The play token's ledger in memory, with the same rules as the one in the store.
 *
 * @module
 */
import { Effect, Layer, Option } from "effect"
import type { Address, Bytes32 } from "../../../src/payments/domain/payment.ts"
import { Ledger, playBalance } from "../../../src/payments/simulated/ledger.ts"

type Transfer = Parameters<Ledger["Service"]["transfer"]>[0]
type Used = Option.Option.Value<Effect.Success<ReturnType<Ledger["Service"]["used"]>>>

/** Lives as long as its Layer. */
export const layerMemory: Layer.Layer<Ledger> = Layer.sync(Ledger, () => {
  const uses = new Map<string, Used>()
  const transfers: Array<Transfer> = []
  const balances = new Map<string, bigint>()
  const key = (asset: Address, from: Address, nonce: Bytes32) => `${asset}:${from}:${nonce}`
  const balanceOf = (address: Address) => balances.get(address) ?? playBalance

  return Ledger.of({
    transfer: (made) =>
      Effect.sync(() => {
        const { asset, from, nonce, to, value, transaction, blockTime } = made
        if (uses.has(key(asset, from, nonce))) return "used"
        if (balanceOf(from) < value) return "insufficient_funds"
        uses.set(key(asset, from, nonce), { transfer: { to, value }, transaction, blockTime })
        balances.set(from, balanceOf(from) - value)
        transfers.push(made)
        return "transferred"
      }),
    cancel: ({ asset, from, nonce, transaction, blockTime }) =>
      Effect.sync(() => {
        if (uses.has(key(asset, from, nonce))) return false
        uses.set(key(asset, from, nonce), { transfer: null, transaction, blockTime })
        return true
      }),
    used: (asset, from, nonce) =>
      Effect.sync(() => Option.fromNullishOr(uses.get(key(asset, from, nonce)))),
    balance: (address) => Effect.sync(() => balanceOf(address)),
    transfersTo: ({ asset, to, after, through }) =>
      Effect.sync(() =>
        transfers.filter((made) =>
          made.asset === asset && made.to === to &&
          made.blockTime > after && made.blockTime <= through
        )
      ),
    received: (address) =>
      Effect.sync(() =>
        [...uses.values()].reduce(
          (sum, { transfer }) => transfer?.to === address ? sum + transfer.value : sum,
          0n,
        )
      ),
  })
})
