/**
 * The entry point of a person's tasks for refunds: list, requeue, settle. Needs the login that owns
 * the tables.
 *
 * Exit code 2: the arguments are wrong. 1: the refund cannot be moved like this, or the store failed.
 *
 * @module
 */
import "./core/fiberContext.ts"
import { Cause, Console, Effect, Exit, Layer } from "effect"
import { stopReason } from "./app/console.ts"
import { parseReview } from "./app/arguments.ts"
import { InvalidArguments } from "./app/commandLine.ts"
import { runReview } from "./app/refundReview.ts"
import { loadMigration } from "./app/settings.ts"
import { commandArguments } from "./app/untilSignal.ts"
import { layer as reviewLayer } from "./payments/postgres/refundReview.ts"
import { ReviewRefused } from "./payments/refunds/RefundReview.ts"
import { layerPostgres } from "./postgres/client.ts"

const invalidArgumentsCode = 2

const program = Effect.gen(function* () {
  const command = yield* parseReview(commandArguments())
  if (command === null) return
  const { databaseUrl } = yield* loadMigration((name) => Deno.env.get(name))
  const store = reviewLayer.pipe(
    Layer.provide(layerPostgres({ url: databaseUrl, maxConnections: 1 })),
  )
  yield* Effect.flatMap(Effect.provide(runReview(command), Layer.fresh(store)), Console.log)
}).pipe(Effect.scoped)

const exit = await Effect.runPromiseExit(program)
if (Exit.isFailure(exit)) {
  const error = Cause.squash(exit.cause)
  const known = error instanceof InvalidArguments || error instanceof ReviewRefused
  await Effect.runPromise(Console.error(known ? error.message : stopReason(exit.cause)))
  Deno.exit(error instanceof InvalidArguments ? invalidArgumentsCode : 1)
}
