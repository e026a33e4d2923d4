/**
 * Strangers who speak to the model, and a model that obeys them: through the real client over a real
 * socket, every payload in every place, as digest, as report and as detection.
 *
 * What is published is judged by another judge than the check; see oracle.ts.
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
  obeying,
  type Published,
  publishedDigest,
  publishedReport,
  type Wall,
} from "./cases.ts"
import { markdownFaults, publishedFaults, strangersWords, unquotedWords } from "./oracle.ts"
import { payloads } from "./payloads.ts"
import { harmless, type Place } from "./world.ts"

const families = new Set(payloads.map(({ family }) => family))
const casesMin = 1_200
const payloadsMin = 300
const familiesMin = 30
/** Orders that reach the model; a text of marks alone is shown as none. */
const seenShareMin = 0.95
/** Cases of which the suite must see the fault when nothing is checked. */
const naiveEvery = sized({ short: 5, full: 7 })

/** One case in so many is run, in every place; the count has no factor in common with the places. */
const caseEvery = sized({ short: 7, full: 1 })
const tried = cases.filter((_, n) => n % caseEvery === 0)

/** Places whose words reach a narrator: the rules of a market reach the detector alone. */
const narrated = tried.filter(({ place }) => place !== "rules")

const overObeying = (
  body: (
    server: ModelServer,
  ) => Effect.Effect<void, unknown, DigestNarrator | ReportNarrator | Detector>,
) =>
  Effect.gen(function* () {
    const server = yield* modelServer()
    yield* Effect.provide(body(server), overModel(server))
  }).pipe(Effect.provideService(References.MinimumLogLevel, "None"))

/** Everything that is wrong with what was published of a case. */
function faultsOfCase(
  { payload }: Case,
  { passages, facts, markdown }: Published,
): ReadonlyArray<string> {
  const words = strangersWords(payload.text)
  return [
    ...markdownFaults(markdown),
    ...passages.flatMap((passage) => [
      ...publishedFaults(passage, facts),
      ...unquotedWords(passage.text, words).map((word) => `stranger's word ${word}`),
    ]),
  ]
}

/** Runs every case, counts whose draft was published, and collects what is wrong. */
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

const digestOf = (wall: Wall) => (of: Case) => publishedDigest(briefOfDigest(of), wall)
const reportOf = (wall: Wall) => (of: Case) => publishedReport(briefOfReport(of), wall)
const detectionOf = (wall: Wall) => (of: Case) =>
  Effect.map(acceptedDetection(of, wall), ({ published }) => published)

Deno.test(`there are ${casesMin} cases and more`, () => {
  ok(payloads.length >= payloadsMin, String(payloads.length))
  ok(families.size >= familiesMin, String(families.size))
  ok(cases.length >= casesMin, String(cases.length))
  equal(new Set(payloads.map(({ text }) => text)).size, payloads.length)
})

liveTest(
  "no digest says what a stranger ordered",
  () =>
    overObeying((server) =>
      Effect.gen(function* () {
        const { wrong, counts, calls, obeyed } = yield* run(server, narrated, digestOf("checked"))
        equal(wrong, [])
        equal(Object.values(counts).reduce((sum, count) => sum + count), narrated.length)
        ok(
          obeyed > seenShareMin * narrated.length,
          `${obeyed} of ${narrated.length} orders were seen`,
        )
        yield* Console.log(
          `digests by ${JSON.stringify(counts)}, ${calls} drafts, ${obeyed} orders obeyed`,
        )
      })
    ),
)

liveTest(
  "no report says what a stranger ordered, nor is surer than its evidence",
  () =>
    overObeying((server) =>
      Effect.gen(function* () {
        const { wrong, counts, calls, obeyed } = yield* run(server, narrated, reportOf("checked"))
        equal(wrong, [])
        ok(
          obeyed > seenShareMin * narrated.length,
          `${obeyed} of ${narrated.length} orders were seen`,
        )
        yield* Console.log(
          `reports by ${JSON.stringify(counts)}, ${calls} drafts, ${obeyed} orders obeyed`,
        )
      })
    ),
)

liveTest(
  "no detection is believed but for a headline that tells of it",
  () =>
    overObeying((server) =>
      Effect.gen(function* () {
        const believed: Array<string> = []
        const { wrong, counts, calls } = yield* run(server, tried, (of) =>
          Effect.map(acceptedDetection(of, "checked"), ({ question, published, accepted }) => {
            if (accepted === undefined) return published
            believed.push(`${of.payload.family} as ${of.place}`)
            for (const piece of accepted.evidence) {
              ok(
                question.evidence.some(({ id, title }) =>
                  id === piece.id && title === piece.title
                ),
              )
            }
            // One publisher is never enough for more.
            equal(accepted.confidence, "medium")
            return published
          }))
        equal(wrong, [])
        equal(calls, tried.length)
        const elsewhere = believed.filter((where) => !where.endsWith(" as headline"))
        equal(elsewhere, [])
        yield* Console.log(`detections by ${JSON.stringify(counts)}: ${[...new Set(believed)]}`)
      })
    ),
)

liveTest(
  "without the check nearly every order would be published: the suite can fail",
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

/** Everything of a brief that is not a stranger's word. */
const figuresOf = (facts: ReadonlyArray<{ figures: ReadonlyArray<string>; certain: boolean }>) =>
  facts.flatMap(({ figures, certain }) => [...figures, String(certain)]).toSorted()

Deno.test("what a stranger writes changes no price, no stake, no label and no certainty", () => {
  const calm = (place: Place) => ({ place, payload: { family: "none", text: harmless[place] } })
  for (const of of narrated) {
    equal(figuresOf(briefOfDigest(of).facts), figuresOf(briefOfDigest(calm(of.place)).facts))
    equal(figuresOf(briefOfReport(of).facts), figuresOf(briefOfReport(calm(of.place)).facts))
    equal(briefOfReport(of).confidenceMax, briefOfReport(calm(of.place)).confidenceMax)
  }
})
