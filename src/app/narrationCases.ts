/**
 * The cases of `deno task narrate`: the facts and slots of digests and reports, and the questions of
 * detections, each in a JSON file of `fixtures/narration/cases`.
 *
 * @module
 */
import { Effect, Schema } from "effect"
import { type Market, MarketId, Slug, TokenId } from "../markets/domain/market.ts"
import type { DetectionQuestion } from "../predetermined/domain/detection.ts"

/** Cases of one run, and bytes of one file. */
const casesMax = 200
const caseBytesMax = 512 * 1024

const text = Schema.String
const finite = Schema.Finite
const valueTypes = Schema.Union([
  ...(["price", "change", "rate", "usd", "deviations"] as const).map((type) =>
    Schema.Struct({ type: Schema.Literal(type), value: finite })
  ),
  Schema.Struct({ type: Schema.Literal("count"), value: finite, noun: text, nouns: text }),
  Schema.Struct({ type: Schema.Literal("duration"), ms: finite }),
  Schema.Struct({ type: Schema.Literal("time"), at: finite, today: finite }),
  Schema.Struct({ type: Schema.Literal("name"), text }),
  Schema.Struct({ type: Schema.Literal("word"), text }),
])

const FactCase = Schema.Struct({
  id: text,
  kind: Schema.Literals([
    ...["mover", "whale_entry", "predetermined", "resolution", "news", "upcoming"] as const,
    ...["market", "price", "book", "whale", "relation", "rules", "record"] as const,
    ...["coverage", "method"] as const,
  ]),
  subject: Schema.NullOr(text),
  values: Schema.Record(text, valueTypes),
  direction: Schema.NullOr(Schema.Literals(["up", "down"])),
  negative: Schema.Boolean,
  statement: text,
  figures: Schema.Array(text),
  names: Schema.Array(text),
  links: Schema.Array(text),
  certain: Schema.Boolean,
})

const SentenceCase = Schema.Struct({ text, facts: Schema.Array(text) })

/** A page to be written. */
const PageCase = Schema.Struct({
  kind: Schema.Literal("page"),
  use: Schema.Literals(["digest", "report"]),
  task: text,
  facts: Schema.Array(FactCase),
  slots: Schema.Array(Schema.Struct({
    id: text,
    topic: text,
    facts: Schema.Array(text),
    sentences: Schema.NonEmptyArray(SentenceCase),
    aboutItself: Schema.Boolean,
  })),
})

/** A question for the detector, and the right answer: an outcome, or null when none is known. */
const DetectionCase = Schema.Struct({
  kind: Schema.Literal("detection"),
  question: text,
  outcomes: Schema.Tuple([text, text]),
  siblings: Schema.Array(Schema.Struct({
    question: text,
    outcomes: Schema.Tuple([text, text]),
    exclusive: Schema.Boolean,
  })),
  exclusive: Schema.Boolean,
  eventSlug: text,
  gameStartsAt: Schema.NullOr(finite),
  rules: text,
  mid: finite,
  endsAt: Schema.NullOr(finite),
  proposal: Schema.NullOr(Schema.Struct({
    outcome: Schema.Literals([0, 1]),
    proposedAt: finite,
    settlesAt: Schema.NullOr(finite),
    disputed: Schema.Boolean,
  })),
  evidence: Schema.NonEmptyArray(Schema.Struct({
    id: text,
    kind: Schema.Literals(["venue", "news"]),
    title: text,
    url: text,
    source: text,
    publishedAt: finite,
  })),
  now: finite,
  expected: Schema.NullOr(text),
})

const decodeCase = Schema.decodeUnknownEffect(
  Schema.fromJsonString(Schema.Union([PageCase, DetectionCase])),
)
export type PageCase = typeof PageCase.Type
export type DetectionCase = typeof DetectionCase.Type

export interface NarrationCase {
  /** The name of its file. */
  readonly name: string
  readonly content: PageCase | DetectionCase
}

export class CasesRefused
  extends Schema.TaggedError<CasesRefused>()("CasesRefused", { message: Schema.String }) {}

/** Every case of a folder, in the order of their names. */
export const readCases = Effect.fn("readCases")(function* (dir: string) {
  const refuse = (message: string) => new CasesRefused({ message })
  const names = yield* Effect.try({
    try: () =>
      Deno.readDirSync(dir).filter(({ isFile, name }) => isFile && name.endsWith(".json"))
        .map(({ name }) => name).toArray().toSorted(),
    catch: () => refuse(`Cannot read the folder ${dir}`),
  })
  if (names.length > casesMax) return yield* refuse(`${dir} has more than ${casesMax} cases`)
  return yield* Effect.forEach(names, (name) =>
    Effect.gen(function* () {
      const path = `${dir}/${name}`
      const content = yield* Effect.tryPromise({
        try: () => Deno.readTextFile(path),
        catch: () => refuse(`Cannot read ${path}`),
      })
      if (content.length > caseBytesMax) return yield* refuse(`${path} is too large`)
      const decoded = yield* decodeCase(content).pipe(
        Effect.mapError(() => refuse(`${path} is no narration case`)),
      )
      return { name: name.slice(0, -".json".length), content: decoded } satisfies NarrationCase
    }))
})

/** The question with a market that has no more than the question needs. */
export function questionOf(
  { question, outcomes, siblings, exclusive, eventSlug, gameStartsAt, endsAt, ...rest }:
    DetectionCase,
): DetectionQuestion {
  const market: Market = {
    id: MarketId.make("case"),
    slug: Slug.make("case"),
    question,
    eventSlug,
    url: "https://venue.example/case",
    category: null,
    outcomes,
    tokenIds: [TokenId.make("1"), TokenId.make("2")],
    endsAt,
    gameStartsAt,
    eventKey: "case",
    exclusive,
    volumeUsd: 0,
    volume24hUsd: null,
    liquidityUsd: 0,
    status: rest.proposal === null ? "open" : "proposed",
    listed: null,
    takerFeeRate: 0,
    mechanical: null,
  }
  const { rules, mid, evidence, now } = rest
  return {
    market,
    siblings,
    rules,
    mid,
    proposal: rest.proposal === null ? null : { ...rest.proposal, marketId: market.id },
    evidence,
    now,
  }
}
