/**
 * A stand-in for a language model that reads the news of a simulated world: it answers the requests of a
 * client of OpenAI's chat completions, without a network, and knows how the world words its headlines.
 *
 * A report of a wrong outcome is read as it is worded: the stand-in does not know what happened.
 *
 * @module
 */
import type { EpochMs } from "../../core/domain/time.ts"
import { safeName } from "../../core/domain/untrusted.ts"
import type { SimulatedMarket } from "./catalogue.ts"
import { headlineKinds } from "./words.ts"
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
export const readerOf = (world: World): typeof fetch => async (input, init) => {
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
      ...readingOf(found, outcomes, title),
    })),
  }
  const message = { role: "assistant", content: JSON.stringify(answer) }
  const choices = [{ finish_reason: "stop", message }]
  return Response.json({ model: simulatedReader, choices })
}

/** The market with this question that is open at `at`, or has just ended. */
function marketOf({ catalogue }: World, question: string, at: EpochMs) {
  return Array.from({ length: catalogue.slots }, (_, slot) => catalogue.at(slot, at))
    .flatMap((open) => [open, catalogue.generation(open.slot, open.generation - 1)])
    .find((market) => safeName(market.question) === question)
}

function readingOf(
  market: SimulatedMarket | undefined,
  [first, second]: readonly [string, string],
  title: string,
) {
  const kind = headlineKinds.find((kind) =>
    safeName(market?.headlines[kind] ?? "", titleLengthMax) === title
  )
  if (kind === undefined) {
    return { about: false, outcome: null, bears: null, decides: false, quote: "" }
  }
  return {
    about: true,
    outcome: kind === "second" ? second : first,
    bears: kind === "fall" ? "against" : "for",
    decides: kind === "first" || kind === "second",
    quote: title,
  }
}
