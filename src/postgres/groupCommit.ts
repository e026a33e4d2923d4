/**
 * Group commit: commands that come in at the same time go to the database in one statement.
 *
 * A command that finds nothing under way starts at once. Those that come while a statement is under
 * way wait for its end and share the next one: the busier the store, the fewer its commits. This is
 * Effect's request batching with a gate for its delay. Its `SqlResolver` would encode and decode every
 * command by a Schema, and does not part a poisoned command from its neighbours.
 *
 * @module
 */
import { Array, Context, Effect, Exit, Latch, Option, Request, RequestResolver } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

/** Commands in one statement at most. */
const commandsMax = 64
/** A statement that takes longer, on a locked row perhaps, holds up nobody who comes after it. */
const patience = "200 millis"
/** Commands of a refused statement that are done at once, each by itself. */
const redoneAtOnce = 4

interface GroupCommitOptions<In, Out> {
  /** The row a command is for. */
  readonly rowOf: (command: In) => string
  /** Does commands for different rows in one statement; gives what it made of each row it changed. */
  readonly together: (
    commands: Array.NonEmptyReadonlyArray<In>,
  ) => Effect.Effect<ReadonlyMap<string, Out>, SqlError>
  /** How long the first command waits for others to join it; without it, a turn of the event loop. */
  readonly gather?: Effect.Effect<void>
}

interface Command<In, Out> extends Request.Request<Option.Option<Out>, SqlError> {
  readonly command: In
}

type Entries<In, Out> = Array.NonEmptyReadonlyArray<Request.Entry<Command<In, Out>>>

/**
 * Makes `together` a function of one command; none when its row was not changed. Commands for one row
 * are done in the order in which they came. A statement that the database refuses is done again,
 * command by command, so that none fails for another; one whose outcome is unknown has failed for all
 * of them. Whoever is interrupted takes back a command that is not under way yet, and no other.
 */
export const groupCommit = Effect.fnUntraced(function* <In, Out>(
  { rowOf, together, gather = Effect.yieldNow }: GroupCommitOptions<In, Out>,
) {
  const { transactionService } = yield* SqlClient
  const gate = Latch.makeUnsafe(true)
  let underWay = 0

  const done = (entries: Entries<In, Out>): Effect.Effect<void> =>
    Effect.flatMap(
      Effect.exit(together(Array.map(entries, commandOf))),
      (exit) => {
        if (entries.length > 1 && wasRefused(exit)) {
          return Effect.forEach(entries, (entry) => done([entry]), {
            concurrency: redoneAtOnce,
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
      underWay += 1
      gate.closeUnsafe()
      return Effect.forEach(oncePerRow(entries, rowOf), done, { discard: true })
    }).pipe(
      Effect.ensuring(Effect.sync(() => {
        underWay -= 1
        if (underWay === 0) gate.openUnsafe()
      })),
    )

  const resolver = RequestResolver.makeWith<Command<In, Out>>({
    // What is done inside of a transaction shares its statement with that transaction alone.
    batchKey: ({ context }) => Context.getOrUndefined(context, transactionService),
    delay: Effect.andThen(
      gather,
      Effect.suspend(() =>
        gate.isOpen() ? Effect.void : Effect.timeoutOption(gate.await, patience)
      ),
    ),
    collectWhile: (entries) => entries.size < commandsMax,
    runAll,
  })
  const command = Request.of<Command<In, Out>>()
  return (given: In) => Effect.request(command({ command: given }), resolver)
})

const commandOf = <In, Out>({ request }: Request.Entry<Command<In, Out>>) => request.command

/** The database has said no, so nothing of the statement was done. */
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

/** Cuts `entries` into rounds without two for one row; the first of a row are in the first round. */
function oncePerRow<In, Out>(
  entries: Entries<In, Out>,
  rowOf: (command: In) => string,
): ReadonlyArray<Entries<In, Out>> {
  const rounds: Array<Array.NonEmptyArray<Request.Entry<Command<In, Out>>>> = []
  const seen = new Map<string, number>()
  for (const entry of entries) {
    const row = rowOf(commandOf(entry))
    const round = seen.get(row) ?? 0
    seen.set(row, round + 1)
    const known = rounds[round]
    if (known === undefined) rounds.push([entry])
    else known.push(entry)
  }
  return rounds
}
