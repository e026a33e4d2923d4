/**
 * The demonstration agent against the whole service, in this process and as its own process with the
 * permissions of its task: the amount that it reports as spent is the amount in the ledger.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok, strictEqual } from "node:assert/strict"
import { Clock, Effect, Layer, Ref } from "effect"
import { type AgentOptions, runAgent } from "../../examples/agent.ts"
import { Ledger, playBalance } from "../../src/payments/simulated/ledger.ts"
import { atomic } from "../../src/core/domain/money.ts"
import { address } from "../../src/payments/domain/payment.ts"
import { Payments } from "../../src/payments/Payments.ts"
import { buyer } from "../support/payments/buyers.ts"
import { liveTest } from "../support/effect.ts"
import { makeService, makeWorld, serviceOptions } from "../support/http/httpService.ts"
import { sampleItem } from "../support/feed/items.ts"
import { freePort } from "../support/process.ts"
import { bookOf, endingMarket, pricesOver } from "../support/products.ts"
import { market } from "../support/payments/sales.ts"

/** Thirteen items; the last is a strong move of a market that has a report. */
const stockedWorld = Effect.gen(function* () {
  const world = yield* makeWorld(12)
  const now = yield* Clock.currentTimeMillis
  const sold = endingMarket(1, now)
  yield* Ref.set(world.productPorts.markets, [sold])
  yield* Ref.set(world.productPorts.books, [bookOf(sold, now)])
  yield* Ref.set(world.productPorts.series, pricesOver(7 * 24, now, { from: 0.4, to: 0.6 }))
  const strong = sampleItem(13, now)
  if (strong.type !== "mover") return world
  const data = {
    ...strong.data,
    zScore: 8,
    market: { ...strong.data.market, slug: String(sold.slug) },
  }
  yield* Ref.update(world.items, (items) => [...items, { ...strong, data }])
  return world
})

/** Starts the whole service, configured with its real address, until the scope closes. */
const openService = Effect.gen(function* () {
  const world = yield* stockedWorld
  const port = freePort()
  const base = `http://127.0.0.1:${port}`
  const plenty = { limit: 1_000, windowMs: 60_000 }
  const service = yield* makeService(world, Layer.succeed(Payments, yield* Payments), {
    ...serviceOptions,
    terms: { ...serviceOptions.terms, publicBaseUrl: base },
    limits: { free: plenty, documents: plenty, invalidPayments: plenty },
  })
  yield* Effect.acquireRelease(
    Effect.sync(() =>
      Deno.serve({ port, hostname: "127.0.0.1", onListen: () => {} }, service.handle)
    ),
    (server) => Effect.promise(() => server.shutdown()),
  )
  const grow = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    yield* Ref.update(world.items, (items) => [...items, sampleItem(14, now)])
    yield* service.refresh
  })
  return { base, grow }
})

const spentBy = Effect.fnUntraced(function* (who: string) {
  const ledger = yield* Ledger
  return playBalance - (yield* ledger.balance(address(who)))
})

const agentOptions = (base: string, options: Partial<AgentOptions>): AgentOptions => ({
  base: new URL(base),
  start: "llms",
  account: buyer(0),
  isThrowawayKey: true,
  limits: { budget: atomic("1.30"), perCall: atomic("1") },
  polls: 3,
  everyMs: 0,
  since: null,
  print: () => Effect.void,
  ...options,
})

liveTest(
  "the agent buys the feed, a digest, a report on a strong move, and later items",
  () =>
    Effect.gen(function* () {
      const { base, grow } = yield* openService
      const lines: Array<string> = []
      const print = (line: string) =>
        Effect.andThen(
          Effect.sync(() => void lines.push(line)),
          line.startsWith("poll 2 ") ? grow : Effect.void,
        )
      yield* runAgent(agentOptions(base, { print }))
      const text = lines.join("\n")
      equal(lines.filter((line) => line.startsWith("buying ")), [
        "buying     /v1/signals?since=3&count=20 for $0.03",
        "buying     /v1/digest for $0.10",
        "buying     /v1/research?market=market-1 for $1.00",
        "buying     /v1/signals?since=13&count=20 for $0.03",
      ])
      equal(lines.filter((line) => line.includes("receipt and record agree")).length, 4)
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

/** Starts the agent as `deno task agent` does, with the same permissions. */
const startAgent = Effect.fnUntraced(function* (
  base: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {},
) {
  const root = new URL("../..", import.meta.url)
  const { tasks } = JSON.parse(
    yield* Effect.promise(() => Deno.readTextFile(new URL("deno.json", root))),
  )
  const [deno, ...words]: ReadonlyArray<string> = tasks.agent.command.split(" ")
  strictEqual(deno, "deno")
  return new Deno.Command(Deno.execPath(), {
    args: [...words, base, ...args],
    cwd: root,
    env: { NO_COLOR: "1", ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn()
})

const key = `0x${"1".padStart(64, "0")}`

liveTest(
  "deno task agent runs with its permissions, spends its own key's money, and never prints the key",
  () =>
    Effect.gen(function* () {
      const { base } = yield* openService
      const child = yield* startAgent(
        base,
        ["--polls", "1", "--every", "0", "--since", "9", "--card"],
        {
          BUYER_PRIVATE_KEY: key,
          BUDGET_USD: "0.05",
        },
      )
      const { code, stdout, stderr } = yield* Effect.promise(() => child.output())
      const text = new TextDecoder().decode(stdout)
      equal([code, new TextDecoder().decode(stderr)], [0, ""], text)
      match(text, new RegExp(`^buyer {6}${buyer(0).address}\n`))
      match(text, /skipping {3}\/v1\/digest would be over the budget/)
      match(text, /bought {5}1 answers for \$0\.03[^]+left {7}\$0\.02 of \$0\.05/)
      ok(!text.includes(key) && !text.includes(key.slice(2)))
      strictEqual(yield* spentBy(buyer(0).address), atomic("0.03") as bigint)
    }).pipe(Effect.provide(market())),
)

liveTest(
  "deno task agent reports an invalid argument or variable, but never prints a key",
  () =>
    Effect.gen(function* () {
      for (
        const [args, env, reason] of [
          [["--polls", "x"], {}, /--polls must be a whole number/],
          [["--what"], {}, /^deno task agent \[base address\]/],
          [["ftp://a.example"], {}, /Not an address: ftp:\/\/a.example/],
          [[], { BUDGET_USD: "much" }, /BUDGET_USD must be an amount such as 0.25/],
          [[], { BUYER_PRIVATE_KEY: "0xsecret" }, /BUYER_PRIVATE_KEY must be 0x and 64 digits/],
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
      for (const option of ["--card", "--polls", "--every", "--since", "BUDGET_USD"]) {
        match(output, new RegExp(`^  ${option} .+`, "m"))
      }
    }),
)

liveTest("Ctrl-C ends the agent with its summary", () =>
  Effect.gen(function* () {
    const { base } = yield* openService
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
