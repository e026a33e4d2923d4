/**
 * The fact check on figures: prose built from facts passes, and every changed figure fails.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Arbitrary } from "effect"
import { factsById, faultsOf } from "../../../src/writing/domain/factCheck.ts"
import { law } from "../../support/effect.ts"
import { sized } from "../../support/size.ts"
import { anyInt, oneOf } from "../../support/http/hostile.ts"
import {
  anyStory,
  changed,
  inserted,
  passageOf,
  type Story,
} from "../../support/writing/passages.ts"

const faultsIn = (story: Story) => faultsOf(passageOf(story), factsById(story.facts))

law(
  "prose of plain words and of its facts' figures, names and links passes",
  anyStory(false),
  (story) => {
    equal(faultsIn(story), [], passageOf(story).text)
  },
  { runs: sized({ short: 200, full: 3_000 }) },
)

law(
  "prose passes with its sentences in any order",
  Arbitrary.all({ story: anyStory(false), turn: anyInt(0, 3) }),
  ({ story, turn }) => {
    const { sentences } = story
    const turned = { ...story, sentences: [...sentences.slice(turn), ...sentences.slice(0, turn)] }
    equal(faultsIn(turned), [])
  },
  { runs: sized({ short: 100, full: 500 }) },
)

/** Asserts that a changed figure fails, unless the change gives another figure of the cited facts. */
function refuses(name: string, change: (figure: string, n: number) => string): void {
  const drawn = Arbitrary.all({ story: anyStory(true), which: anyInt(0, 99), n: anyInt(0, 9_999) })
  const bad = Arbitrary.map(drawn, ({ story, which, n }) => {
    let result = ""
    const passage = passageOf(changed(story, "figure", which, (text) => result = change(text, n)))
    const isOwn = story.own.some(({ figures }) => figures.includes(result))
    return { passage, facts: story.facts, isBad: !isOwn && /\p{N}/u.test(result) }
  })
  law(
    `a figure fails ${name}`,
    Arbitrary.filter(bad, ({ isBad }) => isBad),
    ({ passage, facts }) => {
      const codes = faultsOf(passage, factsById(facts)).map(({ code }) => code)
      ok(codes.includes("figure") || codes.includes("link"), passage.text)
    },
    { runs: sized({ short: 100, full: 700 }) },
  )
}

const digitAt = (figure: string, n: number): number => {
  const places = [...figure].flatMap((letter, at) => /\d/.test(letter) ? [at] : [])
  return places[n % places.length] ?? 0
}
const pick = <A>(values: ReadonlyArray<A>, n: number, otherwise: A): A =>
  values[n % values.length] ?? otherwise
const splice = (text: string, at: number, drop: number, add: string) =>
  text.slice(0, at) + add + text.slice(at + drop)

refuses("with a digit changed", (figure, n) => {
  const at = digitAt(figure, n)
  return splice(figure, at, 1, String((Number(figure[at]) + 1 + n % 9) % 10))
})
refuses("with a digit added", (figure, n) => splice(figure, digitAt(figure, n), 0, String(n % 10)))
refuses("with a digit appended", (figure, n) => {
  const last = figure.search(/\d(?!.*\d)/) + 1
  return splice(figure, last, 0, String(n % 10))
})
refuses("with a digit dropped", (figure, n) => splice(figure, digitAt(figure, n), 1, ""))
refuses(
  "with its sign flipped, dropped or added",
  (figure, n) =>
    /^[-+]/.test(figure)
      ? pick(["", figure[0] === "-" ? "+" : "-", "−"], n, "") + figure.slice(1)
      : pick(
        ["-", "+", "−", "~", "<", ">", "±", "- ", "– ", "— ", "minus ", "plus ", "$", "€"],
        n,
        "-",
      ) +
        figure,
)
refuses(
  "with another unit",
  (figure, n) =>
    / [a-zA-Z]+$/.test(figure)
      ? figure.replace(
        /[a-zA-Z]+$/,
        (unit) =>
          pick(["EUR", "days", "minutes", "shares", "markets", "USDC", "BTC"], n, "EUR")
            .replace(unit, "cents"),
      )
      : `${figure.replace(/%$/, "")} ${
        pick(["USD", "cents", "percent", "hours", "points"], n, "USD")
      }`,
)
refuses("with its unit dropped", (figure) => figure.replace(/(?: [a-zA-Z]+|%)$/, ""))
refuses("followed by a unit, a percentage or a number word", (figure, n) =>
  figure +
  pick(
    [
      ...[
        "%",
        " %",
        "x",
        "k",
        "m",
        " cents",
        " percent",
        " points",
        " million",
        " wallets",
        " hours",
      ],
      ...[
        "-fold",
        "-hour",
        "°",
        "¢",
        " shares",
        " entries",
        "e5",
        "/100",
        " times",
        "½",
        "²",
        "st",
      ],
      ...[" USDC", " billion", " dollars", " bps", " markets", "'000", ":1", "–", "..", "\u0301"],
    ],
    n,
    "%",
  ))
refuses("with its decimal point moved or made a comma", (figure, n) =>
  figure.includes(".")
    ? pick(
      [
        figure.replace(/\.(\d)/, "$1."),
        figure.replace(/(\d)\./, ".$1"),
        figure.replace(".", ","),
        figure.replace(".", ""),
        figure.replace(".", " "),
      ],
      n,
      "",
    )
    : figure.replace(/\d/, "$&."))
refuses(
  "with its thousands separator moved, dropped or changed",
  (figure, n) =>
    figure.includes(",")
      ? pick(
        [
          figure.replace(/,(\d)/, "$1,"),
          figure.replace(/(\d),/, ",$1"),
          figure.replaceAll(",", ""),
          figure.replaceAll(",", "."),
          figure.replaceAll(",", " "),
          figure.replaceAll(",", "'"),
        ],
        n,
        "",
      )
      : splice(figure, digitAt(figure, n), 0, ","),
)
refuses("with digits of another script, superscript or Roman digits", (figure, n) => {
  const at = digitAt(figure, n)
  const digit = Number(figure[at])
  const zero = pick([0xff10, 0x660, 0x966, 0x6f0, 0x1d7ce, 0x2080, 0xe50], n, 0xff10)
  return splice(figure, at, 1, n % 7 === 0 ? "Ⅷ" : String.fromCodePoint(zero + digit))
})
refuses(
  "with an invisible character in it",
  (figure, n) =>
    splice(
      figure,
      digitAt(figure, n) + 1,
      0,
      pick(["\u200b", "\u00ad", "\u202e", "\u2060"], n, "\u200b"),
    ),
)
refuses(
  "joined with another",
  (figure, n) => `${figure}${pick([" ", "-", "/", ","], n, " ")}${figure}`,
)

law(
  "a figure of a fact that the passage does not cite fails",
  Arbitrary.all({ story: anyStory(true), which: anyInt(0, 99), n: anyInt(0, 99) }),
  ({ story, which, n }) => {
    const figure = pick(story.other.figures, n, "")
    if (story.own.flatMap((fact) => fact.figures).includes(figure)) return
    const bad = inserted(story, which, `of ${figure} at`)
    ok(faultsIn(bad).some(({ code }) => code === "figure"), passageOf(bad).text)
  },
  { runs: sized({ short: 100, full: 700 }) },
)

law(
  "a figure fails in a sentence that quotes only names of other facts",
  Arbitrary.all({ story: anyStory(true), which: anyInt(0, 99), n: anyInt(0, 99) }),
  ({ story, which, n }) => {
    const [first, second] = story.own
    if (first === undefined || second === undefined) return false
    const quoted = pick(first.names, which, "")
    const figure = pick(second.figures, n, "")
    const sentence = (figure: string) => [
      { kind: "name" as const, text: quoted },
      { kind: "word" as const, text: `was at ${figure} today` },
    ]
    const own = sentence(pick(first.figures, n, ""))
    equal(faultsIn({ ...story, sentences: [own] }), [])
    if (second.names.includes(quoted) || first.figures.includes(figure)) return true
    const codes = faultsIn({ ...story, sentences: [own, sentence(figure)] }).map(({ code }) => code)
    equal(codes, ["figure"])
    return true
  },
  { runs: sized({ short: 100, full: 700 }) },
)

law(
  "a number in words fails, as a number",
  Arbitrary.all({
    story: anyStory(true),
    which: anyInt(0, 99),
    word: oneOf([
      ...[
        "one",
        "two",
        "twice",
        "half",
        "dozen",
        "double",
        "doubled",
        "percent",
        "million",
        "forty",
      ],
      ...["twenty-six", "hundredfold", "cents", "minus", "majority", "quarter", "third", "dollars"],
    ]),
  }),
  ({ story, which, word }) => {
    ok(faultsIn(inserted(story, which, word)).some(({ code }) => code === "figure"), word)
  },
  { runs: sized({ short: 100, full: 500 }) },
)
