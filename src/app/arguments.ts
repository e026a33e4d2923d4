/**
 * The arguments of each command. A null instead of arguments: the help was printed.
 *
 * @module
 */
import { Effect, Option, Schema } from "effect"
import { Argument, Flag } from "effect/cli"
import { PaymentId } from "../payments/domain/payment.ts"
import { refundStates } from "../payments/domain/refund.ts"
import { InvalidArguments, readArguments } from "./commandLine.ts"
import { helpOf } from "./help.ts"

/** A command that takes no arguments. */
const parseNone = <const Kind extends string>(
  kind: Kind,
  args: ReadonlyArray<string>,
) =>
  Effect.map(
    readArguments({ name: `deno task ${kind}`, description: helpOf(kind) ?? "", config: {} }, args),
    (read) => read && { kind },
  )

/** `role`: the process whose settings are checked. */
const parseCheck = (args: ReadonlyArray<string>) =>
  Effect.map(
    readArguments({
      name: "deno task check",
      description: helpOf("check") ?? "",
      config: {
        role: Flag.Literals("role", ["service", "refunds", "migrate"]).pipe(
          Flag.withDefault("service"),
          Flag.withDescription("The process that is checked; service by default"),
        ),
        json: Flag.Boolean("json").pipe(
          Flag.withDefault(false),
          Flag.withDescription("Print one JSON object"),
        ),
      },
    }, args),
    (read) => read && { kind: "check" as const, ...read },
  )

const foldersMax = 100

/** At least one of the two options is required. `since` is null to continue where the backup ends. */
const parseRestore = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const read = yield* readArguments({
    name: "deno task restore",
    description: "After a restore from a backup, as the owner of the tables: records what was " +
      "delivered, so that it is not refunded. At least one option is required.",
    config: {
      journals: Flag.String("journal").pipe(
        Flag.filter((folder) => folder !== "", () => "the path of a folder"),
        Flag.between(0, foldersMax),
        Flag.withDescription("Folder of a delivery journal; may be given several times"),
      ),
      since: Flag.String("since").pipe(
        Flag.filter(
          (block) => /^[1-9]\d{0,14}$/.test(block),
          (block) => `the number of a block, not ${block}`,
        ),
        Flag.map(BigInt),
        Flag.optional,
        Flag.withDescription("First block that the scan reads again"),
      ),
    },
  }, args)
  if (read === null) return null
  const { journals, since } = read
  if (journals.length === 0 && Option.isNone(since)) {
    return yield* new InvalidArguments({
      message: "There is nothing to restore. deno task restore --help shows what it takes",
    })
  }
  return { kind: "restore" as const, journals, since: Option.getOrNull(since) }
})

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

const ofRefund = {
  paymentId: Argument.String("payment-id").pipe(
    Argument.filterMap(
      Schema.decodeUnknownOption(PaymentId),
      () => "0x and 64 hexadecimal digits in lower case",
    ),
    Argument.withDescription("0x and 64 hexadecimal digits in lower case"),
  ),
  person: text("by", personLengthMax, "Your name"),
  note: text("note", noteLengthMax, "Why"),
}

const parseList = (args: ReadonlyArray<string>) =>
  readArguments({
    name: "deno task refunds:list",
    description: "Lists open refunds by state, as the owner of the tables.",
    config: {
      state: Flag.Literals("state", refundStates).pipe(
        Flag.optional,
        Flag.withDescription("Only those in this state"),
      ),
    },
  }, args)

const parseRequeue = (args: ReadonlyArray<string>) =>
  readArguments({
    name: "deno task refunds:requeue",
    description: "Queues a refund again.",
    config: {
      ...ofRefund,
      approveAmount: Flag.Boolean("approve-amount").pipe(
        Flag.withDefault(false),
        Flag.withDescription("Pay it although it is more than the dearest product"),
      ),
    },
  }, args)

const parseSettle = (args: ReadonlyArray<string>) =>
  readArguments({
    name: "deno task refunds:settle",
    description: "Records that a person has settled a refund.",
    config: {
      ...ofRefund,
      transaction: Flag.String("transaction").pipe(
        Flag.filter(
          (hash) => /^0x[0-9a-f]{64}$/.test(hash),
          () => "0x and 64 hexadecimal digits in lower case",
        ),
        Flag.optional,
        Flag.withDescription("The transaction that paid it"),
      ),
    },
  }, args)

const taskOf = (
  { paymentId, person, note }: {
    readonly paymentId: PaymentId
    readonly person: string
    readonly note: string
  },
) => ({ paymentId, record: { person, note } })

/** The command and its arguments; null when its help was printed instead. */
export const readCommand = Effect.fnUntraced(
  function* ([name, ...args]: ReadonlyArray<string>) {
    switch (name) {
      case "dev":
      case "start":
      case "refunds":
      case "migrate":
        return yield* parseNone(name, args)
      case "check":
        return yield* parseCheck(args)
      case "restore":
        return yield* parseRestore(args)
      case "refunds:list": {
        const read = yield* parseList(args)
        return read && { kind: name, state: Option.getOrNull(read.state) }
      }
      case "refunds:requeue": {
        const read = yield* parseRequeue(args)
        return read && { kind: name, ...taskOf(read), approveAmount: read.approveAmount }
      }
      case "refunds:settle": {
        const read = yield* parseSettle(args)
        return read &&
          { kind: name, ...taskOf(read), transaction: Option.getOrNull(read.transaction) }
      }
      default:
        return yield* new InvalidArguments({
          message: "Name a command: dev, start, refunds, check, migrate, restore, refunds:list, " +
            "refunds:requeue or refunds:settle",
        })
    }
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
