/**
 * The arguments of each command. A null instead of arguments: the help was printed.
 *
 * @module
 */
import { Effect, Option, Schema } from "effect"
import { Argument, type Command as Cli, Flag } from "effect/cli"
import { PaymentId } from "../payments/domain/payment.ts"
import { refundStates } from "../payments/domain/refund.ts"
import { InvalidArguments, readArguments } from "./commandLine.ts"
import { helpOf } from "./help.ts"

/** A reader of a command's arguments. `config`: what they are, and how they are read. */
const command = <const Kind extends string, const Config extends Cli.Command.Config>(
  kind: Kind,
  config: Config,
  description = helpOf(kind) ?? "",
) =>
(args: ReadonlyArray<string>) =>
  Effect.map(
    readArguments({ name: `deno task ${kind}`, description, config }, args),
    (read) => read && { kind, ...read },
  )

const foldersMax = 100
const personLengthMax = 100
const noteLengthMax = 1_000

const text = (name: string, lengthMax: number, description: string) =>
  Flag.String(name).pipe(
    Flag.map((given) => given.trim()),
    Flag.filter(
      (given) => given !== "" && given.length <= lengthMax,
      () => `a text of at most ${lengthMax} characters`,
    ),
    Flag.withDescription(description),
  )

const orNull = <A>(flag: Flag.Flag<A>) => Flag.optional(flag).pipe(Flag.map(Option.getOrNull))

const ofRefund = {
  paymentId: Argument.String("payment-id").pipe(
    Argument.filterMap(
      Schema.decodeUnknownOption(PaymentId),
      () => "0x and 64 hexadecimal digits in lower case",
    ),
    Argument.withDescription("0x and 64 hexadecimal digits in lower case"),
  ),
  /** Who decided it, and why. */
  record: {
    person: text("by", personLengthMax, "Your name"),
    note: text("note", noteLengthMax, "Why"),
  },
}

const readRestore = command(
  "restore",
  {
    journals: Flag.String("journal").pipe(
      Flag.filter((folder) => folder !== "", () => "the path of a folder"),
      Flag.between(0, foldersMax),
      Flag.withDescription("Folder of a delivery journal; may be given several times"),
    ),
    /** Null to continue where the backup ends. */
    since: Flag.String("since").pipe(
      Flag.filter(
        (block) => /^[1-9]\d{0,14}$/.test(block),
        (block) => `the number of a block, not ${block}`,
      ),
      Flag.map(BigInt),
      orNull,
      Flag.withDescription("First block that the scan reads again"),
    ),
  },
  "After a restore from a backup, as the owner of the tables: records what was delivered, so that it " +
    "is not refunded. At least one option is required.",
)

const commands = {
  dev: command("dev", {}),
  start: command("start", {}),
  refunds: command("refunds", {}),
  check: command("check", {}),
  migrate: command("migrate", {}),
  restore: (args: ReadonlyArray<string>) =>
    Effect.filterOrFail(
      readRestore(args),
      (read) => read === null || read.journals.length > 0 || read.since !== null,
      () =>
        new InvalidArguments({
          message: "There is nothing to restore. deno task restore --help shows what it takes",
        }),
    ),
  "refunds:list": command("refunds:list", {
    state: Flag.Literals("state", refundStates).pipe(
      orNull,
      Flag.withDescription("Only those in this state"),
    ),
  }, "Lists open refunds by state, as the owner of the tables."),
  "refunds:requeue": command("refunds:requeue", {
    ...ofRefund,
    approveAmount: Flag.Boolean("approve-amount").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Pay it although it is more than the dearest product"),
    ),
  }, "Queues a refund again."),
  "refunds:settle": command("refunds:settle", {
    ...ofRefund,
    transaction: Flag.String("transaction").pipe(
      Flag.filter(
        (hash) => /^0x[0-9a-f]{64}$/.test(hash),
        () => "0x and 64 hexadecimal digits in lower case",
      ),
      orNull,
      Flag.withDescription("The transaction that paid it"),
    ),
  }, "Records that a person has settled a refund."),
}

const isCommand = (name: string): name is keyof typeof commands => Object.hasOwn(commands, name)

/** The command and its arguments; null when its help was printed instead. */
export const readCommand = Effect.fnUntraced(
  function* ([name = "", ...args]: ReadonlyArray<string>) {
    return isCommand(name) ? yield* commands[name](args) : yield* new InvalidArguments({
      message: `Name a command: ${Object.keys(commands).join(", ")}`,
    })
  },
)

export type Command = NonNullable<Effect.Success<ReturnType<typeof readCommand>>>

/** What a person asks about refunds. */
export type ReviewCommand = Extract<
  Command,
  { readonly kind: "refunds:list" | "refunds:requeue" | "refunds:settle" }
>

/** What `restore` is to do. */
export type RestoreCommand = Extract<Command, { readonly kind: "restore" }>
