/**
 * Group commit: concurrent commands share one statement.
 *
 * A command runs at once if no statement is running. Commands that arrive while one runs wait for
 * its end and share the next statement: the higher the load, the fewer commits per command. This is
 * Effect's request batching with a gate as its delay. Effect's `SqlResolver` would encode every
 * command with a Schema, and one command that the database refuses would fail its whole batch.
 *
 * @module
 */
import { Array, Context, Effect, Exit, Latch, Option, Request, RequestResolver } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

/** The most commands in one statement. */
const commandsMax = 64
/** Later commands wait at most this long for a running statement, which may wait for a row lock. */
const waitMax = "200 millis"
/** How many commands of a refused statement are retried at the same time, one statement each. */
const retryConcurrency = 4

interface GroupCommitOptions<In, Out, Row> {
  /** The row that a command changes; the command itself, if each has a result of its own. */
  readonly rowOf: (command: In) => Row
  /** Runs commands for different rows in one statement. Returns the result of each changed row. */
  readonly runBatch: (
    commands: Array.NonEmptyReadonlyArray<In>,
  ) => Effect.Effect<ReadonlyMap<Row, Out>, SqlError>
}

interface Command<In, Out> extends Request.Request<Option.Option<Out>, SqlError> {
  readonly command: In
}

type Entries<In, Out> = Array.NonEmptyReadonlyArray<Request.Entry<Command<In, Out>>>

/**
 * Turns `runBatch` into a function of one command, which returns none if its row was not changed.
 * Commands for one row run in the order of their arrival. A statement that the database refuses is
 * retried command by command, so that no command fails because of another. A statement with an
 * unknown outcome fails for all its commands. Interruption cancels a command whose statement has
 * not started.
 */
export const groupCommit = Effect.fnUntraced(function* <In, Out, Row = string>(
  { rowOf, runBatch }: GroupCommitOptions<In, Out, Row>,
) {
  const { transactionService } = yield* SqlClient
  const gate = Latch.makeUnsafe(true)
  let running = 0

  const run = (entries: Entries<In, Out>): Effect.Effect<void> =>
    Effect.flatMap(
      Effect.exit(runBatch(Array.map(entries, commandOf))),
      (exit) => {
        if (entries.length > 1 && wasRefused(exit)) {
          return Effect.forEach(entries, (entry) => run([entry]), {
            concurrency: retryConcurrency,
            discard: true,
          })
        }
        for (const entry of entries) {
          entry.completeUnsafe(
            Exit.map(exit, (changed) => Option.fromNullishOr(changed.get(rowOf(commandOf(entry))))),
          )
        }
        return Effect.void
      },
    )

  const runAll = (entries: Entries<In, Out>) =>
    Effect.suspend(() => {
      running += 1
      gate.closeUnsafe()
      return Effect.forEach(oncePerRow(entries, rowOf), run, { discard: true })
    }).pipe(
      Effect.ensuring(Effect.sync(() => {
        running -= 1
        if (running === 0) gate.openUnsafe()
      })),
    )

  const resolver = RequestResolver.makeWith<Command<In, Out>>({
    // Commands of a transaction are batched with commands of the same transaction only.
    batchKey: ({ context }) => Context.getOrUndefined(context, transactionService),
    delay: Effect.andThen(
      Effect.yieldNow,
      Effect.suspend(() => gate.isOpen() ? Effect.void : Effect.timeoutOption(gate.await, waitMax)),
    ),
    collectWhile: (entries) => entries.size < commandsMax,
    runAll,
  })
  const command = Request.of<Command<In, Out>>()
  return (input: In) => Effect.request(command({ command: input }), resolver)
})

const commandOf = <In, Out>({ request }: Request.Entry<Command<In, Out>>) => request.command

/** Errors after which nothing of the statement has been done. */
const refusals: ReadonlySet<string> = new Set(
  [
    "ConstraintError",
    "UniqueViolation",
    "DeadlockError",
    "SerializationError",
    "LockTimeoutError",
    "UnknownError",
  ] satisfies ReadonlyArray<SqlError["reason"]["_tag"]>,
)

function wasRefused(exit: Exit.Exit<unknown, SqlError>): boolean {
  return Option.exists(
    Exit.findErrorOption(exit),
    ({ reason }) => refusals.has(reason._tag),
  )
}

/** Splits `entries` into rounds with at most one command per row, in order of arrival. */
function oncePerRow<In, Out, Row>(
  entries: Entries<In, Out>,
  rowOf: (command: In) => Row,
): ReadonlyArray<Entries<In, Out>> {
  const rounds: Array<Array.NonEmptyArray<Request.Entry<Command<In, Out>>>> = []
  const seen = new Map<Row, number>()
  for (const entry of entries) {
    const row = rowOf(commandOf(entry))
    const round = seen.get(row) ?? 0
    seen.set(row, round + 1)
    const existing = rounds[round]
    if (existing === undefined) rounds.push([entry])
    else existing.push(entry)
  }
  return rounds
}
