/**
 * The backfill, composed: reads the past of every tracked wallet, and shows in a terminal how far it
 * has come.
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

/** There is no wallet whose past could be read. */
class NothingTracked extends Schema.TaggedError<NothingTracked>()("NothingTracked", {}) {
  override get message() {
    return "No wallet is tracked: the leaderboards gave none. Run it again later"
  }
}

/** How often the bar moves in a terminal, and how often a line is logged where there is none. */
const barEvery = Duration.millis(250)
const lineEvery = Duration.minutes(1)

const terminal = Deno.stdout.isTerminal()
const encoder = new TextEncoder()

/** Writes over the line the bar stands in. */
const overwrite = (text: string) =>
  Effect.sync(() => void Deno.stdout.writeSync(encoder.encode(`\r\x1b[K${text}`)))

const listener: ProgressListener = terminal
  ? {
    every: barEvery,
    onProgress: (progress) => overwrite(progressBar(progress, Deno.consoleSize().columns)),
  }
  : { every: lineEvery, onProgress: (progress) => Console.log(progressLine(progress)) }

/** A warning must not stand behind a bar, nor a bar behind a warning. */
const logger = terminal
  ? Logger.map(
    Logger.formatSimple,
    (line) => void Deno.stdout.writeSync(encoder.encode(`\r\x1b[K${line}\n`)),
  )
  : Logger.consoleJson

/**
 * Reads what is missing of every wallet's past. A store in which no wallet is tracked yet gets those
 * of the leaderboards first.
 */
export const backfill = Effect.fnUntraced(function* (settings: BackfillSettings) {
  const services = yield* Layer.build(servicesLayer(settings))
  return yield* work.pipe(
    Effect.provide(services),
    Effect.ensuring(terminal ? overwrite("") : Effect.void),
    Effect.onInterrupt(() => Console.log("Stopped: run it again, and it goes on where it was")),
  )
})

const work = Effect.gen(function* () {
  const store = yield* WalletStore
  const tracking = yield* Tracking
  const backfill = yield* Backfill
  if ((yield* store.tracked).length === 0) {
    yield* Console.log("No wallet is tracked yet: reading the leaderboards")
    yield* Console.log(trackingLine(yield* tracking.update))
    if ((yield* store.tracked).length === 0) return yield* new NothingTracked()
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
