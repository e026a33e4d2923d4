/**
 * Some of the simulated runs, and their quality: the same seed gives the same run, and the runs
 * make every transition.
 *
 * @module
 */
import { deepStrictEqual as equal, notStrictEqual, ok } from "node:assert/strict"
import { Deferred, Duration, Effect, Fiber } from "effect"
import { layer } from "../../../src/payments/wasmSignatures.ts"
import { type PaymentState, paymentStates } from "../../../src/payments/domain/payment.ts"
import { Signatures } from "../../../src/payments/Signatures.ts"
import { Random } from "../../support/random.ts"
import { sized } from "../../support/size.ts"
import { simulate } from "./simulate.ts"
import { VirtualTime } from "./virtualTime.ts"
import { moves } from "../../support/payments/moves.ts"

const seeds = 250
const realSignatures = await Effect.runPromise(Signatures.pipe(Effect.provide(layer)))

Deno.test(`${seeds} runs violate no invariant, and make every move that is not rare`, () => {
  const made = new Set<string>()
  for (let seed = 1; seed <= seeds; seed++) {
    const { result, transitions } = simulate(seed, realSignatures)
    equal([seed, ...result.violations], [seed])
    for (const transition of transitions) made.add(transition)
  }
  const missing = (["compute-first", "settle-early"] as const).flatMap((order) =>
    paymentStates.flatMap((from: PaymentState) =>
      Object.keys(moves[order][from]).map((event) => `${order} ${from}: ${event}`)
    )
  ).filter((transition) => !made.has(transition) && !rare.has(transition))
  equal(missing, [])
})

/** Without unique keys both payments must be verified at the same moment: one run in about 400. */
const mutants = sized({
  short: ["no keys"] as const,
  full: ["no keys", "no unique keys"] as const,
})
for (const mutant of mutants) {
  Deno.test(`a store with ${mutant} charges a key twice, and the invariants find it`, () => {
    let seed = 1
    const finds = () =>
      simulate(seed, realSignatures, mutant).result.violations.some((text) => /^I13/.test(text))
    const seedsMax = 1_200
    while (seed <= seedsMax && !finds()) seed++
    ok(seed <= seedsMax, "no run found it")
  })
}

/** Each is in less than one run of 75; the last two need a chain that reorganises a safe block. */
const rare = new Set([
  ...["compute-first settling: void", "settle-early settling: void", "settle-early released: owe"],
  ...["compute-first unresolved: owe", "compute-first void: owe", "settle-early void: owe"],
  ...["compute-first refund_due: void", "settle-early refund_due: void"],
])

Deno.test("the same seed gives the same run, and another seed another run", () => {
  for (const seed of [3, 4, 5, 6]) {
    const [run, again] = [simulate(seed, realSignatures), simulate(seed, realSignatures)]
    equal(run.lines, again.lines)
    equal([run.digest, run.steps, run.result], [again.digest, again.steps, again.result])
    notStrictEqual(run.digest, simulate(seed + 1_000, realSignatures).digest)
  }
})

/** Three fibers that yield to each other, and the order in which they ran. */
const race = Effect.gen(function* () {
  const order: Array<string> = []
  const runner = (name: string) =>
    Effect.gen(function* () {
      for (let step = 0; step < 5; step++) {
        order.push(name)
        yield* Effect.yieldNow
      }
    })
  yield* Effect.all([runner("a"), runner("b"), runner("c")], { concurrency: "unbounded" })
  return order.join("")
})

Deno.test("virtual time schedules at random, and in the same order for the same seed", () => {
  const orders = Array.from({ length: 20 }, (_, seed) => {
    const ran = () => new VirtualTime(0, new Random(seed)).run(race, 10_000)
    const order = ran()
    equal(ran(), order)
    return order
  })
  ok(new Set(orders).size > 10)
})

Deno.test("virtual time passes only when no task is ready, up to the next sleeper", () => {
  const time = new VirtualTime(1_000, new Random(1))
  const woken: Array<[string, number]> = []
  const sleeper = (name: string, seconds: number) =>
    Effect.andThen(
      Effect.sleep(Duration.seconds(seconds)),
      Effect.sync(() => woken.push([name, time.currentTimeMillisUnsafe()])),
    )
  const started = time.run(
    Effect.gen(function* () {
      const never = yield* Effect.forkChild(sleeper("interrupted", 2))
      yield* Effect.all([sleeper("late", 3), sleeper("early", 1), Fiber.interrupt(never)], {
        concurrency: "unbounded",
      })
      return yield* Effect.timeoutOption(Effect.never, Duration.hours(1))
    }),
    10_000,
  )
  equal([started._tag, woken], ["None", [["early", 2_000], ["late", 4_000]]])
  equal(time.currentTimeMillisUnsafe(), 4_000 + 3_600_000)
})

Deno.test("virtual time fails a run that can never end", () => {
  const endless = Effect.flatMap(Deferred.make<void>(), Deferred.await)
  let message = ""
  try {
    new VirtualTime(0, new Random(1)).run(endless, 10_000)
  } catch (error) {
    message = String(error)
  }
  ok(message.includes("No task is ready"), message)
})
