/**
 * The arguments of commands: bad ones are refused with what is wrong and how to call, and help is all
 * that `--help` does.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok } from "node:assert/strict"
import { Console, Effect } from "effect"
import { readCommand } from "../../src/app/arguments.ts"
import { test } from "../support/effect.ts"

const id = `0x${"12".repeat(32)}`
const by = ["--by", "Ada", "--note", "why"]
const record = { person: "Ada", note: "why" }

type Case = readonly [command: string, args: string | ReadonlyArray<string>]
const wordsOf = (args: Case[1]) =>
  typeof args === "string" ? args.split(" ").filter((word) => word !== "") : args

const accepted: ReadonlyArray<readonly [...Case, read: object]> = [
  ["migrate", "", { kind: "migrate" }],
  ["check", "", { kind: "check" }],
  ["restore", "--journal a --since 42 --journal b,c", {
    kind: "restore",
    journals: ["a", "b,c"],
    since: 42n,
  }],
  ["restore", "--journal a", { kind: "restore", journals: ["a"], since: null }],
  ["restore", "--since 1", { kind: "restore", journals: [], since: 1n }],
  ["refunds:list", "", { kind: "refunds:list", state: null }],
  ["refunds:list", "--state needs_review", { kind: "refunds:list", state: "needs_review" }],
  [
    "refunds:requeue",
    [id, ...by],
    { kind: "refunds:requeue", paymentId: id, record, approveAmount: false },
  ],
  [
    "refunds:requeue",
    ["--approve-amount", ...by, id],
    { kind: "refunds:requeue", paymentId: id, record, approveAmount: true },
  ],
  ["refunds:settle", [id, ...by], {
    kind: "refunds:settle",
    paymentId: id,
    record,
    transaction: null,
  }],
  [
    "refunds:settle",
    [id, ...by, "--transaction", id],
    { kind: "refunds:settle", paymentId: id, record, transaction: id },
  ],
]
for (const [command, args, read] of accepted) {
  test(`${command} ${wordsOf(args).join(" ")} is read`, () =>
    Effect.gen(function* () {
      equal(yield* readCommand([command, ...wordsOf(args)]), read)
    }))
}

const refused: ReadonlyArray<readonly [...Case, because: RegExp]> = [
  ["check", "--jso", /--jso/],
  ["check", "x", /"x"/],
  ["restore", "", /nothing to restore/],
  ["restore", "--journal", /--journal/],
  ["restore", "--journal --since 4", /--journal/],
  ["restore", "--since", /--since/],
  ["restore", "--since 0", /the number of a block, not 0/],
  ["restore", "--since -1", /--since/],
  ["restore", "--since 0x10", /the number of a block/],
  ["restore", "--since 1e3", /the number of a block/],
  ["restore", "--since 9999999999999999", /the number of a block/],
  ["restore", "--since 1 --since 2", /at most 1/],
  ["restore", ".data/journal", /journal/],
  ["restore", "--journals a", /--journals/],
  ["restore", ["--journal", ""], /the path of a folder/],
  ["unknown", "", /Name a command/],
  ["refunds:list", "--state unknown", /--state/],
  ["refunds:requeue", ["0x12", ...by], /<payment-id>/],
  ["refunds:requeue", [id, id, ...by], /positional/],
  ["refunds:requeue", [id, "--note", "why"], /--by/],
  ["refunds:settle", [id, "--by", "x".repeat(101), "--note", "x"], /at most 100/],
  ["refunds:settle", [id, "--by", "Ada", "--note", "  "], /at most 1000/],
  ["refunds:settle", [id, ...by, "--transaction", "0xABC"], /--transaction/],
  ["refunds:settle", [id, ...by, "--approve-amount"], /--approve-amount/],
  ["refunds:requeue", [id, ...by, "--force"], /--force/],
  ["start", "x", /"x"/],
]
for (const [command, args, because] of refused) {
  test(`${command} ${wordsOf(args).join(" ").slice(0, 90)} is refused in one line`, () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(readCommand([command, ...wordsOf(args)]))
      equal(error._tag, "InvalidArguments")
      match(error.message, because)
      ok(!error.message.includes("\n"), error.message)
      ok(args.length === 0 || error.message.endsWith("--help shows what it takes"), error.message)
    }))
}

test("--help prints what a command takes, and reads nothing else", () =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const console = { ...globalThis.console, log: (text: string) => void lines.push(text) }
    const asked: ReadonlyArray<Case> = [
      ["check", "--help"],
      ["restore", "--since x --help"],
      ["refunds:settle", "--help"],
      ["dev", "--help"],
    ]
    for (const [command, args] of asked) {
      const read = readCommand([command, ...wordsOf(args)])
      equal(yield* Effect.provideService(read, Console.Console, console), null)
      match(lines.pop() ?? "", /USAGE\n {2}deno task /)
    }
  }))
