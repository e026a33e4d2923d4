/**
 * The demonstration agent against the whole service, in this process and as its own process with the
 * permissions of its task: the amount that it reports as spent is the amount in the ledger.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok, strictEqual } from "node:assert/strict"
import { makeClient } from "bellwether-client"
import { Effect } from "effect"
import { makeSignatures } from "../../examples/agent/signatures.ts"
import { runAgent } from "../../examples/agent.ts"
import { Ledger, playBalance } from "../../src/payments/simulated/ledger.ts"
import { atomic } from "../../src/core/domain/money.ts"
import { address } from "../../src/payments/domain/payment.ts"
import { liveTest } from "../support/effect.ts"
import { openService, startTask } from "../support/examples/wholeService.ts"
import { buyer } from "../support/payments/buyers.ts"
import { market } from "../support/payments/sales.ts"

const key = `0x${"1".padStart(64, "0")}`

const spentBy = Effect.fnUntraced(function* (who: string) {
  const ledger = yield* Ledger
  return playBalance - (yield* ledger.balance(address(who)))
})

liveTest(
  "the agent buys the feed, a digest, a report on a strong move, and later items",
  () =>
    Effect.gen(function* () {
      const { base, grow } = yield* openService()
      const lines: Array<string> = []
      let polls = 0
      const print = (line: string) => void lines.push(line)
      const signatures = makeSignatures(new URL(base), print)
      const client = makeClient({
        ...{ baseUrl: base, privateKey: key, budgetUsd: "1.30", maxPriceUsd: "1" },
        fetch: signatures.fetch,
        onStep: print,
      })
      const run = yield* Effect.context<never>()
      yield* Effect.promise(() =>
        runAgent({
          ...{ base: new URL(base), client, signatures, start: "llms", isThrowawayKey: true },
          since: null,
          ...{ polls: 3, everyMs: 0, signal: new AbortController().signal },
          // The feed grows between the first poll and the second.
          sleep: () => polls++ === 0 ? Effect.runPromiseWith(run)(grow) : Promise.resolve(),
          print,
        })
      )
      const text = lines.join("\n")
      equal(lines.filter((line) => line.startsWith("buying ")), [
        'buying     get_signals {"since":3,"count":20}',
        "buying     get_digest {}",
        'buying     get_research {"market":"market-1"}',
        'buying     get_signals {"since":13,"count":20}',
      ])
      equal(lines.filter((line) => line.includes("receipt and record agree")).length, 4)
      equal(lines.filter((line) => line.startsWith("  the offer is signed by")).length, 4)
      equal(lines.filter((line) => line.startsWith("  the receipt is signed by")).length, 4)
      equal(lines.filter((line) => /^ {2}#\d+ moved: /.test(line)).length, 11)
      match(text, /digest of 20.+: “Nothing repriced”/)
      match(text, /report on “.+”, (low|medium|high) confidence/)
      match(
        text,
        /bought {5}4 answers for \$1\.16[^]+left {7}\$0\.14 of \$1\.30\n.+--since 14$/,
      )
      strictEqual(yield* spentBy(buyer(0).address), atomic("1.16") as bigint)
    }).pipe(Effect.provide(market())),
)

const changes: Readonly<
  Record<string, (answer: Response) => Response>
> = {
  "The signed receipt is wrong: it is of other bytes than those that arrived": (answer) => {
    const receipt = answer.headers.get("payment-response")
    return receipt === null
      ? answer
      : new Response('{"success":true}', { headers: { "payment-response": receipt } })
  },
  "The signed offer is wrong: it has other terms than the 402": (answer) => {
    const header = answer.headers.get("payment-required")
    if (header === null) return answer
    const required = JSON.parse(atob(header))
    required.resource.url = `${required.resource.url}/`
    const headers = new Headers(answer.headers)
    headers.set("payment-required", btoa(JSON.stringify(required)))
    return new Response(answer.body, { status: 402, headers })
  },
}

for (const [expected, change] of Object.entries(changes)) {
  liveTest(`the agent stops where ${expected.toLowerCase()}`, () =>
    Effect.gen(function* () {
      const { base } = yield* openService((_, answer) => change(answer))
      const print = () => {}
      const signatures = makeSignatures(new URL(base), print)
      const client = makeClient({
        ...{ baseUrl: base, privateKey: key, budgetUsd: "1.30", maxPriceUsd: "1" },
        fetch: signatures.fetch,
        clock: { nowMs: () => Date.now(), sleep: () => Promise.resolve() },
      })
      const message = yield* Effect.promise(() =>
        runAgent({
          ...{ base: new URL(base), client, signatures, start: "llms", isThrowawayKey: true },
          ...{ since: 0, polls: 1, everyMs: 0, signal: new AbortController().signal, print },
          sleep: () => Promise.resolve(),
        }).then(() => "", (error: Error) => error.message)
      )
      strictEqual(message, expected)
    }).pipe(Effect.provide(market())))
}

const temporaryFolder = Effect.acquireRelease(
  Effect.promise(() => Deno.makeTempDir()),
  (folder) => Effect.promise(() => Deno.remove(folder, { recursive: true })),
)

const startAgent = (base: string, args: ReadonlyArray<string>, env = {}) =>
  startTask("agent", [base, ...args], env)

liveTest(
  "deno task agent runs with its permissions, spends its own key's money, and never prints the key",
  () =>
    Effect.gen(function* () {
      const { base } = yield* openService()
      const folder = yield* temporaryFolder
      const child = yield* startAgent(
        base,
        ["--polls", "1", "--every", "0", "--since", "9", "--card"],
        {
          BUYER_PRIVATE_KEY: key,
          BUDGET_USD: "0.05",
          BUDGET_DIR: folder,
        },
      )
      const { code, stdout, stderr } = yield* Effect.promise(() => child.output())
      const text = new TextDecoder().decode(stdout)
      equal([code, new TextDecoder().decode(stderr)], [0, ""], text)
      match(text, new RegExp(`^buyer {6}${buyer(0).address}\n`))
      match(text, /skipping {3}get_digest: it would leave too little/)
      match(text, /bought {5}1 answers for \$0\.03[^]+left {7}\$0\.02 of \$0\.05/)
      ok(!text.includes(key) && !text.includes(key.slice(2)))
      strictEqual(yield* spentBy(buyer(0).address), atomic("0.03") as bigint)
    }).pipe(Effect.provide(market())),
)

/** Runs the agent with a key to its end. */
const ranWithKey = Effect.fnUntraced(function* (
  base: string,
  folder: string,
  args: ReadonlyArray<string> = [],
) {
  const env = { BUYER_PRIVATE_KEY: key, BUDGET_DIR: folder, BUDGET_USD: "0.06" }
  const child = yield* startAgent(base, ["--polls", "1", ...args], env)
  const { code, stdout, stderr } = yield* Effect.promise(() => child.output())
  const text = new TextDecoder().decode(stdout)
  equal([code, new TextDecoder().decode(stderr)], [0, ""], text)
  return text
})

for (const args of [[], ["--since", "3"]]) {
  liveTest(
    `after an unclear payment a restart sends the same one, with ${
      args.join(" ") || "no argument"
    }`,
    () =>
      Effect.gen(function* () {
        const sent: Array<string> = []
        let isCut = true
        const { base, grow } = yield* openService((request, answer) => {
          const payment = request.headers.get("payment-signature")
          if (payment !== null) sent.push(payment)
          const isLost = payment !== null || request.url.includes("/v1/payments/")
          return isCut && isLost ? new Response("gone", { status: 418 }) : answer
        })
        const folder = yield* temporaryFolder
        const first = yield* ranWithKey(base, folder)
        match(first, /stopping {3}the outcome of a payment is unclear/)
        match(first, /unclear {4}\$0\.03 for \/v1\/signals\?since=3&count=20:[^]+--since 3\n$/)
        isCut = false
        // Ten items before the newest is now another index.
        yield* grow
        const second = yield* ranWithKey(base, folder, args)
        match(
          second,
          /This is the answer to an earlier call of get_signals, paid once with \$0\.03; \$0\.03 of \$0\.06 left today/,
        )
        // The answer to it has the items up to 13; the new item is another call.
        match(second, /signed {5}\$0\.06;.+\nbought {5}2 answers for \$0\.06\n/)
        match(second, /left {7}\$0\.00 of \$0\.06\ncontinue {3}with --since 14\n$/)
        strictEqual(sent.at(-2), sent[0])
        strictEqual(new Set(sent).size, 2)
        strictEqual(yield* spentBy(buyer(0).address), atomic("0.06") as bigint)
        const third = yield* ranWithKey(base, folder, ["--since", "14"])
        match(third, /signed {5}\$0\.00;.+\nbought {5}0 answers/)
      }).pipe(Effect.provide(market())),
  )
}

liveTest(
  "deno task agent reports an invalid argument or variable, but never prints a key",
  () =>
    Effect.gen(function* () {
      for (
        const [args, env, reason] of [
          [["--polls", "x"], {}, /--polls must be a whole number/],
          [["--what"], {}, /^deno task agent \[base address\]/],
          [["ftp://a.example"], {}, /baseUrl must be an http or https address/],
          [[], { BUDGET_USD: "much" }, /budgetUsd must be an amount such as 0.25/],
          [
            [],
            { BUYER_PRIVATE_KEY: "0xsecret" },
            /privateKey must be 0x and 64 hexadecimal digits/,
          ],
        ] as const
      ) {
        const child = yield* startAgent("http://127.0.0.1:9", [...args], env)
        const { code, stderr } = yield* Effect.promise(() => child.output())
        const output = new TextDecoder().decode(stderr)
        strictEqual(code, 1)
        match(output, reason)
        ok(!output.includes("secret"), output)
      }
    }),
)

liveTest(
  "deno task agent --help describes each option, and does nothing else",
  () =>
    Effect.gen(function* () {
      const child = yield* startAgent("http://127.0.0.1:9", ["--help"])
      const { code, stdout } = yield* Effect.promise(() => child.output())
      const output = new TextDecoder().decode(stdout)
      strictEqual(code, 0)
      for (
        const option of ["--card", "--polls", "--every", "--since", "BUDGET_USD", "BUDGET_DIR"]
      ) {
        match(output, new RegExp(`^  ${option} .+`, "m"))
      }
    }),
)

liveTest("Ctrl-C ends the agent with its summary", () =>
  Effect.gen(function* () {
    const { base } = yield* openService()
    const child = yield* startAgent(base, ["--polls", "0", "--every", "600"], {
      BUDGET_USD: "0.03",
    })
    const text = yield* Effect.promise(async () => {
      let text = ""
      let interrupted = false
      for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
        text += chunk
        if (interrupted || !text.includes("skipping ")) continue
        interrupted = true
        child.kill("SIGINT")
      }
      return text
    })
    const { code } = yield* Effect.promise(() => child.status)
    equal(code, 0)
    match(text, /poll 1 [^]+bought {5}1 answers for \$0\.03[^]+continue {3}with --since 13\n$/)
    yield* Effect.promise(() => child.stderr.cancel())
  }).pipe(Effect.provide(market())))
