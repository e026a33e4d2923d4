/**
 * What a bench needs: its arguments, and from the machine a database of its own, and programs. Without
 * one of them the bench ends with one line that says what to do.
 *
 * @module
 */
import { Console, Context, Effect, Exit, Layer, Redacted } from "effect"
import { Argument, type Command } from "effect/cli"
import { SqlClient } from "effect/sql/SqlClient"
import { layerPostgres } from "../src/postgres/client.ts"
import { taskArguments } from "../tests/support/program.ts"

/** The arguments of `deno task bench:…`. */
export const benchArguments = <const Config extends Command.Command.Config>(
  name: string,
  config: Config,
) => taskArguments(`bench:${name}`, config)

/** A count among the arguments, by its place. */
export const count = (name: string, otherwise: number) =>
  Argument.Int(name).pipe(
    Argument.filter((value) => value > 0, () => "a whole number above 0"),
    Argument.withDefault(otherwise),
    Argument.withDescription(`${otherwise} by default`),
  )

const serverDefault = "postgres://postgres@127.0.0.1:5432/postgres"
/** A drop waits for a checkpoint, which may exceed the time limit of a statement. */
const dropRetriesMax = 5

/**
 * The URL of a new database on the server of TEST_DATABASE_URL, or of 127.0.0.1:5432. It is dropped
 * when the scope closes.
 */
export const benchDatabase = Effect.gen(function* () {
  const server = new URL(Deno.env.get("TEST_DATABASE_URL") || serverDefault)
  const name = `bench_${crypto.randomUUID().replaceAll("-", "").slice(0, 16)}`
  const client = layerPostgres({ url: Redacted.make(server.href), maxConnections: 1 })
  const created = Effect.gen(function* () {
    const sql = Context.get(yield* Layer.build(Layer.fresh(client)), SqlClient)
    yield* Effect.acquireRelease(
      sql.unsafe(`CREATE DATABASE ${name}`),
      () =>
        Effect.ignore(
          Effect.retry(sql.unsafe(`DROP DATABASE ${name} WITH (FORCE)`), { times: dropRetriesMax }),
        ),
    )
  })
  if (Exit.isFailure(yield* Effect.exit(created))) {
    return missing(
      `a PostgreSQL at ${server.host}: start one, or set TEST_DATABASE_URL to a database whose login ` +
        "may create others",
    )
  }
  server.pathname = `/${name}`
  return server.href
})

/** Ends the bench when a program is not installed. `install` is the command that installs it. */
export function needProgram(program: string, install: string): void {
  const folders = (Deno.env.get("PATH") ?? "").split(":")
  if (!folders.some((folder) => isFile(`${folder}/${program}`))) {
    missing(`the program ${program}: ${install}`)
  }
}

/** Ends the bench with the line that says what it needs. */
export function missing(what: string): never {
  Effect.runSync(Console.error(`This bench needs ${what}`))
  Deno.exit(1)
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile
  } catch {
    return false
  }
}
