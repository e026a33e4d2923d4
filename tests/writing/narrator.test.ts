/**
 * True claims about generated digests and reports, over a real socket, are published, and the page is whole.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Arbitrary, Duration, Effect, References } from "effect"
import { digestPage } from "../../src/digest/domain/page.ts"
import { slotsOf as digestSlots } from "../../src/digest/domain/text.ts"
import { reportPage, slotsOf as reportSlots } from "../../src/research/domain/page.ts"
import { Narrator } from "../../src/writing/Narrator.ts"
import { type PageOptions, writePage } from "../../src/writing/writing.ts"
import { fillSlots } from "../../src/writing/domain/page.ts"
import { anyMaterial as anyDigestMaterial } from "../support/digest/digests.ts"
import { liveTest } from "../support/effect.ts"
import { anyMaterial as anyReportMaterial } from "../support/research/reports.ts"
import { sized } from "../support/size.ts"
import { modelServer, overModel } from "../support/writing/modelServer.ts"
import { writesTruly } from "../support/writing/writers.ts"

const runs = sized({ short: 12, full: 40 })
const within = Duration.minutes(4)

const anyDigest: Arbitrary.Arbitrary<PageOptions> = Arbitrary.map(anyDigestMaterial, (material) => {
  const page = digestPage(material)
  const slots = digestSlots(page)
  return { use: "digest", task: "You write a digest.", facts: page.facts, slots, within }
})
const anyReport: Arbitrary.Arbitrary<PageOptions> = Arbitrary.map(anyReportMaterial, (material) => {
  const page = reportPage(material)
  const slots = reportSlots(page)
  return { use: "report", task: "You write a report.", facts: page.facts, slots, within }
})

/** Writes generated pages with a model that claims what is true, and counts the claims. */
const writing = (any: Arbitrary.Arbitrary<PageOptions>) =>
  Effect.gen(function* () {
    const server = yield* modelServer(writesTruly)
    const sum = { accepted: 0, refused: 0, dropped: 0 }
    const property = Effect.fnUntraced(function* (options: PageOptions) {
      const page = yield* writePage(yield* Narrator, options)
      equal(page.slots.map(({ id }) => id), options.slots.map(({ id }) => id))
      ok(page.slots.every(({ sentences }) => sentences.length > 0))
      if (page.accepted === 0) equal(page.slots, fillSlots(options.slots, []))
      sum.accepted += page.accepted
      sum.refused += page.refused
      sum.dropped += page.dropped
      return true
    })
    const failure = Arbitrary.formatCheckFailure(
      yield* Arbitrary.checkEffect(any, property, { runs }).pipe(
        Effect.provide(overModel(server)),
        Effect.provideService(References.MinimumLogLevel, "None"),
      ),
    )
    ok(failure === undefined, failure)
    return sum
  })

/** The share of true claims that passes; some repeat one another, where facts have the same names. */
const passedShareMin = 0.75

for (const [name, any] of [["digest", anyDigest], ["report", anyReport]] as const) {
  liveTest(`true claims of a ${name} are published`, () =>
    Effect.gen(function* () {
      const { accepted, refused, dropped } = yield* writing(any)
      const share = 1 - refused / (accepted + refused + dropped)
      ok(
        accepted > 0 && share >= passedShareMin,
        `${accepted} accepted, ${refused} refused`,
      )
    }))
}
