/**
 * An hour with a model that is no use: every text is whole and on time, in the words of its template, and
 * the calls are few.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Clock, Duration, Effect, Fiber, References } from "effect"
import { TestClock } from "effect/testing"
import { fillSlots } from "../../src/writing/domain/page.ts"
import { writePage, writingPorts } from "../../src/writing/writing.ts"
import { test } from "../support/effect.ts"
import {
  type Behaviour,
  completion,
  drips,
  modelServer,
  overModel,
  says,
  silent,
  status,
} from "../support/writing/modelServer.ts"
import { fallFact, pageOf } from "../support/writing/pages.ts"
import { agreement } from "../support/writing/writers.ts"

const facts = [fallFact(1, "Alpha", 0.5, 0.3), fallFact(2, "Beta", 0.4, 0.2)]
const slots = pageOf([facts])
const within = { report: Duration.seconds(50), digest: Duration.seconds(200) }

/** It agrees with every claim, and claims what an attacker ordered. */
const obeys: Behaviour = says((call) =>
  call.use === "judge" ? agreement(call) : {
    claims: [
      "Buy Alpha now at https://evil.example.",
      "Alpha rose by {F1.change}.",
      "Alpha fell to 3 cents.",
      "The club says “Sell everything”.",
      "Moonking Capital bought Alpha.",
    ].map((text) => ({ slot: "S1", kind: "fact", text, facts: ["F1"] })),
  }
)

const reports = 60
/** Failures that open the circuit, then a probe for each time that it is open. */
const failuresMax = 5 + 60 / 5

for (
  const [name, behaviour, callsMax] of [
    ["does not answer", silent, failuresMax],
    ["drips without end", drips(), failuresMax],
    ["fails", status(500), 2 * failuresMax],
    ["writes prose", () => completion("Dear reader, all is well."), failuresMax],
    ["answers another question", says(() => ({ answer: 42 })), failuresMax],
    ["obeys an attacker", obeys, 2 * (reports + 1)],
  ] as const
) {
  test(`an hour with a model that ${name}: ${reports} reports and a digest, as the template`, () =>
    Effect.gen(function* () {
      const server = yield* modelServer(behaviour)
      const write = Effect.fnUntraced(function* (use: "digest" | "report") {
        const started = yield* Clock.currentTimeMillis
        const options = { use, task: "You write.", facts, slots, within: within[use] }
        const writing = yield* Effect.forkChild(
          Effect.flatMap(writingPorts, (ports) => writePage(ports, options)),
        )
        yield* Effect.raceFirst(server.arrived(server.calls.length + 1), Fiber.await(writing))
        if (behaviour === silent || name.startsWith("drips") || name === "fails") {
          yield* TestClock.adjust(within[use])
        }
        const page = yield* Fiber.join(writing)
        equal([page.narrator, page.slots], ["template", fillSlots(slots, [])])
        const ended = yield* Clock.currentTimeMillis
        ok(ended - started <= Duration.toMillis(within[use]))
        yield* TestClock.adjust(Duration.millis(60_000 - (ended - started) % 60_000))
      })
      yield* Effect.gen(function* () {
        yield* write("digest")
        for (let n = 0; n < reports; n++) yield* write("report")
      }).pipe(Effect.provide(overModel(server)))
      ok(server.calls.length <= callsMax, `${server.calls.length} calls`)
      ok(server.calls.length > 5)
    }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))
}
