/**
 * A stand-in for a language model that reads the news of a simulated world: it answers the requests of a
 * client of OpenAI's chat completions, without a network, and knows how the world words its headlines.
 *
 * A report of a wrong outcome is read as it is worded: the stand-in does not know what happened.
 *
 * @module
 */
import { type EpochMs, second } from "../../core/domain/time.ts"
import { safeName } from "../../core/domain/untrusted.ts"
import type { SimulatedMarket } from "./catalogue.ts"
import { headlineKinds, headlineOf, type Subject } from "./words.ts"
import type { World } from "./world.ts"

/** The name of the model in requests, and in what is published. */
export const simulatedReader = "simulated-reader"

/** Characters of a title in a request. */
const titleLengthMax = 300

interface AskedMarket {
  readonly question: string
  /** Absent in a question about the market's rules. */
  readonly outcomes?: readonly [string, string]
  readonly now: string
}

interface AskedHeadline {
  readonly headline: string
  readonly title: string
}

/** The rules of a simulated market have the venue's fixed phrases, which code reads. */
const noClause = {
  ...{ source: null, series: null, deadline: null, comparison: null },
  ...{ rounding: null, revision: null, void: null },
}

/** Answers questions about headlines in place of a model's server; each other request is refused. */
export const readerOf = (world: World): typeof fetch => {
  return async (input, init) => {
    const body = await new Request(input, init).json()
    const lines: ReadonlyArray<string> = String(body.messages?.at(-1)?.content).split("\n")
    const data = lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line))
    const [market, ...headlines]: [AskedMarket?, ...ReadonlyArray<AskedHeadline>] = data
    if (market?.question === undefined) return new Response(null, { status: 400 })
    const { question, outcomes, now } = market
    const found = marketOf(world, question, Date.parse(now))
    const answer = outcomes === undefined ? noClause : {
      readings: headlines.map(({ headline, title }) => ({
        story: headline,
        ...readingOf(found?.subject, outcomes, title),
      })),
    }
    return Response.json({
      model: simulatedReader,
      choices: [{
        finish_reason: "stop",
        message: { role: "assistant", content: JSON.stringify(answer) },
      }],
    })
  }
}

/** The market with this question that is open at `at`, or has just ended. */
function marketOf(world: World, question: string, at: EpochMs): SimulatedMarket | undefined {
  for (let slot = 0; slot < world.catalogue.slots; slot++) {
    const open = world.catalogue.at(slot, at)
    const last = world.catalogue.at(slot, open.opensAt - second)
    const found = [open, last].find((market) => safeName(market.question) === question)
    if (found !== undefined) return found
  }
  return undefined
}

const unrelated = { about: false, outcome: null, bears: null, decides: false, quote: "" } as const

function readingOf(
  subject: Subject | null | undefined,
  [first, second]: readonly [string, string],
  title: string,
) {
  if (subject === null || subject === undefined) return unrelated
  const kind = headlineKinds.find((kind) =>
    safeName(headlineOf(subject, kind), titleLengthMax) === title
  )
  const about = {
    about: true,
    quote: title,
    decides: kind === "first" || kind === "second",
  } as const
  switch (kind) {
    case undefined:
      return unrelated
    case "preview":
      return { ...about, outcome: null, bears: null }
    case "second":
      return { ...about, outcome: second, bears: "for" }
    default:
      return { ...about, outcome: first, bears: kind === "fall" ? "against" : "for" }
  }
}
