/**
 * The four whale stores together, and the laws of each on every store.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import { CalibrationStore } from "../../../src/whales/CalibrationStore.ts"
import { EntryStore } from "../../../src/whales/EntryStore.ts"
import * as calibrationStore from "../../../src/whales/postgres/calibrationStore.ts"
import * as entryStore from "../../../src/whales/postgres/entryStore.ts"
import * as walletStore from "../../../src/whales/postgres/walletStore.ts"
import * as whaleMarketStore from "../../../src/whales/postgres/whaleMarketStore.ts"
import { WalletStore } from "../../../src/whales/WalletStore.ts"
import { WhaleMarketStore } from "../../../src/whales/WhaleMarketStore.ts"
import { embeddedStore, onEveryStore } from "../stores.ts"

export type WhalePorts =
  | WalletStore
  | WhaleMarketStore
  | EntryStore
  | CalibrationStore

/** All methods of the four stores; their names are distinct. */
export type WhaleStores =
  & WalletStore["Service"]
  & WhaleMarketStore["Service"]
  & EntryStore["Service"]
  & CalibrationStore["Service"]

export const storesOf = (context: Context.Context<WhalePorts>): WhaleStores => ({
  ...Context.get(context, WalletStore),
  ...Context.get(context, WhaleMarketStore),
  ...Context.get(context, EntryStore),
  ...Context.get(context, CalibrationStore),
})

export const whaleStores = Effect.map(Effect.context<WhalePorts>(), storesOf)

export const postgresWhales = Layer.mergeAll(
  walletStore.layer,
  whaleMarketStore.layer,
  entryStore.layer,
  calibrationStore.layer,
)

/** The four ports, backed by `stores`. */
export const whalesContext = (stores: WhaleStores): Context.Context<WhalePorts> =>
  Context.make(WalletStore, stores).pipe(
    Context.add(WhaleMarketStore, stores),
    Context.add(EntryStore, stores),
    Context.add(CalibrationStore, stores),
  )

/** Empty stores in an embedded database, until the scope closes. */
export const embeddedWhales = Effect.map(
  Layer.build(Layer.provide(postgresWhales, embeddedStore)),
  storesOf,
)

type WhaleLaw = (name: string, body: (stores: WhaleStores) => Effect.Effect<void, unknown>) => void

/** The laws of a port on every store; each law starts with an empty store. */
export function onEveryWhaleStore(port: string, state: (law: WhaleLaw) => void): void {
  onEveryStore(
    port,
    (law) =>
      state((name, body) =>
        law(name, Effect.flatMap(whaleStores, body).pipe(Effect.provide(postgresWhales)))
      ),
  )
}
