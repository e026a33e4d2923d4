/**
 * The arguments of `deno task restore`.
 *
 * @module
 */
import { Effect, Schema } from "effect"

/** The arguments of a command cannot be used. The process ends with code 2. */
export class InvalidArguments
  extends Schema.TaggedError<InvalidArguments>()("InvalidArguments", { message: Schema.String }) {}

interface RestoreArguments {
  /** Folders of delivery journals. */
  readonly journals: ReadonlyArray<string>
  /** The first block that the scan reads again; null to continue where the backup ends. */
  readonly since: bigint | null
}

const usage = "Use: deno task restore --journal FOLDER [--journal FOLDER ...] [--since BLOCK]"
const foldersMax = 100

/** Reads the arguments. At least one of the two options is required. */
export const parseRestore = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const journals: Array<string> = []
  let since: bigint | null = null
  for (let at = 0; at < args.length; at += 2) {
    const [option, value] = [args[at], args[at + 1]]
    if (option !== "--journal" && option !== "--since") {
      return yield* invalid(`${option} is not an option`)
    }
    if (value === undefined || value === "" || value.startsWith("--")) {
      return yield* invalid(`${option} needs a value`)
    }
    if (option === "--journal") journals.push(value)
    else if (since !== null) return yield* invalid("--since can be given once")
    else if (!/^[1-9]\d{0,14}$/.test(value)) {
      return yield* invalid(`--since must be the number of a block, and is ${value}`)
    } else since = BigInt(value)
  }
  if (journals.length === 0 && since === null) return yield* invalid("there is nothing to restore")
  if (journals.length > foldersMax) {
    return yield* invalid(`at most ${foldersMax} journals can be given`)
  }
  return { journals, since } satisfies RestoreArguments
})

export const invalid = (reason: string) =>
  Effect.fail(new InvalidArguments({ message: `Cannot restore: ${reason}. ${usage}` }))
