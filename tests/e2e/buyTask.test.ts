/**
 * `deno task buy` as a process against the whole service: exit codes, machine-readable output, and
 * that nothing that was bought is cut or lost.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok, strictEqual } from "node:assert/strict"
import { Effect } from "effect"
import { join } from "node:path"
import { liveTest } from "../support/effect.ts"
import { openService, startTask } from "../support/examples/wholeService.ts"
import { market } from "../support/payments/sales.ts"

/** Runs the task to its end. */
const bought = Effect.fnUntraced(function* (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {},
  task: "buy" | "agent" = "buy",
) {
  const child = yield* startTask(task, args, env)
  const { code, stdout, stderr } = yield* Effect.promise(() => child.output())
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
  return { code, out: text(stdout), err: text(stderr) }
})

const research = (trigger: string) => `/v1/research?market=test-${trigger}`

/** What a call ends with, and its exit code. */
const ends: ReadonlyArray<readonly [target: string, code: number, fields: object]> = [
  ["/v1/latest", 0, { status: 200, charged: true }],
  [research("connection-closed"), 0, { status: 200, charged: true }],
  [research("payment-refused"), 1, { status: 402, charged: false }],
  ["/v1/research?market=nothing", 1, { status: 404, charged: false }],
  [research("fails-after-settlement"), 2, { status: 504, charged: true }],
]

liveTest(
  "--json prints one object with status, money, receipt and body, and the exit code fits",
  () =>
    Effect.gen(function* () {
      const { base } = yield* openService()
      for (const [target, code, fields] of ends) {
        const run = yield* bought([target, base, "--json"])
        const { status, charged, receipt, body, sentence } = JSON.parse(run.out)
        equal([run.code, { status, charged }], [code, fields], run.out + run.err)
        equal([receipt !== null, body !== null], [code === 0, code === 0])
        ok(sentence.length > 0)
      }
    }).pipe(Effect.provide(market())),
)

liveTest(
  "without options it prints challenge, receipt and the whole body, but no signature",
  () =>
    Effect.gen(function* () {
      const { base } = yield* openService()
      const { code, out, err } = yield* bought(["/v1/digest", base])
      equal([code, err.includes("receipt and record agree")], [0, true])
      match(out, /challenge\n\{[^]+"extensions": \[\n +"bazaar",[^]+payment sent\n[^]+receipt\n\{/)
      match(out, /"signature": "0x[0-9a-f]{8}\.\.\.[0-9a-f]{4}"/)
      ok(!/0x[0-9a-f]{120}/.test(out))
      const body = out.slice(
        out.indexOf("\nbody\n") + "\nbody\n".length,
        out.lastIndexOf("\n\nPaid "),
      )
      equal(JSON.parse(body).charged, true)
      match(out, /\nPaid \$0\.10 for get_digest; \$0\.90 of \$1\.00 left today\.\n$/)
    }).pipe(Effect.provide(market())),
)

liveTest(
  "--out writes the body; one that cannot be written is printed",
  () =>
    Effect.gen(function* () {
      const { base } = yield* openService()
      const folder = yield* Effect.promise(() => Deno.makeTempDir())
      const file = join(folder, "body.json")
      const run = yield* bought(["/v1/latest", base, "--out", file, "--json"])
      equal([run.code, JSON.parse(run.out).file, JSON.parse(run.out).body], [0, file, null])
      strictEqual(JSON.parse(Deno.readTextFileSync(file)).success, true)
      const lost = yield* bought(["/v1/latest", base, "--out", join(folder, "none/x"), "--json"])
      equal([lost.code, JSON.parse(lost.out).body.success], [0, true])
      yield* Effect.promise(() => Deno.remove(folder, { recursive: true }))
    }).pipe(Effect.provide(market())),
)

liveTest(
  "an unclear payment ends with 3, and the next run with the same ledger sends it again",
  () =>
    Effect.gen(function* () {
      let isCut = true
      const { base } = yield* openService((request, answer) => {
        const isPaid = request.headers.has("payment-signature")
        const isRecord = request.url.includes("/v1/payments/")
        return isCut && (isPaid || isRecord) ? new Response("gone", { status: 418 }) : answer
      })
      const folder = yield* Effect.promise(() => Deno.makeTempDir())
      const env = { BUYER_PRIVATE_KEY: `0x${"1".padStart(64, "0")}`, BUDGET_DIR: folder }
      const first = yield* bought(["/v1/latest", base, "--json"], env)
      equal([first.code, JSON.parse(first.out).charged], [3, null], first.out + first.err)
      isCut = false
      const second = yield* bought(["/v1/latest", base, "--json"], env)
      equal([second.code, JSON.parse(second.out).charged], [0, true], second.out + second.err)
      match(JSON.parse(second.out).sentence, /^This is the answer to an earlier call/)
      yield* Effect.promise(() => Deno.remove(folder, { recursive: true }))
    }).pipe(Effect.provide(market())),
)

liveTest(
  "a paid body with a wrong receipt is printed, or written, and the exit code is 2",
  () =>
    Effect.gen(function* () {
      const { base } = yield* openService((_, answer) => {
        const receipt = answer.headers.get("payment-response")
        if (receipt === null) return answer
        const changed = new Response(answer.body, answer)
        const wrong = { ...JSON.parse(atob(receipt)), network: "eip155:1" }
        changed.headers.set("payment-response", btoa(JSON.stringify(wrong)))
        return changed
      })
      const run = yield* bought(["/v1/latest", base, "--json"])
      const { charged, body, error } = JSON.parse(run.out)
      equal([run.code, charged, error.code], [2, true, "receipt_wrong"], run.out + run.err)
      strictEqual(body.success, true)
      const folder = yield* Effect.promise(() => Deno.makeTempDir())
      const file = join(folder, "body.json")
      strictEqual((yield* bought(["/v1/latest", base, "--out", file])).code, 2)
      strictEqual(JSON.parse(Deno.readTextFileSync(file)).success, true)
      yield* Effect.promise(() => Deno.remove(folder, { recursive: true }))
    }).pipe(Effect.provide(market())),
)

liveTest(
  "a defect of the program ends with 3, because a payment may have been sent",
  () =>
    Effect.gen(function* () {
      const { base } = yield* openService()
      const folder = yield* Effect.promise(() => Deno.makeTempDir())
      const preload = join(folder, "defect.js")
      Deno.writeTextFileSync(preload, 'crypto.randomUUID = () => { throw new TypeError("defect") }')
      const { code, stdout, stderr } = yield* Effect.promise(() =>
        new Deno.Command(Deno.execPath(), {
          args: [
            "run",
            "-A",
            "--preload",
            preload,
            "examples/buyer.ts",
            "/v1/latest",
            base,
            "--json",
          ],
          cwd: new URL("../..", import.meta.url),
        }).output()
      )
      const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes))
      strictEqual(code, 3, `${out}${err}`)
      const { charged, error } = JSON.parse(out ?? "")
      equal([charged, error.code], [null, "defect"])
      match(err ?? "", /TypeError: defect/)
      yield* Effect.promise(() => Deno.remove(folder, { recursive: true }))
    }).pipe(Effect.provide(market())),
)

liveTest(
  "--help describes each option and exit code; a wrong path or option ends with 1",
  () =>
    Effect.gen(function* () {
      const help = yield* bought(["--help"])
      strictEqual(help.code, 0)
      for (const option of ["--json", "--out FILE", "BUDGET_USD", "Exit codes"]) {
        ok(help.out.includes(option), option)
      }
      const wrong = [["/nothing"], ["--what"], ["/v1/latest", "ftp://a.example"]]
      for (const args of wrong) {
        const run = yield* bought(args)
        equal([run.code, run.out], [1, ""], args.join(" "))
      }
    }),
)

liveTest(
  "a service that does not run is said at once, by every program that buys",
  () =>
    Effect.gen(function* () {
      const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 })
      const base = `http://127.0.0.1:${listener.addr.port}`
      listener.close()
      const buy = yield* bought(["/v1/latest", base, "--json"])
      const { charged, sentence } = JSON.parse(buy.out)
      equal([buy.code, charged], [1, false])
      match(sentence, /nothing listens at http.*: start the service/)
      ok(!buy.err.includes("again in"), buy.err)
      const blocked = yield* bought(["/v1/latest", "http://127.0.0.1:9"])
      equal([blocked.code, blocked.err], [1, ""])
      match(
        blocked.out,
        /sends nothing to the port of http:\/\/127\.0\.0\.1:9: correct the address/,
      )
      const agent = yield* bought([base], {}, "agent")
      match(agent.out, /stopping .*nothing listens at http/)
      ok(!agent.err.includes("    at "), agent.err)
    }),
)

liveTest("an error about a setting names its variable", () =>
  Effect.gen(function* () {
    for (const name of ["BASE_URL", "BUDGET_USD", "MAX_PRICE_USD", "BUYER_PRIVATE_KEY"]) {
      const { code, err } = yield* bought([], { [name]: "no" })
      equal([code, err.includes(`${name} must be `)], [1, true], err)
    }
  }))
