/**
 * A demonstration agent: it knows a base address and the calls it wants, and finds out the rest as
 * any agent would. `deno task agent --help` says how it is started.
 *
 * Ctrl-C ends with the same summary. Its key is thrown away and holds nothing, so it can only buy where
 * payments are simulated, unless BUYER_PRIVATE_KEY gives it another, which is never printed.
 *
 * @module
 */
import { Cause, Console, Effect, Exit, Schema } from "effect"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { type AgentOptions, live } from "./agent/loop.ts"
import { atomic, type AtomicAmount } from "../src/core/domain/money.ts"
import { untilSignal } from "../src/app/untilSignal.ts"

const baseDefault = "http://127.0.0.1:8402"
const budgetDefault = "0.25"
const perCallDefault = "1.00"
/** The free budget is five a minute: one poll in fifteen seconds leaves some of it for others. */
const everySecondsDefault = 15
const pollsDefault = 8

/** The agent was started with something it cannot use. */
class CannotStart extends Schema.TaggedError<CannotStart>()("CannotStart", {
  message: Schema.String,
}) {}

const usage = `\
deno task agent [base address] [--card] [--polls N] [--every SECONDS] [--since INDEX]

  --card           find the contract by the A2A agent card instead of /llms.txt
  --polls N        look at the index N times (${pollsDefault}); 0: for ever
  --every SECONDS  the least between two looks (${everySecondsDefault})
  --since INDEX    go on after an earlier run

  BUDGET_USD ${budgetDefault}: all it may sign for. MAX_PRICE_USD ${perCallDefault}: the most a call may cost.
  BUYER_PRIVATE_KEY: the key it pays with; without one, a throw-away key that buys with play money.`

/** Reads arguments and environment, or says what is wrong with them. Never repeats a key. */
const asked = Effect.gen(function* () {
  const rest = [...Deno.args]
  const flags = new Map<string, string>()
  let address = Deno.env.get("BASE_URL") || baseDefault
  let card = false
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === "--card") card = true
    else if (["--polls", "--every", "--since"].includes(word)) flags.set(word, rest.shift() ?? "")
    else if (word.startsWith("-")) return yield* new CannotStart({ message: usage })
    else address = word
  }
  const base = URL.parse(address)
  if (base === null || !/^https?:$/.test(base.protocol)) {
    return yield* new CannotStart({ message: `Not an address: ${address}` })
  }
  const key = Deno.env.get("BUYER_PRIVATE_KEY") || null
  const options: AgentOptions = {
    base,
    start: card ? "card" : "llms",
    account: yield* accountOf(key),
    throwAway: key === null,
    limits: {
      budget: yield* usdOf("BUDGET_USD", Deno.env.get("BUDGET_USD") || budgetDefault),
      perCall: yield* usdOf("MAX_PRICE_USD", Deno.env.get("MAX_PRICE_USD") || perCallDefault),
    },
    polls: (yield* countOf(flags, "--polls", pollsDefault)) || null,
    everyMs: 1_000 * (yield* countOf(flags, "--every", everySecondsDefault)),
    since: flags.has("--since") ? yield* countOf(flags, "--since", 0) : null,
    say: Console.log,
  }
  return options
})

const accountOf = (key: string | null) =>
  Effect.try({
    try: () => privateKeyToAccount(isKey(key) ? key : key === null ? generatePrivateKey() : "0x"),
    catch: () => new CannotStart({ message: "BUYER_PRIVATE_KEY must be 0x and 64 digits" }),
  })

function isKey(key: string | null): key is `0x${string}` {
  return key !== null && /^0x[0-9a-fA-F]{64}$/.test(key)
}

const usdOf = (name: string, text: string): Effect.Effect<AtomicAmount, CannotStart> =>
  /^\d{1,6}(\.\d{1,6})?$/.test(text)
    ? Effect.succeed(atomic(text as `${number}`))
    : Effect.fail(new CannotStart({ message: `${name} must be an amount such as 0.25` }))

const countOf = (flags: ReadonlyMap<string, string>, name: string, fallback: number) => {
  const text = flags.get(name) ?? String(fallback)
  return /^\d{1,15}$/.test(text)
    ? Effect.succeed(Number(text))
    : Effect.fail(new CannotStart({ message: `${name} must be a whole number` }))
}

const asksHelp = Deno.args.includes("--help")
const exit = await untilSignal(asksHelp ? Console.log(usage) : Effect.flatMap(asked, live))
if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) {
  const error = Cause.squash(exit.cause)
  const known = error instanceof Error && "_tag" in error
  await Effect.runPromise(Console.error(known ? error.message : Cause.pretty(exit.cause)))
  Deno.exit(1)
}
Deno.exit(0)
