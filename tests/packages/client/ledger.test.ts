/**
 * The ledger: the laws of its rules against a model, the same on both adapters; and the folder of
 * fileLedger(): its mode, damage of every byte, and processes that are killed while they share it.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok, rejects } from "node:assert/strict"
import { Arbitrary, Effect, Schema } from "effect"
import { fileLedger, type Ledger, memoryLedger } from "bellwether-client"
import {
  daysMax,
  finalPaymentsMax,
  LedgerUnusable,
  leftToday,
  type OpenPayment,
  openPayment,
  outcomeMoves,
  type PaymentOutcome,
  signedToday,
  unusedSecondsMax,
  utcDay,
  withOutcome,
  withSigned,
} from "../../../packages/client/src/ledger.ts"
import { Random } from "../../support/random.ts"
import { sized } from "../../support/size.ts"
import { effectLaw } from "../../support/effect.ts"

const payer = `0x${"a1".repeat(20)}`
const payTo = `0x${"b2".repeat(20)}`
const startMs = 1_795_000_000_000
const dayMs = 86_400_000
const outcomes: ReadonlyArray<PaymentOutcome> = [
  ...["unclear", "unused", "charged", "uncharged", "refundQueued", "refunded"] as const,
]

const idOf = (n: number): string => `0x${n.toString(16).padStart(64, "0")}`

const paymentAt = (n: number, nowMs: number, amount: number, target = n): OpenPayment => ({
  paymentId: idOf(n),
  url: `http://a.example/v1/signals?since=${target}`,
  payer,
  amount: String(amount),
  day: utcDay(nowMs),
  validBefore: Math.floor(nowMs / 1_000) + 120,
  outcome: "unclear",
  sent: { signature: `signature ${n}`, key: `key ${n}` },
})

/** Reserves as the client does: only within the budget, and only without an open payment. */
const reserve = (ledger: Ledger, payment: OpenPayment, budget: number, nowMs: number) =>
  ledger.transact<"open" | "over" | "signed">((state) => {
    if (openPayment(state, { url: payment.url, payer }) !== null) {
      return { state, result: "open" }
    }
    if (BigInt(payment.amount) > leftToday(state, BigInt(budget), nowMs)) {
      return { state, result: "over" }
    }
    return { state: withSigned(state, payment, payTo), result: "signed" }
  })

const outcomeOf = (ledger: Ledger, n: number, outcome: PaymentOutcome) =>
  ledger.transact((state) => ({ state: withOutcome(state, idOf(n), outcome), result: undefined }))

const Step = Schema.Union([
  Schema.Struct({
    do: Schema.Literal("reserve"),
    amount: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 12 })),
    target: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 })),
  }),
  Schema.Struct({
    do: Schema.Literal("outcome"),
    of: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9 })),
    becomes: Schema.Literals(outcomes),
  }),
  Schema.Struct({
    do: Schema.Literal("clock"),
    hours: Schema.Int.check(Schema.isBetween({ minimum: -30, maximum: 50 })),
  }),
  Schema.Struct({ do: Schema.Literal("restart") }),
])
const History = Schema.Struct({
  budget: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 30 })),
  steps: Schema.Array(Step),
})

interface Modelled {
  readonly target: number
  readonly amount: number
  readonly atMs: number
  outcome: PaymentOutcome
  /** It was not used, and another one was signed more than a day after its end. */
  isForgotten: boolean
}

/** Runs a history on a ledger and on a model of plain lists, and compares them after every step. */
async function compare(open: () => Ledger, { budget, steps }: typeof History.Type): Promise<void> {
  let ledger = open()
  let nowMs = startMs
  const model: Array<Modelled> = []
  for (const step of steps) {
    switch (step.do) {
      case "clock":
        nowMs += step.hours * 3_600_000
        break
      case "restart":
        ledger = open()
        break
      case "outcome": {
        await outcomeOf(ledger, step.of, step.becomes)
        const one = model[step.of]
        if (one?.isForgotten === false && outcomeMoves[one.outcome].includes(step.becomes)) {
          one.outcome = step.becomes
        }
        break
      }
      case "reserve": {
        const { amount, target } = step
        const result = await reserve(
          ledger,
          paymentAt(model.length, nowMs, amount, target),
          budget,
          nowMs,
        )
        const isOpen = model.some((one) =>
          one.target === target && !one.isForgotten &&
          (one.outcome === "unclear" || one.outcome === "unused")
        )
        const counted = model.filter(({ atMs }) => utcDay(atMs) >= utcDay(nowMs))
          .reduce((sum, { amount }) => sum + amount, 0)
        equal(result, isOpen ? "open" : counted + amount > budget ? "over" : "signed")
        if (result !== "signed") break
        for (const one of model) {
          const isOld = one.atMs + unusedSecondsMax * 1_000 <= nowMs
          one.isForgotten ||= one.outcome === "unused" && isOld
        }
        model.push({ target, amount, atMs: nowMs, outcome: "unclear", isForgotten: false })
      }
    }
    await sameAs(ledger, model, budget, nowMs)
  }
}

async function sameAs(
  ledger: Ledger,
  model: ReadonlyArray<Modelled>,
  budget: number,
  nowMs: number,
): Promise<void> {
  const state = await ledger.transact((state) => ({ state, result: state }))
  const perDay = new Map<string, number>()
  for (const { amount, atMs } of model) {
    perDay.set(utcDay(atMs), (perDay.get(utcDay(atMs)) ?? 0) + amount)
  }
  for (const [day, sum] of perDay) ok(sum <= budget, `${sum} on ${day}`)
  equal(new Map(Object.entries(state.signedByDay).map(([day, sum]) => [day, Number(sum)])), perDay)
  equal(
    state.payments.map(({ outcome, sent }) => [outcome, sent !== null]),
    model.filter(({ isForgotten }) => !isForgotten)
      .map(({ outcome }) => [outcome, outcome === "unclear" || outcome === "unused"]),
  )
  ok(leftToday(state, BigInt(budget), nowMs) + signedToday(state, nowMs) >= BigInt(budget))
}

/** A folder that is deleted afterwards. */
async function inFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir()
  try {
    await run(folder)
  } finally {
    await Deno.remove(folder, { recursive: true })
  }
}

const ledgerLaw = (
  name: string,
  runs: number,
  check: (history: typeof History.Type) => Promise<void>,
) =>
  effectLaw(name, Arbitrary.schema(History), (history) => Effect.promise(() => check(history)), {
    runs,
  })

ledgerLaw(
  "memoryLedger() signs within the budget of each day, and once while a payment is open",
  sized({ short: 300, full: 3_000 }),
  (history) => {
    const ledger = memoryLedger()
    return compare(() => ledger, history)
  },
)

ledgerLaw(
  "fileLedger() does the same, also over restarts",
  sized({ short: 20, full: 200 }),
  (history) => inFolder((folder) => compare(() => fileLedger(`${folder}/ledger`), history)),
)

for (
  const [name, open] of [
    ["memoryLedger()", () => memoryLedger()],
    ["fileLedger()", (folder: string) => fileLedger(`${folder}/ledger`)],
  ] as const
) {
  Deno.test(`${name} keeps its state when a change fails, and applies changes one after the other`, () =>
    inFolder(async (folder) => {
      const ledger = open(folder)
      await reserve(ledger, paymentAt(0, startMs, 10), 100, startMs)
      await rejects(ledger.transact(() => Promise.reject(new TypeError("no"))), TypeError)
      const results = await Promise.all(
        Array.from(
          { length: 20 },
          (_, n) => reserve(ledger, paymentAt(n + 1, startMs, 10), 100, startMs),
        ),
      )
      equal(results.filter((result) => result === "signed").length, 9)
    }))

  Deno.test(`${name} forgets final payments and old days, and never an unclear payment`, () =>
    inFolder(async (folder) => {
      const ledger = open(folder)
      const days = sized({ short: daysMax + 5, full: daysMax + 51 })
      await ledger.transact((state) => {
        let next = state
        for (let n = 0; n < days; n += 1) {
          const payment = paymentAt(n, startMs + n * dayMs, 1)
          next = withSigned(next, payment, payTo)
          if (n >= 3) {
            next = withOutcome(next, payment.paymentId, n % 2 === 0 ? "charged" : "unused")
          }
        }
        return { state: next, result: undefined }
      })
      const state = await ledger.transact((state) => ({ state, result: state }))
      equal(Object.keys(state.signedByDay).length, daysMax)
      equal(state.payments.length, 3 + finalPaymentsMax)
      equal(state.payments.slice(0, 3).map(({ outcome }) => outcome), [
        "unclear",
        "unclear",
        "unclear",
      ])
      equal(signedToday(state, startMs + (days - 1) * dayMs), 1n)
    }))
}

Deno.test("fileLedger() has the mode 0600 in a folder of mode 0700, and keeps few versions", () =>
  inFolder(async (folder) => {
    const path = `${folder}/deep/ledger`
    for (let n = 0; n < 30; n += 1) {
      await reserve(fileLedger(path), paymentAt(n, startMs, 1), 100, startMs)
    }
    const names = [...Deno.readDirSync(path)].map(({ name }) => name).sort()
    ok(
      names.length <= 10 && names.every((name) => /^ledger-\d{12}\.json$/.test(name)),
      names.join(),
    )
    equal(names.at(-1), "ledger-000000000030.json")
    equal((Deno.statSync(path).mode ?? 0) & 0o777, 0o700)
    for (const name of names) equal((Deno.statSync(`${path}/${name}`).mode ?? 0) & 0o777, 0o600)
  }))

/** The newest version of a ledger with one signed payment. */
async function newestFile(folder: string): Promise<string> {
  await reserve(fileLedger(folder), paymentAt(0, startMs, 7), 100, startMs)
  await outcomeOf(fileLedger(folder), 0, "charged")
  await reserve(fileLedger(folder), paymentAt(1, startMs, 7), 100, startMs)
  return `${folder}/ledger-000000000003.json`
}

Deno.test("fileLedger() refuses a damaged ledger, whichever byte it is", () =>
  inFolder(async (folder) => {
    const path = await newestFile(`${folder}/ledger`)
    const bytes = await Deno.readFile(path)
    const step = sized({ short: 17, full: 1 })
    for (let at = 0; at < bytes.length; at += step) {
      const damaged = bytes.slice()
      damaged[at] = (damaged[at] ?? 0) ^ 1
      await Deno.writeFile(path, damaged)
      await rejects(
        reserve(fileLedger(`${folder}/ledger`), paymentAt(2, startMs, 1), 100, startMs),
        LedgerUnusable,
      )
      await Deno.writeFile(path, bytes.slice(0, at))
      await rejects(
        reserve(fileLedger(`${folder}/ledger`), paymentAt(2, startMs, 1), 100, startMs),
        LedgerUnusable,
      )
    }
    await Deno.writeFile(path, bytes)
    equal(
      await reserve(fileLedger(`${folder}/ledger`), paymentAt(2, startMs, 1), 15, startMs),
      "signed",
    )
  }))

Deno.test("fileLedger() says in a sentence why a ledger cannot be used", () =>
  inFolder(async (folder) => {
    const use = (path: string) =>
      fileLedger(path).transact((state) => ({ state: { ...state }, result: 0 }))
    const reasonOf = (path: string) =>
      use(path).then(
        () => "none",
        (error) => error instanceof LedgerUnusable ? error.message : String(error),
      )
    await Deno.writeTextFile(`${folder}/file`, "{}")
    match(await reasonOf(`${folder}/file`), /this is a file, and a ledger is a folder$/)
    match(await reasonOf(`${folder}/file/below`), /this is a file, and a ledger is a folder$/)
    const path = await newestFile(`${folder}/ledger`)
    await Deno.writeTextFile(path, "{}")
    match(
      await reasonOf(`${folder}/ledger`),
      /ledger-000000000003.json is damaged\. Look at what was paid, then move/,
    )
    await Deno.writeTextFile(`${folder}/ledger/ledger-000000000004.json`, "")
    match(await reasonOf(`${folder}/ledger`), /ledger-000000000004.json is damaged/)
    match(await reasonOf("/proc/none"), /^The ledger in \/proc\/none cannot be used: E[A-Z]+$/)
  }))

Deno.test("fileLedger() deletes what killed processes left after an hour, and nothing sooner", () =>
  inFolder(async (folder) => {
    await newestFile(folder)
    const [old, recent] = [`${folder}/tmp-old`, `${folder}/tmp-recent`]
    for (const path of [old, recent]) await Deno.writeTextFile(path, "half")
    const { mtime } = await Deno.stat(old)
    const past = new Date((mtime?.getTime() ?? 0) - 3_700_000)
    await Deno.utime(old, past, past)
    await outcomeOf(fileLedger(folder), 1, "charged")
    const names = [...Deno.readDirSync(folder)].map(({ name }) => name)
    ok(!names.includes("tmp-old") && names.includes("tmp-recent"), names.join())
  }))

Deno.test("fileLedger() gives up with a sentence when others change the ledger all the time", () =>
  inFolder(async (folder) => {
    const [slow, other] = [fileLedger(folder), fileLedger(folder)]
    let n = 0
    await rejects(
      slow.transact(async (state) => {
        await other.transact((state) => ({
          state: withSigned(state, paymentAt(n += 1, startMs, 0), payTo),
          result: 0,
        }))
        return { state: withSigned(state, paymentAt(9_999_999, startMs, 0), payTo), result: 0 }
      }),
      /changed by other processes for 5 s/,
    )
    const state = await other.transact((state) => ({ state, result: state }))
    ok(!state.payments.some(({ paymentId }) => paymentId === idOf(9_999_999)))
  }))

/** The script of one process: it reserves until the budget is used up, and prints what it got. */
const reserver = new URL("../../support/client/reserver.ts", import.meta.url)

const processes = 8
const processBudget = 400

Deno.test({
  name:
    `fileLedger() shared by ${processes} processes that are killed at random stays within the budget`,
  fn: () =>
    inFolder(async (folder) => {
      const path = `${folder}/ledger`
      const random = new Random(18)
      const killsMax = sized({ short: 8, full: 60 })
      const printed: Array<string> = []
      let kills = 0
      let isUsedUp = false
      const runOne = async (nth: number): Promise<void> => {
        for (let start = 0; !isUsedUp; start += 1) {
          const child = new Deno.Command(Deno.execPath(), {
            args: [
              ...["run", "--no-check", "--no-prompt", "--quiet", "--allow-read", "--allow-write"],
              ...[reserver.pathname, path, `${nth}-${start}`, String(processBudget)],
            ],
            stdout: "piped",
            stderr: "inherit",
          }).spawn()
          const output = readLines(child.stdout, printed)
          if (kills < killsMax && random.chance(0.8)) {
            kills += 1
            const afterMs = random.between(150, 900)
            await Promise.race([
              child.status,
              new Promise((resolve) => setTimeout(resolve, afterMs)),
            ])
            kill(child)
          }
          const { code, signal } = await child.status
          await output
          ok(code === 0 || signal === "SIGKILL", `exit code ${code}`)
          if (code === 0) isUsedUp = true
        }
      }
      await Promise.all(Array.from({ length: processes }, (_, nth) => runOne(nth)))
      const state = await fileLedger(path).transact((state) => ({ state, result: state }))
      const stored = new Set(state.payments.map(({ paymentId }) => paymentId))
      const sum = state.payments.reduce((sum, { amount }) => sum + Number(amount), 0)
      equal(Number(signedToday(state, startMs)), sum)
      equal(sum, processBudget)
      equal(stored.size, state.payments.length)
      // What a process was granted it may have sent, so it must be in the ledger.
      for (const id of printed) ok(stored.has(id), `${id} was granted and is not stored`)
      ok(printed.length > 20 && kills > 0, `${printed.length} grants, ${kills} kills`)
    }),
})

async function readLines(stream: ReadableStream<Uint8Array>, lines: Array<string>): Promise<void> {
  let rest = ""
  for await (
    const text of stream.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>)
  ) {
    const parts = `${rest}${text}`.split("\n")
    rest = parts.pop() ?? ""
    lines.push(...parts)
  }
}

function kill(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL")
  } catch {
    // It has ended by itself.
  }
}
