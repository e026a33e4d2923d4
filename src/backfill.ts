/**
 * Reads the past of every tracked wallet: the task backfill, a process of its own.
 *
 * It works on the same venue and store as the service, beside it where the store is a server. It can
 * be stopped at any time, and goes on where it was. A store in which no wallet is tracked yet gets
 * those of the leaderboards first.
 *
 * @module
 */
import { Cause, Console, Duration, Effect, Exit, Layer, Logger } from "effect"
import { References, Schema } from "effect"
import * as walletStore from "./whales/postgres/walletStore.ts"
import { whyStopped } from "./app/announce.ts"
import { progressBar, progressLine, summary, trackingLine } from "./app/backfillLines.ts"
import { Backfill, type Watcher } from "./whales/Backfill.ts"
import { Tracking } from "./whales/Tracking.ts"
import { WalletHistory } from "./whales/WalletHistory.ts"
import { WalletStore } from "./whales/WalletStore.ts"
import { type BackfillSettings, loadBackfill } from "./app/settings.ts"
import { untilSignal } from "./app/untilSignal.ts"
import { databaseLayer, venueLayer } from "./app/venuePorts.ts"

/** There is nobody whose past could be read. */
class NothingTracked extends Schema.TaggedError<NothingTracked>()("NothingTracked", {}) {
  override get message() {
    return "No wallet is tracked: the leaderboards gave none. Run it again later"
  }
}

/** How often the bar moves in a terminal, and how often a log is written to where there is none. */
const barEvery = Duration.millis(250)
const lineEvery = Duration.minutes(1)

const terminal = Deno.stdout.isTerminal()
const encoder = new TextEncoder()

/** Writes over the line the bar stands in. */
const overwrite = (text: string) =>
  Effect.sync(() => void Deno.stdout.writeSync(encoder.encode(`\r\x1b[K${text}`)))

const watcher: Watcher = terminal
  ? {
    every: barEvery,
    tell: (progress) => overwrite(progressBar(progress, Deno.consoleSize().columns)),
  }
  : { every: lineEvery, tell: (progress) => Console.log(progressLine(progress)) }

/** A warning must not stand behind a bar, nor a bar behind a warning. */
const logger = terminal
  ? Logger.map(
    Logger.formatSimple,
    (line) => void Deno.stdout.writeSync(encoder.encode(`\r\x1b[K${line}\n`)),
  )
  : Logger.consoleJson

const servicesLayer = (settings: BackfillSettings) =>
  Layer.mergeAll(Tracking.layer, Backfill.layer.pipe(Layer.provide(WalletHistory.layer))).pipe(
    Layer.provideMerge(walletStore.layer),
    Layer.provide(venueLayer(settings)),
    Layer.provide(databaseLayer(settings)),
    Layer.provideMerge(Layer.succeed(References.MinimumLogLevel, settings.logLevel)),
    Layer.provideMerge(Logger.layer([logger])),
  )

const program = Effect.gen(function* () {
  const settings = yield* loadBackfill((name) => Deno.env.get(name))
  yield* Console.log(banner(settings))
  const services = yield* Layer.build(servicesLayer(settings))
  const work = Effect.gen(function* () {
    const store = yield* WalletStore
    const tracking = yield* Tracking
    const backfill = yield* Backfill
    if ((yield* store.tracked).length === 0) {
      yield* Console.log("No wallet is tracked yet: reading the leaderboards")
      yield* Console.log(trackingLine(yield* tracking.update))
      if ((yield* store.tracked).length === 0) return yield* new NothingTracked()
    }
    return yield* backfill.run(watcher)
  })
  return yield* work.pipe(
    Effect.provide(services),
    Effect.ensuring(terminal ? overwrite("") : Effect.void),
    Effect.onInterrupt(() => Console.log("Stopped: run it again, and it goes on where it was")),
  )
}).pipe(Effect.scoped)

function banner({ venue, database }: BackfillSettings): string {
  const store = database.kind === "postgres" ? "PostgreSQL at DATABASE_URL" : database.dir
  const told = venue.kind === "simulated" ? `simulated, seed ${venue.seed}` : venue.kind
  return `Bellwether 1.0.0, backfill\n  venue     ${told}\n  store     ${store}`
}

const exit = await untilSignal(program)
if (Exit.isSuccess(exit)) await Effect.runPromise(Console.log(summary(exit.value)))
else if (!Cause.hasInterruptsOnly(exit.cause)) {
  const error = Cause.squash(exit.cause)
  await Effect.runPromise(
    Console.error(error instanceof NothingTracked ? error.message : whyStopped(exit.cause)),
  )
}
Deno.exit(Exit.isSuccess(exit) && exit.value.failed === 0 ? 0 : 1)
