/**
 * The client as a process of its own, on Deno and on Node 20, against the whole service over HTTP: it is
 * killed at the worst moments, and answers are lost; the payer's balance shows what was paid.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok, strictEqual } from "node:assert/strict"
import { Effect, Layer } from "effect"
import { calls as callTable, fileLedger } from "bellwether-client"
import { packageSources } from "../../../bench/packageSources.ts"
import { atomic } from "../../../src/core/domain/money.ts"
import { address } from "../../../src/payments/domain/payment.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import { Ledger, playBalance } from "../../../src/payments/simulated/ledger.ts"
import { authorizationOf, buyerKey, payer } from "../../support/client/seller.ts"
import { liveTest } from "../../support/effect.ts"
import { type Between, serve, stockedWorld, wideLimits } from "../../support/http/servedService.ts"
import { market } from "../../support/payments/sales.ts"
import { registerSkipped } from "../../support/venues/oracle.ts"

const script = new URL("../../support/client/buyingProcess.ts", import.meta.url).pathname

/** The script as one file for Node; null where there is no Node, or no registry for the bundler. */
const bundle = await (async () => {
  const hasNode = await new Deno.Command("node", { args: ["--version"], stdout: "null" }).output()
    .then(({ success }) => success, () => false)
  if (!hasNode) return null
  const path = await Deno.makeTempFile({ suffix: ".mjs" })
  const sources = await packageSources(`export const calls = ${JSON.stringify(callTable)}`)
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["bundle", "--lock=tests/deno.lock", "--quiet", "--output", path],
      `--import-map=${new URL("imports.json", sources).pathname}`,
      script,
    ],
    cwd: new URL("../../..", import.meta.url),
  }).output()
  await Deno.remove(sources, { recursive: true })
  if (success) return path
  Deno.stderr.writeSync(stderr)
  return null
})()
globalThis.addEventListener("unload", () => bundle === null || Deno.removeSync(bundle))

/** When the answer to a payment is held back, and the process killed. */
type Moment =
  | "never"
  | "before the service reads it"
  | "before its answer is sent"
  | "within its answer"

interface Front {
  readonly base: string
  /** What happens to the next payment. */
  moment: Moment
  /** Called at that moment. */
  onMoment: () => void
  readonly nonces: Set<string>
  readonly keys: Set<string>
}

/** The whole service on its own port, with its real address. */
const openFront = Effect.gen(function* () {
  const front: Front = {
    ...{ base: "", moment: "never", onMoment: () => {} },
    ...{ nonces: new Set(), keys: new Set() },
  }
  const between: Between = async (request, send) => {
    const payment = request.headers.get("payment-signature")
    if (payment === null) return send(request)
    front.nonces.add(authorizationOf(payment).authorization.nonce)
    front.keys.add(request.headers.get("idempotency-key") ?? "")
    const { moment } = front
    front.moment = "never"
    if (moment === "before the service reads it") return lost(front)
    const answer = await send(request)
    if (moment === "before its answer is sent") {
      await answer.bytes()
      return lost(front)
    }
    if (moment === "never") return answer
    const half = (await answer.bytes()).slice(0, 20)
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => controller.enqueue(half),
      pull: (controller) => {
        front.onMoment()
        controller.error("lost")
      },
    }, { highWaterMark: 0 })
    return new Response(body, answer)
  }
  const payments = Layer.succeed(Payments, yield* Payments)
  const { base } = yield* serve(
    yield* stockedWorld(12),
    payments,
    { limits: wideLimits },
    between,
  )
  return Object.assign(front, { base })
})

/** An answer that never comes. */
function lost(front: Front): Response {
  front.onMoment()
  return new Response(new ReadableStream({ start: (controller) => controller.error("lost") }))
}

const runtimes: ReadonlyArray<readonly [string, ReadonlyArray<string> | null]> = [
  ["Deno", [
    ...[Deno.execPath(), "run", "--lock=tests/deno.lock", "--no-check", "--quiet", "--no-prompt"],
    ...["--allow-net", "--allow-read", "--allow-write", "--allow-env", script],
  ]],
  ["Node", bundle === null ? null : ["node", bundle]],
]

interface Call {
  readonly name: string
  readonly parameters: object
  readonly priceUsd: `${number}`
}

const calls: ReadonlyArray<Call> = [
  { name: "get_signals", parameters: { since: 3, count: 5 }, priceUsd: "0.03" },
  { name: "get_research", parameters: { market: "market-1" }, priceUsd: "1.00" },
]

/** What the process prints. */
interface End {
  readonly charged: boolean
  readonly hasBody: boolean
  readonly sentence: string
}

/** Starts the process; its end, or null when it was killed. */
const buyWith = (command: ReadonlyArray<string>, front: Front, folder: string, call: Call) =>
  Effect.promise(async (): Promise<End | null> => {
    const [program = "", ...args] = command
    const child = new Deno.Command(program, {
      args: [...args, front.base, folder, buyerKey, call.name, JSON.stringify(call.parameters)],
      cwd: new URL("../../..", import.meta.url),
      env: { NO_COLOR: "1" },
      ...{ stdin: "null", stdout: "piped", stderr: "piped" },
    }).spawn()
    front.onMoment = () => child.kill("SIGKILL")
    const { success, signal, stdout, stderr } = await child.output()
    const errors = new TextDecoder().decode(stderr)
    ok(success || signal === "SIGKILL", errors)
    ok(!errors.includes(buyerKey.slice(2)))
    return success ? JSON.parse(new TextDecoder().decode(stdout)) : null
  })

const folderOf = Effect.acquireRelease(
  Effect.promise(() => Deno.makeTempDir()),
  (folder) => Effect.promise(() => Deno.remove(folder, { recursive: true })),
)

const spent = Effect.gen(function* () {
  const ledger = yield* Ledger
  return playBalance - (yield* ledger.balance(address(payer)))
})

const moments: ReadonlyArray<Moment> = [
  ...["never", "before the service reads it", "before its answer is sent"] as const,
  "within its answer",
]

for (const [runtime, command] of runtimes) {
  if (command === null) {
    registerSkipped("a purchase on Node", "node, or the bundler of deno, is missing")
    continue
  }
  for (const moment of moments) {
    liveTest(
      moment === "never"
        ? `the client on ${runtime} pays once for each answer`
        : `the client on ${runtime}, killed after it paid and ${moment}, pays once after its restart`,
      function* () {
        const front = yield* openFront
        const folder = `${yield* folderOf}/ledger`
        let total = 0n
        for (const call of calls) {
          front.moment = moment
          if (moment !== "never") equal(yield* buyWith(command, front, folder, call), null)
          const end: End | null = yield* buyWith(command, front, folder, call)
          equal([end?.charged, end?.hasBody], [true, true], end?.sentence)
          match(
            end?.sentence ?? "",
            moment === "never" ? /^Paid \$\d.\d\d for get_\w+; / : /the answer to an earlier call/,
          )
          total += atomic(call.priceUsd)
          strictEqual(yield* spent, total)
        }
        equal([front.nonces.size, front.keys.size], [calls.length, calls.length])
        const state = yield* Effect.promise(() =>
          fileLedger(folder).transact((state) => ({ state, result: state }))
        )
        equal(state.payments.map(({ outcome }) => outcome), ["charged", "charged"])
      },
      market(),
    )
  }
}

liveTest(
  "processes with one ledger that make the same call at the same time never pay twice",
  function* () {
    const front = yield* openFront
    const folder = `${yield* folderOf}/ledger`
    const commands = runtimes.flatMap(([, command]) => command === null ? [] : [command])
    const call: Call = { name: "get_signals", parameters: { since: 3 }, priceUsd: "0.03" }
    const ends = yield* Effect.all(
      [...commands, ...commands].map((command) => buyWith(command, front, folder, call)),
      { concurrency: "unbounded" },
    )
    for (const end of ends) strictEqual(end?.charged, true, end?.sentence)
    // One that starts after another has ended signs a payment of its own; those that overlap share one payment.
    const alone = ends.filter((end) => !/earlier call/.test(end?.sentence ?? "")).length
    equal([front.nonces.size, front.keys.size], [alone, alone])
    strictEqual(yield* spent, atomic("0.03") * BigInt(alone))
  },
  market(),
)
