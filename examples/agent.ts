/**
 * A demonstration agent: it is given a base address, reads the documents, polls what is free, buys
 * what is new, says each step in a line, and stops when the budget or the polls are used up.
 *
 * `deno task agent --help` says how it is started. Ctrl-C ends it with the same summary. Its key is
 * thrown away and has no money, so it can only buy where payments are simulated, unless
 * BUYER_PRIVATE_KEY gives it another, which is never printed.
 *
 * @module
 */
import { Cause, Console, Effect, Exit, Fiber, Option, Schema } from "effect"
import { parseArgs } from "node:util"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { atomic, summaryLines, usd } from "./agent/budget.ts"
import { buy, type Buyer, clarify, type Purchase } from "./agent/buy.ts"
import { type Contract, discover, offerAt } from "./agent/discover.ts"
import { blank, closed, decide, Index, type Memory, missed, missesMax } from "./agent/feed.ts"
import { paths, readBought, type Want, wants } from "./agent/feed.ts"
import {
  type Answer,
  askPatiently,
  GaveUp,
  plain,
  quoted,
  readAllowance,
  waitAfter,
} from "./agent/http.ts"

export interface AgentOptions extends Omit<Buyer, "ledger"> {
  /** The document it begins with. */
  readonly start: "llms" | "card"
  /** The key has no money: it buys only where payments are simulated. */
  readonly throwAway: boolean
  /** How often the index is polled before the agent ends; null for ever. */
  readonly polls: number | null
  /** The least time between two polls. */
  readonly everyMs: number
  /** The last index of an earlier run. */
  readonly since: number | null
}

interface Agent extends AgentOptions, Buyer {
  memory: Memory
}

/** The most purchases after one look at the index. */
const buysPerPollMax = 20

/** The agent, from its first look to its summary, which it gives however it ends. */
export const live = Effect.fnUntraced(function* (options: AgentOptions) {
  const agent: Agent = { ...options, ledger: [], memory: { ...blank, seen: options.since } }
  return yield* poll(agent).pipe(
    Effect.andThen(clarifyAll(agent)),
    Effect.ensuring(summarize(agent)),
  )
})

/** Reads the documents, then looks at the index as often as it may and buys what follows from it. */
const poll = Effect.fnUntraced(function* (agent: Agent) {
  const { base, account, limits, throwAway, start, polls, everyMs, say } = agent
  yield* say(`buyer      ${account.address}${throwAway ? " (a throw-away key)" : ""}`)
  yield* say(`budget     $${usd(limits.budget)}, at most $${usd(limits.perCall)} a call`)
  const contract = yield* discover(base, start, say)
  if (offerAt(contract, paths.index) === undefined) {
    return yield* new GaveUp({ message: `There is no ${paths.index} to poll` })
  }
  const buys = yield* mayBuy(agent)
  let known: { readonly etag: string | null; readonly index: Index } | null = null
  for (let looks = 1; polls === null || looks <= polls; looks += 1) {
    const headers: Record<string, string> = known?.etag ? { "If-None-Match": known.etag } : {}
    const answer = yield* askPatiently(new URL(paths.index, base), say, { headers })
    const index: Index = answer.status === 304 && known !== null
      ? known.index
      : yield* readIndex(answer)
    known = { etag: answer.headers.get("etag"), index }
    yield* say(indexLine(index, looks))
    if (buys && !(yield* shop(agent, contract, index))) return
    if (looks === polls) return
    const waitMs = waitAfter(readAllowance(answer.headers.get("ratelimit")), everyMs)
    if (waitMs > everyMs) yield* say(`the free budget is used up: next look in ${waitMs / 1_000} s`)
    yield* Effect.sleep(waitMs)
  }
})

/** A key without money is not used where payments are real. */
const mayBuy = Effect.fnUntraced(function* ({ base, throwAway, say }: Agent) {
  const { body } = yield* askPatiently(new URL(paths.health, base), say)
  const health = Schema.decodeUnknownOption(Schema.Struct({ paymentMode: Schema.String }))(body)
  const mode = Option.getOrUndefined(health)?.paymentMode ?? "unknown"
  yield* say(`payments   ${plain(mode, 20)}`)
  if (!throwAway || mode === "simulated") return true
  yield* say("           my key holds nothing: I only watch (BUYER_PRIVATE_KEY gives me another)")
  return false
})

const readIndex = Effect.fnUntraced(function* ({ status, body }: Answer) {
  const index = Schema.decodeUnknownOption(Index)(body)
  if (status === 200 && Option.isSome(index)) return index.value
  return yield* new GaveUp({ message: `${paths.index} answers ${status}, and no index` })
})

function indexLine({ index, status, totalToday, digest }: Index, looks: number): string {
  const news = digest === null ? "no digest yet" : `digest ${quoted(digest.title, 60)}`
  const state = plain(status, 20)
  return `poll ${looks}     index ${index}, ${state}, ${totalToday} items today, ${news}`
}

/** Buys what is wanted and can be afforded; false when there is no reason to poll again. */
const shop = Effect.fnUntraced(function* (agent: Agent, contract: Contract, index: Index) {
  const { limits, say } = agent
  for (let buys = 0; buys < buysPerPollMax; buys += 1) {
    const [want] = wants(agent.memory, index)
    if (want === undefined) return true
    const decision = decide(want, contract, agent.ledger, limits)
    if (decision.kind === "stop") {
      yield* say(`stopping   ${decision.why}`)
      return false
    }
    if (decision.kind === "pass") {
      yield* say(`passing    ${decision.why}`)
      agent.memory = closed(agent.memory, want, index)
      continue
    }
    yield* say(`buying     ${decision.path} for $${usd(decision.price)}`)
    yield* remember(agent, want, yield* buy(agent, decision.offer, decision.path), index)
    if (agent.ledger.some(({ standing }) => standing === "signed")) {
      yield* say("stopping   what became of a payment is unclear: a second signature may pay twice")
      return false
    }
    const { misses } = agent.memory
    if (misses >= missesMax) {
      yield* say(`stopping   the feed was not to be had ${misses} times in a row`)
      return false
    }
    if (misses > 0) return true
  }
  return true
})

/** Says what was bought, and remembers it. */
const remember = Effect.fnUntraced(function* (
  agent: Agent,
  want: Want,
  purchase: Purchase,
  index: Index,
) {
  if (purchase.kind === "missed") {
    yield* agent.say(`  not had: ${plain(purchase.why, 300)}`)
    agent.memory = missed(agent.memory, want, index)
    return
  }
  if (!purchase.charged) yield* agent.say("  nothing was charged for it")
  const [lines, memory] = readBought(want, purchase.body, index, agent.memory)
  agent.memory = memory
  for (const line of lines) yield* agent.say(line)
})

/** Looks up the payments whose outcome is not known, and the refunds under way. */
const clarifyAll = Effect.fnUntraced(function* (agent: Agent) {
  for (const { paymentId, standing } of agent.ledger) {
    if (standing === "signed" || standing === "refundQueued") yield* clarify(agent, paymentId)
  }
})

const summarize = Effect.fnUntraced(function* (agent: Agent) {
  const { ledger, limits, memory, say } = agent
  yield* say("")
  for (const line of summaryLines(ledger, limits)) yield* say(line)
  if (memory.seen !== null) yield* say(`goes on    with --since ${memory.seen}`)
})

const usage = `\
deno task agent [base address] [--card] [--polls N] [--every SECONDS] [--since INDEX]

  --card           find the contract by the A2A agent card instead of /llms.txt
  --polls N        look at the index N times (8); 0: for ever
  --every SECONDS  the least between two looks (15)
  --since INDEX    go on after an earlier run

  BUDGET_USD 0.25: all it may sign for. MAX_PRICE_USD 1.00: the most a call may cost.
  BUYER_PRIVATE_KEY: the key it pays with; without one, a throw-away key that buys with play money.`

/** The agent was started with something it cannot use. */
class CannotStart extends Schema.TaggedError<CannotStart>()("CannotStart", {
  message: Schema.String,
}) {}

/** Reads arguments and environment, or says what is wrong with them. Never repeats a key. */
const fromCommandLine = Effect.gen(function* () {
  const { values, positionals } = yield* Effect.try({
    try: () =>
      parseArgs({
        args: Deno.args,
        allowPositionals: true,
        options: {
          card: { type: "boolean" },
          polls: { type: "string", default: "8" },
          // The free limit is five a minute: this leaves some of it for others.
          every: { type: "string", default: "15" },
          since: { type: "string" },
        },
      }),
    catch: () => new CannotStart({ message: usage }),
  })
  const address = positionals.at(-1) ?? (Deno.env.get("BASE_URL") || "http://127.0.0.1:8402")
  const base = URL.parse(address)
  if (base === null || !/^https?:$/.test(base.protocol)) {
    return yield* new CannotStart({ message: `Not an address: ${address}` })
  }
  const key = Deno.env.get("BUYER_PRIVATE_KEY") || null
  const options: AgentOptions = {
    base,
    start: values.card === true ? "card" : "llms",
    account: yield* Effect.try({
      try: () => privateKeyToAccount(isKey(key) ? key : key === null ? generatePrivateKey() : "0x"),
      catch: () => new CannotStart({ message: "BUYER_PRIVATE_KEY must be 0x and 64 digits" }),
    }),
    throwAway: key === null,
    limits: {
      budget: yield* usdFrom("BUDGET_USD", "0.25"),
      perCall: yield* usdFrom("MAX_PRICE_USD", "1.00"),
    },
    polls: (yield* count("--polls", values.polls)) || null,
    everyMs: 1_000 * (yield* count("--every", values.every)),
    since: values.since === undefined ? null : yield* count("--since", values.since),
    say: Console.log,
  }
  return options
})

function isKey(key: string | null): key is `0x${string}` {
  return key !== null && /^0x[0-9a-fA-F]{64}$/.test(key)
}

const usdFrom = (name: string, fallback: string) => {
  const text = Deno.env.get(name) || fallback
  return /^\d{1,6}(\.\d{1,6})?$/.test(text)
    ? Effect.succeed(atomic(text))
    : Effect.fail(new CannotStart({ message: `${name} must be an amount such as 0.25` }))
}

const count = (name: string, text: string) =>
  /^\d{1,15}$/.test(text)
    ? Effect.succeed(Number(text))
    : Effect.fail(new CannotStart({ message: `${name} must be a whole number` }))

/** Runs until the end or a signal; the first signal waits for the summary, a second does not. */
async function main(): Promise<void> {
  if (Deno.args.includes("--help")) return await Effect.runPromise(Console.log(usage))
  const fiber = Effect.runFork(Effect.flatMap(fromCommandLine, live))
  let asked = false
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    Deno.addSignalListener(signal, () => {
      if (asked) Deno.exit(1)
      asked = true
      Effect.runFork(Fiber.interrupt(fiber))
    })
  }
  const exit = await Effect.runPromise(Fiber.await(fiber))
  if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) {
    const error = Cause.squash(exit.cause)
    const known = error instanceof Error && "_tag" in error
    await Effect.runPromise(Console.error(known ? error.message : Cause.pretty(exit.cause)))
    Deno.exit(1)
  }
  Deno.exit(0)
}

if (import.meta.main) await main()
