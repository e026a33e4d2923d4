/**
 * A demonstration agent. From a base address it reads the documents, polls the free index, buys new
 * items, prints each step on a line, and stops when the budget or the polls are used up.
 *
 * `deno task agent --help` prints the options. Ctrl-C ends it with the same summary. By default it
 * uses a throw-away key without money, which works only where payments are simulated.
 * BUYER_PRIVATE_KEY sets another key; a key is never printed.
 *
 * @module
 */
import { Cause, Console, Effect, Exit, Fiber, Option, Schema } from "effect"
import { parseArgs } from "node:util"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { atomic, summaryLines, usd } from "./agent/budget.ts"
import { buy, type Buyer, type PurchaseResult, updateOutcome } from "./agent/buy.ts"
import { type Contract, discover, offerAt } from "./agent/discover.ts"
import {
  type AgentState,
  decide,
  feedFailuresMax,
  Index,
  initialState,
  markDone,
  markFailed,
} from "./agent/feed.ts"
import { paths, readPurchased, type WantedPurchase, wantedPurchases } from "./agent/feed.ts"
import {
  CannotContinue,
  type HttpAnswer,
  plain,
  pollDelayMs,
  quoted,
  readRateLimit,
  requestWithRetry,
} from "./agent/http.ts"

export interface AgentOptions extends Omit<Buyer, "ledger"> {
  /** The first document it reads. */
  readonly start: "llms" | "card"
  /** The key has no money and can pay only where payments are simulated. */
  readonly isThrowawayKey: boolean
  /** How often the index is polled before the agent stops; null for no limit. */
  readonly polls: number | null
  /** The shortest time between two polls. */
  readonly everyMs: number
  /** The last index of an earlier run. */
  readonly since: number | null
}

interface Agent extends AgentOptions, Buyer {
  state: AgentState
}

/** Most purchases per poll. */
const purchasesPerPollMax = 20

/** Runs the agent; it prints its summary however it ends. */
export const runAgent = Effect.fnUntraced(function* (options: AgentOptions) {
  const agent: Agent = {
    ...options,
    ledger: [],
    state: { ...initialState, lastIndex: options.since },
  }
  return yield* poll(agent).pipe(
    Effect.andThen(updateOutcomes(agent)),
    Effect.ensuring(summarize(agent)),
  )
})

/** Reads the documents, then polls the index and buys what is new. */
const poll = Effect.fnUntraced(function* (agent: Agent) {
  const { base, account, limits, isThrowawayKey, start, polls, everyMs, print } = agent
  yield* print(`buyer      ${account.address}${isThrowawayKey ? " (a throw-away key)" : ""}`)
  yield* print(`budget     $${usd(limits.budget)}, at most $${usd(limits.perCall)} a call`)
  const contract = yield* discover(base, start, print)
  if (offerAt(contract, paths.index) === undefined) {
    return yield* new CannotContinue({ message: `The contract has no ${paths.index} to poll` })
  }
  const isBuying = yield* canPay(agent)
  let known: { readonly etag: string | null; readonly index: Index } | null = null
  for (let pollCount = 1; polls === null || pollCount <= polls; pollCount += 1) {
    const headers: Record<string, string> = known?.etag ? { "If-None-Match": known.etag } : {}
    const answer = yield* requestWithRetry(new URL(paths.index, base), print, { headers })
    const index: Index = answer.status === 304 && known !== null
      ? known.index
      : yield* readIndex(answer)
    known = { etag: answer.headers.get("etag"), index }
    yield* print(indexLine(index, pollCount))
    if (isBuying && !(yield* buyWanted(agent, contract, index))) return
    if (pollCount === polls) return
    const waitMs = pollDelayMs(readRateLimit(answer.headers.get("ratelimit")), everyMs)
    if (waitMs > everyMs) {
      yield* print(`the free limit is used up: next poll in ${waitMs / 1_000} s`)
    }
    yield* Effect.sleep(waitMs)
  }
})

/** A key without money is not used where payments are real. */
const canPay = Effect.fnUntraced(function* ({ base, isThrowawayKey, print }: Agent) {
  const { body } = yield* requestWithRetry(new URL(paths.health, base), print)
  const health = Schema.decodeUnknownOption(Schema.Struct({ paymentMode: Schema.String }))(body)
  const mode = Option.getOrUndefined(health)?.paymentMode ?? "unknown"
  yield* print(`payments   ${plain(mode, 20)}`)
  if (!isThrowawayKey || mode === "simulated") return true
  yield* print("           the key has no money: watching only (set BUYER_PRIVATE_KEY to buy)")
  return false
})

const readIndex = Effect.fnUntraced(function* ({ status, body }: HttpAnswer) {
  const index = Schema.decodeUnknownOption(Index)(body)
  if (status === 200 && Option.isSome(index)) return index.value
  return yield* new CannotContinue({
    message: `${paths.index} returned status ${status} and no valid index`,
  })
})

function indexLine({ index, status, totalToday, digest }: Index, pollCount: number): string {
  const news = digest === null ? "no digest yet" : `digest ${quoted(digest.title, 60)}`
  const state = plain(status, 20)
  return `poll ${pollCount}     index ${index}, ${state}, ${totalToday} items today, ${news}`
}

/** Buys the wanted answers within the budget; false when there is no reason to poll again. */
const buyWanted = Effect.fnUntraced(function* (agent: Agent, contract: Contract, index: Index) {
  const { limits, print } = agent
  for (let buys = 0; buys < purchasesPerPollMax; buys += 1) {
    const [wanted] = wantedPurchases(agent.state, index)
    if (wanted === undefined) return true
    const decision = decide(wanted, contract, agent.ledger, limits)
    if (decision.kind === "stop") {
      yield* print(`stopping   ${decision.reason}`)
      return false
    }
    if (decision.kind === "skip") {
      yield* print(`skipping   ${decision.reason}`)
      agent.state = markDone(agent.state, wanted, index)
      continue
    }
    yield* print(`buying     ${decision.path} for $${usd(decision.price)}`)
    yield* recordPurchase(agent, wanted, yield* buy(agent, decision.offer, decision.path), index)
    if (agent.ledger.some(({ outcome }) => outcome === "signed")) {
      yield* print(
        "stopping   the outcome of a payment is unclear: a second signature may pay twice",
      )
      return false
    }
    const { failures } = agent.state
    if (failures >= feedFailuresMax) {
      yield* print(`stopping   the feed was not available ${failures} times in a row`)
      return false
    }
    if (failures > 0) return true
  }
  return true
})

/** Prints the result of a purchase and updates the state. */
const recordPurchase = Effect.fnUntraced(function* (
  agent: Agent,
  wanted: WantedPurchase,
  purchase: PurchaseResult,
  index: Index,
) {
  if (purchase.kind === "failed") {
    yield* agent.print(`  not bought: ${plain(purchase.reason, 300)}`)
    agent.state = markFailed(agent.state, wanted, index)
    return
  }
  if (!purchase.charged) yield* agent.print("  nothing was charged")
  const [lines, state] = readPurchased(wanted, purchase.body, index, agent.state)
  agent.state = state
  for (const line of lines) yield* agent.print(line)
})

/** Looks up the payments whose outcome is unknown, and the queued refunds. */
const updateOutcomes = Effect.fnUntraced(function* (agent: Agent) {
  for (const { paymentId, outcome } of agent.ledger) {
    if (outcome === "signed" || outcome === "refundQueued") yield* updateOutcome(agent, paymentId)
  }
})

const summarize = Effect.fnUntraced(function* (agent: Agent) {
  const { ledger, limits, state, print } = agent
  yield* print("")
  for (const line of summaryLines(ledger, limits)) yield* print(line)
  if (state.lastIndex !== null) yield* print(`continue   with --since ${state.lastIndex}`)
})

const usage = `\
deno task agent [base address] [--card] [--polls N] [--every SECONDS] [--since INDEX]

  --card           find the contract by the A2A agent card instead of /llms.txt
  --polls N        how often to poll the index (default 8; 0 for no limit)
  --every SECONDS  the shortest time between two polls (default 15)
  --since INDEX    continue after the last index of an earlier run

Environment:

  BUDGET_USD         the most it may sign in total (default 0.25)
  MAX_PRICE_USD      the most one call may cost (default 1.00)
  BUYER_PRIVATE_KEY  the key it pays with (default: a throw-away key, for simulated payments only)`

/** An argument or a variable is invalid. */
class CannotStart extends Schema.TaggedError<CannotStart>()("CannotStart", {
  message: Schema.String,
}) {}

/** Reads arguments and environment. An error never contains the key. */
const fromCommandLine = Effect.gen(function* () {
  const { values, positionals } = yield* Effect.try({
    try: () =>
      parseArgs({
        args: Deno.args,
        allowPositionals: true,
        options: {
          card: { type: "boolean" },
          polls: { type: "string", default: "8" },
          // The free limit is five a minute; this leaves some of it for other calls.
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
    isThrowawayKey: key === null,
    limits: {
      budget: yield* usdFrom("BUDGET_USD", "0.25"),
      perCall: yield* usdFrom("MAX_PRICE_USD", "1.00"),
    },
    polls: (yield* wholeNumber("--polls", values.polls)) || null,
    everyMs: 1_000 * (yield* wholeNumber("--every", values.every)),
    since: values.since === undefined ? null : yield* wholeNumber("--since", values.since),
    print: Console.log,
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

const wholeNumber = (name: string, text: string) =>
  /^\d{1,15}$/.test(text)
    ? Effect.succeed(Number(text))
    : Effect.fail(new CannotStart({ message: `${name} must be a whole number` }))

/**
 * Runs until the end or a signal. The first signal waits for the summary, a second one does not.
 */
async function main(): Promise<void> {
  if (Deno.args.includes("--help")) return await Effect.runPromise(Console.log(usage))
  const fiber = Effect.runFork(Effect.flatMap(fromCommandLine, runAgent))
  let stopRequested = false
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    Deno.addSignalListener(signal, () => {
      if (stopRequested) Deno.exit(1)
      stopRequested = true
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
