/**
 * The demonstration agent against the whole service, in this process and as a task with its
 * permissions: what it reports as spent is the amount in the ledger.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok, strictEqual } from "node:assert/strict"
import { calls, makeClient } from "bellwether-client"
import { Effect } from "effect"
import { runAgent, verifyReceipts } from "../../examples/agent.ts"
import { atomic } from "../../src/core/domain/money.ts"
import { liveTest } from "../support/effect.ts"
import { openService, runTask } from "../support/examples/wholeService.ts"
import { spentBy } from "../support/packages/shop.ts"
import { buyer, buyerKey } from "../support/payments/buyers.ts"
import { market } from "../support/payments/sales.ts"
import { temporaryFolder } from "../support/process.ts"

const key = buyerKey(0)
const spent = spentBy(buyer(0).address)

interface Options {
  readonly budgetUsd?: string
  readonly polls?: number
  readonly afterPoll?: () => Promise<unknown>
}

/** What an agent prints, and the error that it ends with. */
const runAgainst = (base: string, options: Options = {}) =>
  Effect.promise(async () => {
    const { budgetUsd = "0.25", polls = 1, afterPoll = () => Promise.resolve() } = options
    const lines: Array<string> = []
    const print = (line: string) => void lines.push(line)
    const receipts = verifyReceipts(new URL(base))
    const client = makeClient({
      baseUrl: base,
      privateKey: key,
      budgetUsd,
      maxPriceUsd: "1",
      fetch: receipts.fetch,
      clock: { nowMs: () => Date.now(), sleep: () => Promise.resolve() },
    })
    const error = await runAgent({
      base: new URL(base),
      client,
      receipts,
      isThrowawayKey: true,
      polls,
      everyMs: 0,
      since: null,
      sleep: afterPoll,
      print,
    }).then(() => "", (error: Error) => error.message)
    return { text: lines.join("\n"), error }
  })

liveTest("the agent buys the newest items, and later what is new", function* () {
  const { base, grow } = yield* openService()
  const run = yield* Effect.context<never>()
  const { text, error } = yield* runAgainst(base, {
    polls: 2,
    afterPoll: () => Effect.runPromiseWith(run)(grow),
  })
  strictEqual(error, "")
  equal(text.match(/^buying .*/gm), [
    "buying     the items after 3",
    "buying     the items after 13",
  ])
  strictEqual(text.match(/^ {2}#\d+ mover: “/gm)?.length, 11)
  match(text, /left {7}\$0\.19 of \$0\.25\ncontinue {3}with --since 14$/)
  strictEqual(yield* spent, atomic("0.06") as bigint)
}, market())

liveTest(
  "the agent continues after an item that came between its poll and its purchase",
  function* () {
    let polls = 0
    const { base, grow } = yield* openService((request, answer) => {
      if (new URL(request.url).pathname !== "/v1/index") return answer
      polls += 1
      return polls === 1 ? Response.json({ success: true, index: 12 }) : answer
    })
    const run = yield* Effect.context<never>()
    const { text } = yield* runAgainst(base, {
      polls: 2,
      afterPoll: () => Effect.runPromiseWith(run)(grow),
    })
    const bought = text.match(/^ {2}#\d+/gm) ?? []
    strictEqual(bought.at(-1), "  #14")
    equal(bought, [...new Set(bought)])
  },
  market(),
)

liveTest("the agent stops when the budget is used up", function* () {
  const { base, grow } = yield* openService()
  const run = yield* Effect.context<never>()
  const { text, error } = yield* runAgainst(base, {
    budgetUsd: "0.05",
    polls: 9,
    afterPoll: () => Effect.runPromiseWith(run)(grow),
  })
  strictEqual(error, "")
  match(
    text,
    /buying {5}the items after 13\nstopping {3}.+\nleft {7}\$0\.02 of \$0\.05\n.+--since 13$/,
  )
  strictEqual(yield* spent, atomic("0.03") as bigint)
}, market())

liveTest("nothing more is bought where a receipt is not of the bytes that arrived", function* () {
  const { base } = yield* openService((_, answer) => {
    const receipt = answer.headers.get("payment-response")
    return receipt === null ? answer : new Response('{"success":true,"data":[],"charged":true}', {
      headers: { "payment-response": receipt },
    })
  })
  const { text, error } = yield* runAgainst(base, { polls: 5 })
  strictEqual(error, "The signed receipt is not of this answer")
  strictEqual(text.match(/^buying /gm)?.length, 1)
}, market())

liveTest(
  "nothing is signed where a document has another price, or payments are real",
  function* () {
    const changed = (path: string, body: object) =>
      openService((request, answer) =>
        new URL(request.url).pathname === path ? Response.json(body) : answer
      )
    const priced = (amount: string | null) => ({
      get: { "x-payment-info": { price: { amount } } },
    })
    const paths = Object.values(calls).map(({ path, priceUsd }) => [path, priced(priceUsd)])
    const { base } = yield* changed("/openapi.json", {
      paths: { ...Object.fromEntries(paths), "/v1/signals": priced("0.02") },
    })
    match(
      (yield* runAgainst(base)).error,
      /\/v1\/signals costs “0\.02”, and \$0\.03 was expected/,
    )
    const real = yield* changed("/discovery/resources", { payment: { mode: "live" } })
    match((yield* runAgainst(real.base)).error, /the key has no money/)
    strictEqual(yield* spent, 0n)
  },
  market(),
)

liveTest("deno task agent sends an unclear payment again, and never prints its key", function* () {
  const sent: Array<string> = []
  let isCut = true
  const { base } = yield* openService((request, answer) => {
    const payment = request.headers.get("payment-signature")
    if (payment !== null) sent.push(payment)
    const isLost = payment !== null || request.url.includes("/v1/payments/")
    return isCut && isLost ? new Response("gone", { status: 418 }) : answer
  })
  const env = { BUYER_PRIVATE_KEY: key, BUDGET_DIR: yield* temporaryFolder, BUDGET_USD: "0.06" }
  const first = yield* runTask("agent", [base, "--polls", "1"], env)
  strictEqual(first.code, 0, first.stderr)
  match(first.stdout, /the same command sends the same payment\nleft .+\n.+--since 3\n$/)
  isCut = false
  const second = yield* runTask("agent", [base, "--polls", "1", "--since", "3"], env)
  match(
    second.stdout,
    /This is the answer to an earlier call of get_signals, paid once with \$0\.03/,
  )
  strictEqual(new Set(sent).size, 1)
  strictEqual(yield* spent, atomic("0.03") as bigint)
  for (const { stdout } of [first, second]) ok(!stdout.includes(key.slice(2)))
}, market())

liveTest("deno task agent reports a wrong argument or variable, but never a key", function* () {
  const wrong: ReadonlyArray<readonly [ReadonlyArray<string>, Record<string, string>, RegExp]> = [
    [["--polls", "x"], {}, /--polls must be a whole number/],
    [[], { BUYER_PRIVATE_KEY: "0xsecret" }, /BUYER_PRIVATE_KEY must be 0x and 64 hex/],
  ]
  for (const [args, env, reason] of wrong) {
    const { code, stderr } = yield* runTask("agent", ["http://127.0.0.1:9", ...args], env)
    strictEqual(code, 1)
    match(stderr, reason)
    ok(!stderr.includes("secret"), stderr)
  }
  match((yield* runTask("agent", ["--help"])).stdout, /^ {2}--since .+/m)
})
