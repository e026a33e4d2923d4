/**
 * The laws of a narrator, on the template and on models that behave well or badly; and when a model's own
 * draft is published.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Effect, Layer, References } from "effect"
import { DigestNarrator } from "../../src/digest/DigestNarrator.ts"
import { ReportNarrator } from "../../src/research/ReportNarrator.ts"
import { draftsMax } from "../../src/writing/writing.ts"
import { briefOfDigest, briefOfReport } from "../injection/cases.ts"
import { harmless } from "../injection/world.ts"
import { liveTest } from "../support/effect.ts"
import {
  type Behaviour,
  completion,
  modelServer,
  overModel,
  status,
} from "../support/writing/modelServer.ts"
import { lies, writesByTemplate, writesFreely, writesLie } from "../support/writing/writers.ts"
import { narratorLaws, writeDigest, writeReport } from "./narrator.laws.ts"

const template = Layer.merge(DigestNarrator.layerTemplate, ReportNarrator.layerTemplate)
const quietly = Effect.provideService(References.MinimumLogLevel, "None")

for (const [name, body] of narratorLaws) {
  liveTest(`the template: ${name}`, () => body.pipe(Effect.provide(template), quietly))
}

const cites = lies["cites another fact"] ?? ((passage) => passage)
const behaviours: ReadonlyArray<readonly [string, Behaviour]> = [
  ["writes as the template does", writesByTemplate],
  ["writes freely", writesFreely],
  ["lies in one passage", writesLie(cites)],
  ["is unavailable", status(400)],
  ["writes nonsense", () => completion("{}")],
  [
    "does a little of everything",
    (call) =>
      [writesFreely, writesLie(cites), status(400), writesByTemplate, () => completion(null)][
        call.index % 5
      ]?.(call) ?? status(500)(call),
  ],
]

for (const [description, behaviour] of behaviours) {
  for (const [name, body] of narratorLaws) {
    liveTest(`a model that ${description}: ${name}`, () =>
      Effect.gen(function* () {
        const server = yield* modelServer(behaviour)
        yield* Effect.provide(body, overModel(server))
      }).pipe(quietly))
  }
}

const calm = { place: "question", payload: { family: "none", text: harmless.question } } as const

liveTest(
  "a valid first draft of a model is published under the model's name",
  () =>
    Effect.gen(function* () {
      for (const behaviour of [writesByTemplate, writesFreely]) {
        const server = yield* modelServer(behaviour)
        yield* Effect.gen(function* () {
          const { name } = yield* DigestNarrator
          const digest = yield* writeDigest(briefOfDigest(calm))
          const report = yield* writeReport(briefOfReport(calm))
          equal([digest.narrator, digest.requests], [name, 1])
          equal([report.narrator, report.requests], [name, 1])
        }).pipe(Effect.provide(overModel(server)))
      }
    }).pipe(quietly),
)

for (const [name, lie] of Object.entries(lies)) {
  liveTest(
    `a model that ${name} gets ${draftsMax} requests with complaints, and is not published`,
    () =>
      Effect.gen(function* () {
        const server = yield* modelServer(writesLie(lie))
        yield* Effect.gen(function* () {
          const digest = yield* writeDigest(briefOfDigest(calm))
          equal([digest.narrator, digest.requests], ["template", draftsMax])
          const report = yield* writeReport(briefOfReport(calm))
          equal([report.narrator, report.requests], ["template", draftsMax])
        }).pipe(Effect.provide(overModel(server)))
        const withComplaints = server.calls.map(({ complaints }) => complaints.length > 0)
        equal(withComplaints, [false, true, true, false, true, true])
      }).pipe(quietly),
  )
}

liveTest("a model that corrects its draft is published", () =>
  Effect.gen(function* () {
    const server = yield* modelServer(writesLie(cites), writesFreely)
    const { narrator, requests } = yield* Effect.provide(
      writeDigest(briefOfDigest(calm)),
      overModel(server),
    )
    equal([narrator, requests], ["stub-1", 2])
  }).pipe(quietly))
