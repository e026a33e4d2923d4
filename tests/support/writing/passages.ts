/**
 * Generated facts of every kind with hostile names, and prose built from them piece by piece, so that a
 * test can change a single piece.
 *
 * @module
 */
import { Arbitrary } from "effect"
import { isWordOfCertainty, isWordOfNumber } from "../../../src/writing/domain/certainty.ts"
import type { Fact, FactKind, Passage } from "../../../src/writing/domain/facts.ts"
import { adjectiveList, fixedList, nounList } from "../../../src/writing/domain/plainWordLists.ts"
import { isUnitWord } from "../../../src/writing/domain/plainWords.ts"
import { safeName } from "../../../src/core/domain/untrusted.ts"
import { anyInt, hostileText, oneOf } from "../http/hostile.ts"

const kinds: ReadonlyArray<FactKind> = [
  ...["mover", "whale_entry", "predetermined", "resolution", "news", "upcoming"] as const,
  ...["market", "price", "book", "whale", "coverage", "method"] as const,
]

function grouped(n: number): string {
  return String(n).replace(/(?<=\d)(?=(?:\d{3})+$)/g, ",")
}

/** A figure in any of the spellings of facts. */
export const anyFigure: Arbitrary.Arbitrary<string> = Arbitrary.map(
  Arbitrary.all({ form: anyInt(0, 10), n: anyInt(1, 9_999), big: anyInt(1, 99_999_999) }),
  ({ form, n, big }) =>
    [
      `${n / 10_000}`,
      `${n % 100} hours`,
      `${grouped(big)} USD`,
      `-${(n / 10_000).toFixed(4)}`,
      `+${n / 10_000}`,
      `${n / 100}%`,
      `${grouped(n)} wallets`,
      `${n % 30} of ${n % 30 + 40} entries`,
      `20${10 + n % 90}-11-${10 + n % 20}`,
      `${10 + n % 14}:${10 + n % 50} UTC`,
      `${1 + n % 28} November 20${10 + n % 90}`,
    ][form] ?? "",
)

const honestNames = [
  "Will the Fed cut rates in March?",
  "Bitcoin above $100,000 on 31 December?",
  "Silent-Whale 77",
  "Yes",
  "Trump’s tariffs struck down by the court",
  "Zürich Insurance wins again: confirmed, resolved",
  "Double or nothing: one million percent guaranteed",
]

export const anyName: Arbitrary.Arbitrary<string> = Arbitrary.map(
  Arbitrary.all({ honest: anyInt(0, 2), name: oneOf(honestNames), text: hostileText }),
  ({ honest, name, text }) => safeName(honest === 0 ? text : honest === 1 ? name : name + text),
)

const anyLink = Arbitrary.map(
  Arbitrary.all({ host: oneOf(["news.example", "a.example"]), n: anyInt(0, 999) }),
  ({ host, n }) => `https://${host}/2026/story-${n}?a=${n}&b=(c)`,
)

export interface FactsDrawn {
  readonly figures: ReadonlyArray<string>
  readonly names: ReadonlyArray<string>
  readonly links: ReadonlyArray<string>
  readonly kind: FactKind
  readonly certain: boolean
}

const anyFact = (certain: boolean): Arbitrary.Arbitrary<FactsDrawn> =>
  Arbitrary.map(
    Arbitrary.all({
      figures: Arbitrary.array(anyFigure, { minLength: 1, maxLength: 4 }),
      names: Arbitrary.array(anyName, { minLength: 1, maxLength: 3 }),
      links: Arbitrary.array(anyLink, { minLength: 1, maxLength: 2 }),
      kind: oneOf(kinds),
    }),
    (drawn) => ({ ...drawn, certain }),
  )

/** Plain words that are no unit; neither numbers nor words of certainty. */
export const fillers: ReadonlyArray<string> = [nounList, adjectiveList, fixedList]
  .flatMap((list) => list.split(/\s+/))
  .filter((word) => word !== "" && word !== "win" && !isWordOfNumber(word))
  .filter((word) => !isWordOfCertainty(word) && !isUnitWord(word))
  .filter((word) => word !== "positive" && word !== "negative")
const joiners = ["at", "to", "from", "and", "while", "after", "in", "yesterday", "with"]

/** One thing in a sentence. */
export interface Piece {
  readonly kind: "word" | "figure" | "name" | "link"
  readonly text: string
}

interface Drawn {
  readonly kind: number
  readonly which: number
  readonly word: string
  readonly joiner: string
}

const anyDrawn: Arbitrary.Arbitrary<Drawn> = Arbitrary.all({
  kind: anyInt(0, 5),
  which: anyInt(0, 999),
  word: oneOf(fillers),
  joiner: oneOf(joiners),
})

/** The cited facts F1 and F2, another fact F3, and prose: sentences alternately about F1 and F2, the first
 * with at least one figure, one name and one link. */
export interface Story {
  readonly facts: ReadonlyArray<Fact>
  readonly own: ReadonlyArray<Fact>
  readonly other: Fact
  /** One list a sentence. */
  readonly sentences: ReadonlyArray<ReadonlyArray<Piece>>
}

function storyOf(
  drawn: ReadonlyArray<FactsDrawn>,
  prose: ReadonlyArray<ReadonlyArray<Drawn>>,
): Story {
  const facts = drawn.map((fact, n): Fact => ({
    subject: null,
    values: {},
    direction: null,
    negative: false,
    ...fact,
    id: `F${n + 1}`,
    statement: "",
  }))
  const own = facts.slice(0, 2)
  const [, , other] = facts
  if (other === undefined) throw new Error("Cannot build a story from fewer than three facts")
  const word = "level"
  const each = [1, 3, 4].map((kind): Drawn => ({ kind, which: prose.length, word, joiner: "at" }))
  const sentences = prose.map((sentence, n) =>
    sentenceOf(n > 0 ? sentence : [...sentence, ...each], own.slice(n % 2, n % 2 + 1))
  )
  return { facts, own, other, sentences }
}

/** Begins and ends with a plain word, and has a plain word after every other piece. */
function sentenceOf(drawn: ReadonlyArray<Drawn>, about: ReadonlyArray<Fact>): ReadonlyArray<Piece> {
  const pick = (values: ReadonlyArray<string>, which: number) => values[which % values.length] ?? ""
  return [
    { kind: "word", text: "there" },
    ...drawn.flatMap(({ kind, which, word, joiner }): ReadonlyArray<Piece> => {
      const plain: Piece = { kind: "word", text: word }
      const join: Piece = { kind: "word", text: joiner }
      if (kind === 1 || kind === 2) {
        return [{ kind: "figure", text: pick(about.flatMap((it) => it.figures), which) }, join]
      }
      if (kind === 3) {
        return [{ kind: "name", text: pick(about.flatMap((it) => it.names), which) }, join]
      }
      if (kind === 4) {
        return [{ kind: "link", text: pick(about.flatMap((it) => it.links), which) }, join]
      }
      return [plain]
    }),
    { kind: "word", text: "now" },
  ]
}

/** Stories whose cited facts are `certain` or not. */
export const anyStory = (certain: boolean): Arbitrary.Arbitrary<Story> =>
  Arbitrary.map(
    Arbitrary.all({
      facts: Arbitrary.all([anyFact(certain), anyFact(false), anyFact(true)]),
      prose: Arbitrary.array(Arbitrary.array(anyDrawn, { minLength: 1, maxLength: 6 }), {
        minLength: 1,
        maxLength: 4,
      }),
    }),
    ({ facts, prose }) => storyOf(facts, prose),
  )

/** The piece as text. */
export function spelled({ kind, text }: Piece): string {
  return kind === "name" ? `“${text}”` : text
}

/** The prose of a story; each sentence begins with a capital and ends with a full stop. */
export function passageOf({ own, sentences }: Pick<Story, "own" | "sentences">): Passage {
  const text = sentences.map((sentence) => {
    const words = sentence.map(spelled).join(" ")
    return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}.`
  })
  return { text: text.join(" "), facts: own.map(({ id }) => id) }
}

/** A story with `change` applied to the piece of this kind that `which` picks. */
export function changed(
  story: Story,
  kind: Piece["kind"],
  which: number,
  change: (text: string) => string,
): Story {
  const places = story.sentences.flatMap((sentence, s) =>
    sentence.flatMap((piece, p) => piece.kind === kind && p > 0 ? [{ s, p }] : [])
  )
  const place = places[which % places.length]
  const sentences = story.sentences.map((sentence, s) =>
    sentence.map((piece, p) =>
      s === place?.s && p === place.p ? { ...piece, text: change(piece.text) } : piece
    )
  )
  return { ...story, sentences }
}

/** A story with `text` inserted after a plain word that does not begin a sentence. */
export function inserted(story: Story, which: number, text: string): Story {
  return changed(story, "word", which, (word) => `${word} ${text}`)
}

/** A story whose cited facts have these names in addition. */
export function withNames(story: Story, names: ReadonlyArray<string>): Story {
  const own = story.own.map((fact) => ({ ...fact, names: [...fact.names, ...names] }))
  return { ...story, own, facts: [...own, story.other] }
}
