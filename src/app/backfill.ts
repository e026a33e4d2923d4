/**
 * Composes the backfill, which reads the history of every tracked wallet and prints its progress.
 *
 * @module
 */
import { Console, Duration, Effect, Layer, Logger, References, Schema } from "effect"
import { Backfill, type ProgressListener } from "../whales/Backfill.ts"
import * as walletStore from "../whales/postgres/walletStore.ts"
import { Tracking } from "../whales/Tracking.ts"
import { WalletHistory } from "../whales/WalletHistory.ts"
import { WalletStore } from "../whales/WalletStore.ts"
import { progressBar, progressLine, trackingLine } from "./console.ts"
import type { BackfillSettings } from "./settings.ts"
import { databaseLayer, venueClientLayer } from "./venuePorts.ts"

/** No wallet is tracked, and the leaderboards returned none. */
class NoTrackedWallets extends Schema.TaggedError<NoTrackedWallets>()("NoTrackedWallets", {}) {
  override get message() {
    return "Cannot backfill: no wallet is tracked, and the leaderboards list none. Run it again later"
  }
}

/** Update intervals: of the progress bar in a terminal, of the progress lines elsewhere. */
const barEvery = Duration.millis(250)
const lineEvery = Duration.minutes(1)

const terminal = Deno.stdout.isTerminal()
const encoder = new TextEncoder()

/** Replaces the line of the progress bar. */
const overwrite = (text: string) =>
  Effect.sync(() => void Deno.stdout.writeSync(encoder.encode(`\r\x1b[K${text}`)))

const listener: ProgressListener = terminal
  ? {
    every: barEvery,
    onProgress: (progress) => overwrite(progressBar(progress, Deno.consoleSize().columns)),
  }
  : { every: lineEvery, onProgress: (progress) => Console.log(progressLine(progress)) }

/** Clears the progress bar before each log line. */
const logger = terminal
  ? Logger.map(
    Logger.formatSimple,
    (line) => void Deno.stdout.writeSync(encoder.encode(`\r\x1b[K${line}\n`)),
  )
  : Logger.consoleJson

/**
 * Reads the missing history of every wallet. Without tracked wallets it reads the leaderboards
 * first.
 */
export const backfill = Effect.fnUntraced(function* (settings: BackfillSettings) {
  const services = yield* Layer.build(servicesLayer(settings))
  return yield* work.pipe(
    Effect.provide(services),
    Effect.ensuring(terminal ? overwrite("") : Effect.void),
    Effect.onInterrupt(() => Console.log("Stopped: run it again to continue")),
  )
})

const work = Effect.gen(function* () {
  const store = yield* WalletStore
  const tracking = yield* Tracking
  const backfill = yield* Backfill
  if ((yield* store.tracked).length === 0) {
    yield* Console.log("No wallet is tracked yet: reading the leaderboards")
    yield* Console.log(trackingLine(yield* tracking.update))
    if ((yield* store.tracked).length === 0) return yield* new NoTrackedWallets()
  }
  return yield* backfill.run(listener)
})

const servicesLayer = (settings: BackfillSettings) =>
  Layer.mergeAll(Tracking.layer, Backfill.layer.pipe(Layer.provide(WalletHistory.layer))).pipe(
    Layer.provideMerge(walletStore.layer),
    Layer.provide(venueClientLayer(settings)),
    Layer.provide(databaseLayer(settings)),
    Layer.provideMerge(Layer.succeed(References.MinimumLogLevel, settings.logLevel)),
    Layer.provideMerge(Logger.layer([logger])),
  )
