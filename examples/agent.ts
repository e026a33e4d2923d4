/**
 * A demonstration agent. From a base address it reads the documents, polls the free index, buys new
 * items with bellwether-client, prints each step on a line, and stops when the budget or the polls
 * are used up.
 *
 * `deno task agent --help` prints the options. Ctrl-C ends it with the same summary. By default it
 * uses a throw-away key without money, which works only where payments are simulated.
 * BUYER_PRIVATE_KEY sets another key; a key is never printed. The payments of that key are kept in
 * BUDGET_DIR, so that the next run sends an unclear payment again and does not sign a second one.
 *
 * @module
 */
import {
  BuyError,
  ChargeUnknown,
  type Client,
  type Clock,
  fileLedger,
  makeClient,
  memoryLedger,
  NotCharged,
  plain,
  quoted,
} from "bellwether-client"
import { parseArgs } from "node:util"
import { generatePrivateKey } from "viem/accounts"
import { CannotTrust, discover } from "./agent/discover.ts"
import {
  type AgentState,
  callOf,
  feedFailuresMax,
  Index,
  initialState,
  isTooDear,
  markDone,
  markFailed,
  readPurchased,
  unclearSince,
  type WantedPurchase,
  wantedPurchases,
} from "./agent/feed.ts"
import { makeSignatures, type Signatures } from "./agent/signatures.ts"
import { ofRun, type Payments, summaryLines } from "./agent/summary.ts"
import { Effect, Schema } from "effect"

export interface AgentOptions {
  readonly base: URL
  readonly client: Client
  /** Verifies the offers and receipts that the client gets. */
  readonly signatures: Signatures
  /** The first document it reads. */
  readonly start: "llms" | "card"
  /** The key has no money and can pay only where payments are simulated. */
  readonly isThrowawayKey: boolean
  /** How often the index is polled before the agent stops; null for no limit. */
  readonly polls: number | null
  /** The time between two polls. */
  readonly everyMs: number
  /** The last index of an earlier run. */
  readonly since: number | null
  readonly sleep: Clock["sleep"]
  readonly signal: AbortSignal
  readonly print: (line: string) => void
}

interface Agent extends AgentOptions {
  /** The payments in the ledger when the agent started. */
  readonly before: Payments
  state: AgentState
}

/** Most purchases per poll. */
const purchasesPerPollMax = 20

/** Runs the agent; it prints its summary however it ends. */
export async function runAgent(options: AgentOptions): Promise<void> {
  const before = await options.client.payments()
  const agent: Agent = { ...options, before, state: { ...initialState, lastIndex: options.since } }
  try {
    await poll(agent)
  } catch (error) {
    if (!agent.signal.aborted) throw error
  } finally {
    await summarize(agent)
  }
}

/** Reads the documents, then polls the index and buys what is new. */
async function poll(agent: Agent): Promise<void> {
  const { base, before, client, isThrowawayKey, start, polls, everyMs, signal, print } = agent
  print(`buyer      ${client.address}${isThrowawayKey ? " (a throw-away key)" : ""}`)
  print(`budget     $${(await client.left())?.leftUsd}`)
  await discover(base, start, print)
  const isBuying = await canPay(agent)
  for (let pollCount = 1; polls === null || pollCount <= polls; pollCount += 1) {
    const index = readIndex((await client.index({}, { signal })).body)
    print(indexLine(index, pollCount))
    const lastIndex = agent.state.lastIndex ?? unclearSince(ownPayments(agent, before), index)
    agent.state = { ...agent.state, lastIndex }
    if (isBuying && !(await buyWanted(agent, index))) return
    if (pollCount !== polls) await agent.sleep(everyMs, signal)
    if (signal.aborted) return
  }
}

/** A ledger can have payments of other keys. */
function ownPayments({ client }: Agent, payments: Payments): Payments {
  return payments.filter(({ payer }) => payer === client.address)
}

/** A key without money is not used where payments are real. */
async function canPay({ client, isThrowawayKey, signal, print }: Agent): Promise<boolean> {
  const { paymentMode } = (await client.health({}, { signal })).body
  print(`payments   ${plain(String(paymentMode), 20)}`)
  if (!isThrowawayKey || paymentMode === "simulated") return true
  print("           the key has no money: watching only (set BUYER_PRIVATE_KEY to buy)")
  return false
}

function readIndex(body: unknown): Index {
  if (Schema.is(Index)(body)) return body
  throw new CannotTrust("The index cannot be read")
}

function indexLine({ index, status, totalToday, digest }: Index, pollCount: number): string {
  const news = digest === null ? "no digest yet" : `digest ${quoted(digest.title, 60)}`
  const state = plain(status, 20)
  return `poll ${pollCount}     index ${index}, ${state}, ${totalToday} items today, ${news}`
}

/** Buys the wanted answers within the budget; false when there is no reason to poll again. */
async function buyWanted(agent: Agent, index: Index): Promise<boolean> {
  const { client, signal, print } = agent
  for (let buys = 0; buys < purchasesPerPollMax; buys += 1) {
    const [wanted] = wantedPurchases(agent.state, index)
    if (wanted === undefined) return true
    const { name, parameters } = callOf(wanted)
    if (isTooDear(wanted, Number((await client.left())?.leftUsd))) {
      print(`skipping   ${name}: it would leave too little for the feed`)
      agent.state = markDone(agent.state, wanted, index)
      continue
    }
    // If the outcome is unclear, the next run makes the same call.
    if (wanted.kind === "items") agent.state = { ...agent.state, lastIndex: wanted.since }
    print(`buying     ${name} ${plain(JSON.stringify(parameters), 300)}`)
    try {
      const answer = await client.call(name, parameters, { signal })
      print(`  ${answer.sentence}`)
      checkSignatures(agent)
      const [lines, state] = readPurchased(wanted, answer.body, index, agent.state)
      agent.state = state
      for (const line of lines) print(line)
    } catch (error) {
      checkSignatures(agent)
      if (!canGoOn(agent, wanted, index, error)) return false
      if (agent.state.failures > 0) return true
    }
  }
  return true
}

/** Nothing more is bought from a service whose signatures contradict it. */
function checkSignatures({ signatures }: Agent): void {
  const fault = signatures.fault()
  if (fault !== null) throw new CannotTrust(fault)
}

const limitCodes = ["over_budget", "over_cap"]
/** The service does not keep to what it published. */
const distrustCodes = ["terms_refused", "receiver_changed", "receipt_wrong"]

/** Updates the state after a failed purchase; false when the agent must stop. */
function canGoOn(agent: Agent, wanted: WantedPurchase, index: Index, error: unknown): boolean {
  if (!(error instanceof BuyError) || distrustCodes.includes(error.code)) throw error
  agent.print(`  ${error.sentence}`)
  if (error instanceof ChargeUnknown) return stop(agent, "the outcome of a payment is unclear")
  agent.state = markFailed(agent.state, wanted, index)
  if (wanted.kind !== "items") return true
  if (error instanceof NotCharged && limitCodes.includes(error.code)) {
    return stop(agent, "the feed costs more than is left")
  }
  const { failures } = agent.state
  return failures < feedFailuresMax ||
    stop(agent, `the feed was not available ${failures} times in a row`)
}

function stop({ print }: Agent, reason: string): false {
  print(`stopping   ${reason}`)
  return false
}

/** Looks up unclear payments and queued refunds, and prints what was signed, bought and refunded. */
async function summarize(agent: Agent): Promise<void> {
  const { before, client, state, print } = agent
  const payments = async () => ofRun(before, ownPayments(agent, await client.payments()))
  for (const { paymentId, outcome } of await payments()) {
    if (outcome !== "unclear" && outcome !== "refundQueued") continue
    await client.payment(paymentId).catch(() => null)
  }
  print("")
  for (const line of summaryLines(await payments(), await client.left())) print(line)
  if (state.lastIndex !== null) print(`continue   with --since ${state.lastIndex}`)
}

const usage = `\
deno task agent [base address] [--card] [--polls N] [--every SECONDS] [--since INDEX]

  --card           start from the A2A agent card instead of /llms.txt
  --polls N        how often to poll the index (default 8; 0 for no limit)
  --every SECONDS  the time between two polls (default 15)
  --since INDEX    continue after the last index of an earlier run

Environment:

  BUDGET_USD         the most that is signed in a UTC day (default 0.25)
  MAX_PRICE_USD      the most one call may cost (default 1.00)
  BUYER_PRIVATE_KEY  the key it pays with (default: a throw-away key, for simulated payments only)
  BUDGET_DIR         where the payments of BUYER_PRIVATE_KEY are kept, so that the next run sends an
                     unclear payment again (default .data/buyer)`

/** An argument or a variable is invalid. */
class CannotStart extends Error {
  override readonly name = "CannotStart"
}

/** Reads arguments and environment. An error never contains the key. */
function fromCommandLine(signal: AbortSignal): AgentOptions {
  const { values, positionals } = readArguments()
  const address = positionals.at(-1) ?? (Deno.env.get("BASE_URL") || "http://127.0.0.1:8402")
  const base = URL.parse(address)
  if (base === null) throw new CannotStart(`Not an address: ${address}`)
  const key = Deno.env.get("BUYER_PRIVATE_KEY") || null
  const signatures = makeSignatures(base, print)
  return {
    base,
    signatures,
    client: clientFor(base, key, signatures),
    start: values.card === true ? "card" : "llms",
    isThrowawayKey: key === null,
    polls: wholeNumber("--polls", values.polls) || null,
    everyMs: 1_000 * wholeNumber("--every", values.every),
    since: values.since === undefined ? null : wholeNumber("--since", values.since),
    sleep,
    signal,
    print,
  }
}

function clientFor(base: URL, key: string | null, { fetch }: Signatures): Client {
  try {
    return makeClient({
      baseUrl: base.origin,
      fetch,
      privateKey: key ?? generatePrivateKey(),
      ledger: key === null
        ? memoryLedger()
        : fileLedger(Deno.env.get("BUDGET_DIR") || ".data/buyer"),
      budgetUsd: Deno.env.get("BUDGET_USD") || "0.25",
      maxPriceUsd: Deno.env.get("MAX_PRICE_USD") || "1.00",
      onStep: (line) => print(`  ${line}`),
    })
  } catch (error) {
    // Its message names the wrong setting, and never contains a key.
    throw new CannotStart(error instanceof Error ? error.message : "A setting is wrong")
  }
}

function readArguments() {
  try {
    return parseArgs({
      args: Deno.args,
      allowPositionals: true,
      options: {
        card: { type: "boolean" },
        polls: { type: "string", default: "8" },
        // The free limit is five a minute; this leaves some of it for other calls.
        every: { type: "string", default: "15" },
        since: { type: "string" },
      },
    })
  } catch {
    throw new CannotStart(usage)
  }
}

function wholeNumber(name: string, text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new CannotStart(`${name} must be a whole number`)
}

/** Ends early, without an error, when the signal is aborted or was aborted before. */
const sleep: Clock["sleep"] = async (ms, signal) => {
  await Effect.runPromiseExit(Effect.sleep(ms), { signal })
}

function print(line: string): void {
  // deno-lint-ignore no-console
  console.log(line)
}

/**
 * Runs until the end or a signal. The first signal waits for the summary, a second one does not.
 */
async function main(): Promise<void> {
  if (Deno.args.includes("--help")) return print(usage)
  const ended = new AbortController()
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    Deno.addSignalListener(name, () => {
      if (ended.signal.aborted) Deno.exit(1)
      ended.abort()
    })
  }
  try {
    await runAgent(fromCommandLine(ended.signal))
    Deno.exit(0)
  } catch (error) {
    const isKnown = [CannotStart, CannotTrust, BuyError].some((known) => error instanceof known)
    // deno-lint-ignore no-console
    console.error(isKnown && error instanceof Error ? error.message : error)
    Deno.exit(1)
  }
}

if (import.meta.main) await main()
