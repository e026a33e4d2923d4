/**
 * The fact check on certainty and length, and the complaints it sends to a narrator.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Arbitrary } from "effect"
import { isWordOfCertainty, isWordOfNumber } from "../../../src/writing/domain/certainty.ts"
import {
  complaintOf,
  factsById,
  type FaultCode,
  faultsMax,
  faultsOf,
  foundLengthMax,
  passageFactsMax,
  passageLengthMax,
  passageSentencesMax,
  wordCount,
} from "../../../src/writing/domain/factCheck.ts"
import type { Fact } from "../../../src/writing/domain/facts.ts"
import { isPlainWord, mayFollowFigure } from "../../../src/writing/domain/plainWords.ts"
import { law } from "../../support/effect.ts"
import { sized } from "../../support/size.ts"
import { anyInt, hostileText, oneOf } from "../../support/http/hostile.ts"
import {
  anyStory,
  fillers,
  inserted,
  passageOf,
  type Story,
  withNames,
} from "../../support/writing/passages.ts"

const codesIn = (story: Story): ReadonlyArray<FaultCode> =>
  faultsOf(passageOf(story), factsById(story.facts)).map(({ code }) => code)

const sureWords = `won win wins winner winners lost loser confirmed confirms confirmation resolved
guaranteed guarantees certain certainly definitely settled decided official officially sure surely
inevitable inevitably undoubtedly proven proved must will shall won't it'll final finally always
never true truly clearly obviously indeed impossible imminent secured clinched ensured verified
determined victory defeated established concluded completed absolute`.split(/\s+/)

law(
  "a word of certainty fails without a certain fact, at any position",
  Arbitrary.all({ story: anyStory(false), which: anyInt(0, 99), word: oneOf(sureWords) }),
  ({ story, which, word }) => {
    for (const sure of [word, `not ${word}`, `near-${word}`]) {
      ok(codesIn(inserted(story, which, sure)).includes("certainty"), sure)
    }
    const first = { ...story, sentences: [[{ kind: "word" as const, text: word }]] }
    ok(codesIn(first).includes("certainty"), word)
    const own = withNames(story, [`It ${word}`, `${word}: yes`])
    ok(codesIn(inserted(own, which, word)).includes("certainty"), word)
    equal(codesIn(inserted(own, which, `“It ${word}” now`)), [])
  },
  { runs: sized({ short: 100, full: 700 }) },
)

law(
  "a word of certainty passes when the passage cites a certain fact",
  Arbitrary.all({ story: anyStory(true), which: anyInt(0, 99), word: oneOf(sureWords) }),
  ({ story: { sentences, ...rest }, which, word }) => {
    const story = { ...rest, sentences: sentences.slice(0, 1) }
    equal(codesIn(inserted(story, which, word)), [], word)
    const capital = word.slice(0, 1).toUpperCase() + word.slice(1)
    if (story.own.some(({ names }) => names.join(" ").includes(capital))) return
    ok(codesIn(inserted(story, which, capital)).includes("word"), word)
  },
  { runs: sized({ short: 100, full: 700 }) },
)

law(
  "a disguised word of certainty or number from a name fails outside quotation marks",
  Arbitrary.all({
    story: anyStory(false),
    which: anyInt(0, 99),
    word: oneOf([
      "wón",
      "wоn",
      "ｗｏｎ",
      "𝐰𝐨𝐧",
      "WON",
      "Won",
      "cоnfirmed",
      "çertain",
      "reſolved",
      "łost",
    ]),
    number: oneOf(["twö", "TWO", "Million", "ｔｗｏ", "døuble", "percent", "Ⅷ", "два", "𝟐"]),
  }),
  ({ story, which, word, number }) => {
    for (const disguised of [word, number]) {
      const own = withNames(story, [`It ${disguised}`])
      ok(codesIn(inserted(own, which, disguised)).length > 0, disguised)
    }
  },
  { runs: sized({ short: 100, full: 500 }) },
)

Deno.test("no plain word is a number, a word of certainty, a month, a day, a place, a people or a name", () => {
  const both = fillers.filter((word) => isWordOfCertainty(word) || isWordOfNumber(word))
  equal(both, [])
  const left = `one two three ten twice half dozen double doubled triple hundred thousand million
percent second third quarter majority minority couple pair zero cents dollars points usd euros
january february april june july september october november december monday tuesday wednesday
thursday friday saturday sunday america american china chinese russia russian iran israel japan
ukraine france french german britain british england europe european africa asian india london paris
moscow washington texas california trump biden harris putin musk james john mary david robert emma
smith jones google apple tesla meta amazon nvidia microsoft bitcoin ethereum solana polymarket
elected resigned signed launched died killed attacked invaded arrested convicted acquitted approved
banned announced nominated ratified vetoed bankrupt merged defaulted ruled sued fired hired`
  equal(left.split(/\s+/).filter((word) => isPlainWord(word)), [])
})

Deno.test("no word that may follow a figure could be its unit", () => {
  const nouns = "hours wallets cents percent shares points whole large mid up markets per of".split(
    " ",
  )
  equal(nouns.filter((word) => mayFollowFigure(word)), ["up"])
})

const fact = (fact: Partial<Fact> = {}): Fact => ({
  subject: null,
  values: {},
  direction: null,
  negative: false,
  ...{ id: "F1", kind: "market", statement: "", figures: ["0.62"], names: ["Yes"], links: [] },
  certain: false,
  ...fact,
})
const codesOf = (text: string, facts: ReadonlyArray<string> = ["F1"]) =>
  faultsOf({ text, facts }, factsById([fact()])).map(({ code }) => code)

Deno.test("faultsOf() enforces the limits of one passage", () => {
  equal(codesOf("The price rose.", []), ["no_facts"])
  equal(codesOf("The price rose.", ["F1", "F9"]), ["unknown_fact"])
  equal(codesOf(""), ["length"])
  equal(codesOf("  "), ["length"])
  equal(codesOf("It rose. ".repeat(passageSentencesMax)), [])
  equal(codesOf("It rose. ".repeat(passageSentencesMax + 1)), ["length"])
  equal(codesOf("rose ".repeat(passageLengthMax / 5)), [])
  equal(codesOf(`${"rose ".repeat(passageLengthMax / 5)} `), ["length"])
  equal(codesOf("It rose.", Array(passageFactsMax).fill("F1")), [])
  equal(codesOf("It rose.", Array(passageFactsMax + 1).fill("F1")), ["length"])
  equal(codesOf("zorbek ".repeat(99)).length, faultsMax)
})

Deno.test("faultsOf() refuses neighbours that change a figure's sign, factor or unit", () => {
  const figures = ["0.62", "4", "4 hours", "no hours", "zorbek"]
  const own = factsById([
    fact({ figures, names: ["minus", "Yes"], links: ["javascript:x", "a.example"] }),
  ])
  const codes = (text: string) => faultsOf({ text, facts: ["F1"] }, own).map(({ code }) => code)
  equal(codes("A positive 0.62 it is."), ["figure"])
  equal(codes("Negative 0.62 it is."), ["figure"])
  equal(codes("It moved by negative 4 hours."), ["figure"])
  equal(codes("It moved by “minus” 0.62 today."), ["figure"])
  equal(codes("It bought “Yes” 4 hours ago, at 0.62."), [])
  equal(codes("It was in 4 hours, at 0.62."), [])
  equal(codes("It was 4 hours shares."), ["figure"])
  equal(codes("It was 0.62 4 hours ago."), ["figure", "figure"])
  equal(codes("For zorbek now."), ["word"])
  equal(codes("See javascript:x now."), ["link"])
  equal(codes("See a.example now."), ["link"])
})

Deno.test("faultsOf() allows certainty only about the names that a sentence quotes", () => {
  const facts = factsById([
    fact({ names: ["Will it rain?"], certain: true }),
    fact({ id: "F2", names: ["Will it snow?"], links: ["https://a.example/x"] }),
  ])
  const codes = (text: string) =>
    faultsOf({ text, facts: ["F1", "F2"] }, facts).map(({ code }) => code)
  equal(codes("“Will it rain?” is decided. “Will it snow?” is open."), [])
  equal(codes("“Will it rain?” is open. “Will it snow?” is decided."), ["certainty"])
  equal(codes("“Will it rain?” is open (https://a.example/x)."), ["link"])
  equal(codes("“Will it rain?” and “Will it snow?” are decided."), ["certainty"])
  equal(codes("It is decided: “Will it snow?” follows “Will it rain?”."), ["certainty"])
})

Deno.test("faultsOf() refuses words that turn a figure into a multiple or a rate", () => {
  const facts = factsById([fact({ figures: ["500 USD", "4 moves"] })])
  const codes = (text: string) => faultsOf({ text, facts: ["F1"] }, facts).map(({ code }) => code)
  for (const rate of ["a minute", "an hour", "per day", "each day", "every day", "daily"]) {
    equal(codes(`It took 500 USD ${rate}.`), ["figure"], rate)
  }
  equal(codes("It took many times 500 USD."), ["figure"])
  equal(codes("In 4 moves an outcome changed, with 500 USD at stake."), [])
})

Deno.test("faultsOf() allows a capital only after the marks that end a sentence, and after a colon", () => {
  equal(codesOf("It rose. Prices fell: Depth is thin! Is it? It is."), [])
  equal(codesOf("It rose, Prices fell."), ["word"])
  equal(codesOf("It rose; Prices (Depth) fell."), ["word", "word"])
  equal(codesOf("It rose – Prices fell."), ["word"])
})

Deno.test("faultsOf() allows the words win rate, and no other use of win", () => {
  equal(codesOf("Its win rate is high."), [])
  equal(codesOf("Win rates rose."), [])
  equal(codesOf("A win is near."), ["certainty"])
  equal(codesOf("It may win, rates or not."), ["certainty"])
})

Deno.test("complaintOf() names the place, the fault and the remedy", () => {
  strictEqual(
    complaintOf({ code: "figure", found: "0.63" }, "risks 2"),
    "risks 2: “0.63” is not a figure of the cited facts, belongs to other names than its sentence " +
      "quotes, or has another word or sign next to it; copy a figure whole, with its unit and " +
      "nothing added, and write no numbers in words",
  )
})

law(
  "faults and complaints quote little of the text, and only sanitized text",
  Arbitrary.all({ text: hostileText, id: hostileText }),
  ({ text, id }) => {
    const own = factsById([fact()])
    const faults = [
      ...faultsOf({ text, facts: ["F1"] }, own),
      ...faultsOf({ text: "x", facts: [id] }, own),
      { code: "word" as const, found: text },
    ]
    for (const fault of faults) {
      const complaint = complaintOf(fault, "here")
      ok(!/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u.test(complaint), complaint)
      const found = /“(.*?)”/.exec(complaint)?.[1] ?? ""
      ok([...found].length <= foundLengthMax || fault.code === "no_facts", complaint)
    }
  },
  { runs: sized({ short: 200, full: 1_000 }) },
)

Deno.test("wordCount() ignores Markdown and fact ids", () => {
  strictEqual(
    wordCount("## What repriced\n\n“Yes” moved from 0.45 to 12,300 USD — now. [F1, F12]"),
    10,
  )
  strictEqual(wordCount("It rose \\[F1\\]\n\n- and fell (F2)\n\n---\n\n> a well-known word"), 7)
  strictEqual(wordCount(" * \\* # "), 0)
})
