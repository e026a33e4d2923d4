/**
 * Composes the restore command: reads the delivery journals, writes into the store what was
 * delivered, and sets where the scan starts.
 *
 * @module
 */
import { Console, Effect, Layer, Redacted } from "effect"
import { address } from "../payments/domain/payment.ts"
import { base } from "../payments/domain/x402/terms.ts"
import { readJournal } from "../payments/DeliveryJournal.ts"
import * as chain from "../payments/chain/chain.ts"
import { addDelivered, scanSince } from "../payments/postgres/restore.ts"
import * as simulated from "../payments/simulated/facilitator.ts"
import * as signatures from "../payments/wasmSignatures.ts"
import { layerPostgres } from "../postgres/client.ts"
import type { RestoreCommand } from "./arguments.ts"
import { InvalidArguments } from "./commandLine.ts"
import { loadRestore, type RestoreSettings } from "./settings.ts"
import type { GetVariable } from "./variables.ts"

/** Runs the command, and prints what it did. Running it again changes nothing more. */
export const restore = Effect.fnUntraced(
  function* ({ journals, since }: RestoreCommand, get: GetVariable) {
    const settings = yield* loadRestore(since !== null, get)
    const delivered = new Set(
      (yield* Effect.forEach(journals, journalIn)).flatMap((ids) => [...ids]),
    )
    const database = layerPostgres({ url: settings.databaseUrl, maxConnections: 1 })
    yield* Effect.gen(function* () {
      if (settings.scan !== null && since !== null) {
        const { payTo, chain } = settings.scan
        const { chainId, asset } = (chain === "simulated" ? base : chain.network).usdc
        const account = { chainId, asset: address(asset), payTo: address(payTo) }
        yield* Effect.provide(scanSince(account, since), chainLayer(chain))
        yield* Console.log(`The scan will read the chain from block ${since}`)
      }
      if (journals.length > 0) {
        const added = yield* addDelivered(delivered)
        yield* Console.log(
          `${delivered.size} delivered answers in the journals, of which the store did not know ${added}`,
        )
      }
    }).pipe(Effect.provide(database))
  },
)

const journalIn = (folder: string) =>
  Effect.try(() => readJournal(folder)).pipe(
    Effect.mapError(() =>
      new InvalidArguments({
        message: `Cannot restore: ${folder} is not a folder with a readable delivery journal`,
      })
    ),
  )

const chainLayer = (settings: NonNullable<RestoreSettings["scan"]>["chain"]) =>
  settings === "simulated" ? simulated.layer.pipe(Layer.provide(signatures.layer)) : chain.layer({
    rpcUrls: Redacted.value(settings.rpcUrls),
    finality: settings.finality,
    chainId: settings.network.usdc.chainId,
  })
