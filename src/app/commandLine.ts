/**
 * The arguments of a command, read by `effect/cli`. Reading never starts the command's work: with
 * `--help` it prints the help, and wrong arguments are one line.
 *
 * @module
 */
import { Console, Effect, FileSystem, Layer, Path, Schema, Stdio, Terminal } from "effect"
import { CliConfig, CliOutput, Command, GlobalFlag } from "effect/cli"
import { ChildProcessSpawner } from "effect/process"

/** The arguments of a command cannot be used. The process ends with code 2. */
export class InvalidArguments
  extends Schema.TaggedError<InvalidArguments>()("InvalidArguments", { message: Schema.String }) {}

interface CommandLine<Config extends Command.Command.Config> {
  /** As it is typed, such as `deno task check`. */
  readonly name: string
  /** What it does, and what else `--help` says. */
  readonly description: string
  readonly config: Config
}

/**
 * Reads arguments. Null when `--help` was among them: the help was printed, and nothing is to be done.
 */
export const readArguments = Effect.fnUntraced(
  function* <const Config extends Command.Command.Config>(
    { name, description, config }: CommandLine<Config>,
    args: ReadonlyArray<string>,
  ) {
    let read: Command.Command.Config.Infer<Config> | null = null
    const command = Command.make(
      name,
      config,
      (input) => Effect.sync(() => void (read = input)),
    ).pipe(Command.withDescription(description))
    const refused: Array<string> = []
    yield* Command.runWith(command, { version: "" })(args).pipe(
      Effect.provideService(CliOutput.Presenter, presenter(refused)),
      Effect.provide(outside),
      Effect.mapError(() => {
        const reason = refused.join("; ").replace(/\s+/g, " ")
        return new InvalidArguments({ message: `${reason}. ${name} --help shows what it takes` })
      }),
    )
    return read as Command.Command.Config.Infer<Config> | null
  },
)

const formatter = CliOutput.defaultFormatter({ colors: false })

/** Prints help, and collects what is wrong with the arguments. */
const presenter = (refused: Array<string>): CliOutput.Presenter => ({
  present: (event) =>
    event._tag === "InvalidInvocation"
      ? Effect.sync(() => void refused.push(...event.errors.map(({ message }) => message)))
      : Console.log(event._tag === "Help" ? formatter.formatHelpDoc(event.helpDoc) : ""),
})

/** `effect/cli` can read files and ask questions; our commands do neither while arguments are read. */
const outside = Layer.mergeAll(
  CliConfig.layer({ builtIns: [GlobalFlag.Help] }),
  FileSystem.layerNoop({}),
  Path.layer,
  Stdio.layerTest({}),
  Layer.mock(Terminal.Terminal, {
    "~effect/Terminal": "~effect/Terminal",
    columns: Effect.succeed(80),
  }),
  Layer.mock(ChildProcessSpawner.ChildProcessSpawner, {}),
)
