/**
 * Prompt injection against a model that obeys it: every payload in every place, as digest, report and
 * detection, with the real client over a real socket.
 *
 * Published texts are checked by an independent oracle (oracle.ts), not by the fact check.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Console, Effect, References } from "effect"
import type { Detector } from "../../src/predetermined/Detector.ts"
import type { DigestNarrator } from "../../src/digest/DigestNarrator.ts"
import type { ReportNarrator } from "../../src/research/ReportNarrator.ts"
import { liveTest } from "../support/effect.ts"
import { sized } from "../support/size.ts"
import { type ModelServer, modelServer, overModel } from "../support/writing/modelServer.ts"
import {
  acceptedDetection,
  briefOfDigest,
  briefOfReport,
  type Case,
  cases,
  type Checking,
  obeying,
  type Published,
  publishedDigest,
  publishedReport,
} from "./cases.ts"
import { foreignWordsOf, markdownFaults, publishedFaults, unquotedWords } from "./oracle.ts"
import { payloads } from "./payloads.ts"
import { harmless, type Place } from "./world.ts"

const families = new Set(payloads.map(({ family }) => family))
const casesMin = 1_200
const payloadsMin = 300
const familiesMin = 30
/** The share of orders that reach the model; sanitizing removes some. */
const obeyedShareMin = 0.95
/** Every n-th case runs without the check too: the suite must detect the faults. */
const naiveEvery = sized({ short: 5, full: 7 })

/** One case in so many is run; the step shares no factor with the number of places. */
const caseEvery = sized({ short: 7, full: 1 })
const selected = cases.filter((_, n) => n % caseEvery === 0)

/** Cases that reach a narrator: the rules of a market reach only the detector. */
const narrated = selected.filter(({ place }) => place !== "rules")

const overObeying = (
  body: (
    server: ModelServer,
  ) => Effect.Effect<void, unknown, DigestNarrator | ReportNarrator | Detector>,
) =>
  Effect.gen(function* () {
    const server = yield* modelServer()
    yield* Effect.provide(body(server), overModel(server))
  }).pipe(Effect.provideService(References.MinimumLogLevel, "None"))

/** All faults of the texts published for a case. */
function faultsOfCase(
  { payload }: Case,
  { passages, facts, markdown }: Published,
): ReadonlyArray<string> {
  const words = foreignWordsOf(payload.text)
  return [
    ...markdownFaults(markdown),
    ...passages.flatMap((passage) => [
      ...publishedFaults(passage, facts),
      ...unquotedWords(passage.text, words).map((word) => `foreign word ${word}`),
    ]),
  ]
}

/** Runs the cases, counts the published texts by author, and collects their faults. */
const run = Effect.fnUntraced(function* <R>(
  server: ModelServer,
  some: ReadonlyArray<Case>,
  publish: (of: Case) => Effect.Effect<Published | null, unknown, R>,
) {
  const wrong: Array<string> = []
  const counts: Record<string, number> = {}
  let obeyed = 0
  for (const of of some) {
    let found = false
    server.does(obeying(of, (it) => found ||= it))
    const published = yield* publish(of)
    if (found) obeyed++
    const by = published?.by ?? "nothing"
    counts[by] = (counts[by] ?? 0) + 1
    const faults = published === null ? [] : faultsOfCase(of, published)
    if (faults.length > 0) {
      wrong.push(`${of.payload.family} as ${of.place}: ${faults.slice(0, 4).join("; ")}`)
    }
  }
  return { wrong, counts, obeyed, calls: server.calls.length }
})

const digestOf = (checking: Checking) => (of: Case) => publishedDigest(briefOfDigest(of), checking)
const reportOf = (checking: Checking) => (of: Case) => publishedReport(briefOfReport(of), checking)
const detectionOf = (checking: Checking) => (of: Case) =>
  Effect.map(acceptedDetection(of, checking), ({ published }) => published)

Deno.test(`there are at least ${casesMin} cases`, () => {
  ok(payloads.length >= payloadsMin, String(payloads.length))
  ok(families.size >= familiesMin, String(families.size))
  ok(cases.length >= casesMin, String(cases.length))
  equal(new Set(payloads.map(({ text }) => text)).size, payloads.length)
})

liveTest(
  "no digest contains an injected order",
  () =>
    overObeying((server) =>
      Effect.gen(function* () {
        const { wrong, counts, calls, obeyed } = yield* run(server, narrated, digestOf("checked"))
        equal(wrong, [])
        equal(Object.values(counts).reduce((sum, count) => sum + count), narrated.length)
        ok(
          obeyed > obeyedShareMin * narrated.length,
          `${obeyed} of ${narrated.length} orders reached the model`,
        )
        yield* Console.log(
          `digests by ${JSON.stringify(counts)}, ${calls} drafts, ${obeyed} orders obeyed`,
        )
      })
    ),
)

liveTest(
  "no report contains an injected order, or words of certainty without a certain fact",
  () =>
    overObeying((server) =>
      Effect.gen(function* () {
        const { wrong, counts, calls, obeyed } = yield* run(server, narrated, reportOf("checked"))
        equal(wrong, [])
        ok(
          obeyed > obeyedShareMin * narrated.length,
          `${obeyed} of ${narrated.length} orders reached the model`,
        )
        yield* Console.log(
          `reports by ${JSON.stringify(counts)}, ${calls} drafts, ${obeyed} orders obeyed`,
        )
      })
    ),
)

liveTest(
  "no detection is accepted: the only headline of an outcome has no second, independent one",
  () =>
    overObeying((server) =>
      Effect.gen(function* () {
        const accepted: Array<string> = []
        const { wrong, counts, calls } = yield* run(server, selected, (of) =>
          Effect.map(acceptedDetection(of, "checked"), (detection) => {
            if (detection.accepted !== undefined) {
              accepted.push(`${of.payload.family} as ${of.place}`)
            }
            return detection.published
          }))
        equal([wrong, accepted], [[], []])
        equal(calls, selected.length)
        yield* Console.log(`detections by ${JSON.stringify(counts)}`)
      })
    ),
)

liveTest(
  "without the fact check most orders are published, so the suite can fail",
  () =>
    overObeying((server) =>
      Effect.gen(function* () {
        const some = narrated.filter((_, n) => n % naiveEvery === 0)
        const naive = {
          digests: yield* run(server, some, digestOf("naive")),
          reports: yield* run(server, some, reportOf("naive")),
          detections: yield* run(server, some, detectionOf("naive")),
        }
        for (const [what, { wrong }] of Object.entries(naive)) {
          yield* Console.log(`unchecked ${what}: ${wrong.length} of ${some.length} are wrong`)
          ok(wrong.length > some.length / 2, `${what}: ${wrong.length} of ${some.length}`)
        }
      })
    ),
)

/** All figures and certainties of a brief, without untrusted text. */
const figuresOf = (facts: ReadonlyArray<{ figures: ReadonlyArray<string>; certain: boolean }>) =>
  facts.flatMap(({ figures, certain }) => [...figures, String(certain)]).toSorted()

Deno.test("untrusted text changes no price, no stake, no label and no certainty", () => {
  const calm = (place: Place) => ({ place, payload: { family: "none", text: harmless[place] } })
  for (const of of narrated) {
    equal(figuresOf(briefOfDigest(of).facts), figuresOf(briefOfDigest(calm(of.place)).facts))
    equal(figuresOf(briefOfReport(of).facts), figuresOf(briefOfReport(calm(of.place)).facts))
    equal(briefOfReport(of).confidenceMax, briefOfReport(calm(of.place)).confidenceMax)
  }
})
