/**
 * `deno task buy` as a process against the whole service: exit codes, machine-readable output, and
 * that nothing that was bought is cut or lost.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok, strictEqual } from "node:assert/strict"
import { join } from "node:path"
import { liveTest } from "../support/effect.ts"
import { openService, runTask } from "../support/examples/wholeService.ts"
import { buyerKey } from "../support/payments/buyers.ts"
import { market } from "../support/payments/sales.ts"
import { run, temporaryFolder } from "../support/process.ts"

const bought = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  runTask("buy", args, env)

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
  function* () {
    const { base } = yield* openService()
    for (const [target, code, fields] of ends) {
      const run = yield* bought([target, base, "--json"])
      const { status, charged, receipt, body, sentence } = JSON.parse(run.stdout)
      equal([run.code, { status, charged }], [code, fields], run.stdout + run.stderr)
      equal([receipt !== null, body !== null], [code === 0, code === 0])
      ok(sentence.length > 0)
    }
  },
  market(),
)

/** What is refused: the arguments after the address, the environment, the code, the hint. */
const refused: ReadonlyArray<
  readonly [target: string, env: Readonly<Record<string, string>>, code: string, hint: RegExp]
> = [
  ["/v1/lastest", {}, "unknown_path", /^Did you mean \/v1\/latest\? The paths are \/v1\/index,/],
  ["/v1/signal?indx=1", {}, "invalid_parameter", /^Correct the parameter; nothing was sent\.$/],
  ["/v1/latest", { BUDGET_USD: "no" }, "invalid_setting", /^Correct it; nothing was sent\.$/],
  ["/v1/research?market=nothing", {}, "market_not_found", /^Try these\.$/],
]

liveTest("a refused call says with --json and without it what to correct", function* () {
  const { base } = yield* openService((_, answer) =>
    answer.status === 404
      ? Response.json({
        error: {
          ...{ code: "market_not_found", message: "None", retryable: false, charged: false },
          hint: "Try\u202e these.",
        },
      }, { status: 404 })
      : answer
  )
  for (const [target, env, code, hint] of refused) {
    const json = yield* bought([target, base, "--json"], env)
    const { status, charged, receipt, body, error, ...said } = JSON.parse(json.stdout)
    equal([json.code, charged, receipt, body, error.code], [1, false, null, null, code])
    equal(status, code === "market_not_found" ? 404 : null)
    match(said.hint, hint)
    const text = yield* bought([target, base], env)
    const shown = text.stdout + text.stderr
    ok(shown.includes(said.hint), `${said.hint} is not in ${shown}`)
  }
  const { stdout } = yield* bought(["/v1/latest", base, "--json", "--what"])
  const { charged, error } = JSON.parse(stdout)
  equal([charged, error.code], [false, "invalid_argument"])
}, market())

liveTest(
  "without options it prints challenge, receipt and the whole body, but no signature",
  function* () {
    const { base } = yield* openService()
    const { code, stdout: out, stderr } = yield* bought(["/v1/digest", base])
    equal([code, stderr.includes("receipt and record agree")], [0, true])
    match(out, /challenge\n\{[^]+"extensions": \[\n +"bazaar",[^]+payment sent\n[^]+receipt\n\{/)
    match(out, /"signature": "0x[0-9a-f]{8}\.\.\.[0-9a-f]{4}"/)
    ok(!/0x[0-9a-f]{120}/.test(out))
    const body = out.slice(
      out.indexOf("\nbody\n") + "\nbody\n".length,
      out.lastIndexOf("\n\nPaid "),
    )
    equal(JSON.parse(body).charged, true)
    match(out, /\nPaid \$0\.10 for get_digest; \$0\.90 of this client's \$1\.00 left today\.\n$/)
  },
  market(),
)

liveTest("--out writes the body; one that cannot be written is printed", function* () {
  const { base } = yield* openService()
  const folder = yield* temporaryFolder
  const file = join(folder, "body.json")
  const run = yield* bought(["/v1/latest", base, "--out", file, "--json"])
  equal([run.code, JSON.parse(run.stdout).file, JSON.parse(run.stdout).body], [0, file, null])
  strictEqual(JSON.parse(Deno.readTextFileSync(file)).success, true)
  const lost = yield* bought(["/v1/latest", base, "--out", join(folder, "none/x"), "--json"])
  equal([lost.code, JSON.parse(lost.stdout).body.success], [0, true])
}, market())

liveTest(
  "an unclear payment ends with 3, and the next run with the same ledger sends it again",
  function* () {
    let isCut = true
    const { base } = yield* openService((request, answer) => {
      const isPaid = request.headers.has("payment-signature")
      const isRecord = request.url.includes("/v1/payments/")
      return isCut && (isPaid || isRecord) ? new Response("gone", { status: 418 }) : answer
    })
    const folder = yield* temporaryFolder
    const env = { BUYER_PRIVATE_KEY: buyerKey(0), BUDGET_DIR: folder }
    const first = yield* bought(["/v1/latest", base, "--json"], env)
    equal([first.code, JSON.parse(first.stdout).charged], [3, null], first.stdout + first.stderr)
    isCut = false
    const second = yield* bought(["/v1/latest", base, "--json"], env)
    equal(
      [second.code, JSON.parse(second.stdout).charged],
      [0, true],
      second.stdout + second.stderr,
    )
    match(JSON.parse(second.stdout).sentence, /^This is the answer to an earlier call/)
  },
  market(),
)

liveTest(
  "a paid body with a wrong receipt is printed, or written, and the exit code is 2",
  function* () {
    const { base } = yield* openService((_, answer) => {
      const receipt = answer.headers.get("payment-response")
      if (receipt === null) return answer
      const changed = new Response(answer.body, answer)
      const wrong = { ...JSON.parse(atob(receipt)), network: "eip155:1" }
      changed.headers.set("payment-response", btoa(JSON.stringify(wrong)))
      return changed
    })
    const run = yield* bought(["/v1/latest", base, "--json"])
    const { charged, body, error } = JSON.parse(run.stdout)
    equal([run.code, charged, error.code], [2, true, "receipt_wrong"], run.stdout + run.stderr)
    strictEqual(body.success, true)
    const folder = yield* temporaryFolder
    const file = join(folder, "body.json")
    strictEqual((yield* bought(["/v1/latest", base, "--out", file])).code, 2)
    strictEqual(JSON.parse(Deno.readTextFileSync(file)).success, true)
  },
  market(),
)

liveTest("a defect of the program ends with 3, because a payment may have been sent", function* () {
  const { base } = yield* openService()
  const folder = yield* temporaryFolder
  const preload = join(folder, "defect.js")
  Deno.writeTextFileSync(preload, 'crypto.randomUUID = () => { throw new TypeError("defect") }')
  const { code, stdout, stderr } = yield* run([
    ...[Deno.execPath(), "run", "-A", "--preload", preload],
    ...["examples/buyer.ts", "/v1/latest", base, "--json"],
  ])
  strictEqual(code, 3, `${stdout}${stderr}`)
  const { charged, error } = JSON.parse(stdout)
  equal([charged, error.code], [null, "defect"])
  match(stderr, /TypeError: defect/)
}, market())

liveTest(
  "--help describes each option and exit code; a wrong path or option ends with 1",
  function* () {
    const help = yield* bought(["--help"])
    strictEqual(help.code, 0)
    for (const option of ["--json", "--out FILE", "BUDGET_USD", "Exit codes"]) {
      ok(help.stdout.includes(option), option)
    }
    const wrong = [["/nothing"], ["--what"], ["/v1/latest", "ftp://a.example"]]
    for (const args of wrong) {
      const run = yield* bought(args)
      equal([run.code, run.stdout], [1, ""], args.join(" "))
    }
  },
)

liveTest("a service that does not run is said at once, by every program that buys", function* () {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 })
  const base = `http://127.0.0.1:${listener.addr.port}`
  listener.close()
  const buy = yield* bought(["/v1/latest", base, "--json"])
  const { charged, sentence } = JSON.parse(buy.stdout)
  equal([buy.code, charged], [1, false])
  match(sentence, /nothing listens at http.*: start the service/)
  ok(!buy.stderr.includes("again in"), buy.stderr)
  const blocked = yield* bought(["/v1/latest", "http://127.0.0.1:9"])
  equal([blocked.code, blocked.stderr], [1, ""])
  match(
    blocked.stdout,
    /sends nothing to the port of http:\/\/127\.0\.0\.1:9: correct the address/,
  )
  const agent = yield* runTask("agent", [base])
  match(agent.stdout, /stopping .*nothing listens at http/)
  ok(!agent.stderr.includes("    at "), agent.stderr)
})

liveTest("an error about a setting names its variable", function* () {
  for (const name of ["BASE_URL", "BUDGET_USD", "MAX_PRICE_USD", "BUYER_PRIVATE_KEY"]) {
    const { code, stderr } = yield* bought([], { [name]: "no" })
    equal([code, stderr.includes(`${name} must be `)], [1, true], stderr)
  }
})
