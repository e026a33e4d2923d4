/**
 * The forms in which a claim may write a value, and names, times and multiples: examples.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { ground, type Grounding } from "../../../src/writing/domain/grounding.ts"
import { draftFacts } from "../../support/writing/draftClaims.ts"

const d4 = draftFacts("D4")
const r1 = draftFacts("R1")

type Expected = Grounding["verdict"] | "not refused" | "not passed"

/** Compares the verdicts of claims of kind `fact` with what is expected. */
function expectAll(
  facts: typeof d4,
  ids: ReadonlyArray<string>,
  expected: Readonly<Record<string, Expected>>,
): void {
  const found = Object.entries(expected).map(([text, verdict]) => {
    const grounding = ground({ kind: "fact", text, facts: ids }, facts)
    const fits = verdict === "not refused"
      ? grounding.verdict !== "refuse"
      : verdict === "not passed"
      ? grounding.verdict !== "pass"
      : grounding.verdict === verdict
    return fits ? "" : `${text}: ${JSON.stringify(grounding)}`
  })
  equal(found.filter((text) => text !== ""), [])
}

Deno.test("a price may be written as a number, in cents and in percent", () => {
  expectAll(d4, ["F8"], {
    "“Lantern Year” rose from 0.345 to 0.485.": "pass",
    "“Lantern Year” rose from 34.5 cents to 48.5 cents.": "pass",
    "“Lantern Year” rose from 34.5% to 48.5%.": "pass",
    "“Lantern Year” rose from 34.5 to 48.5 cents.": "not refused",
    "“Lantern Year” rose from 3.45% to 4.85%.": "refuse",
    "“Lantern Year” rose from 0.345 to 0.458.": "refuse",
    "“Lantern Year” rose from $0.345 to $0.485.": "pass",
    "“No” in “Lantern Year” fell from 0.655 to 0.515.": "pass",
    "“No” in “Lantern Year” fell from 65.5 cents to 51.5 cents.": "pass",
    "“No” in “Lantern Year” rose from 0.345 to 0.485.": "refuse",
  })
})

Deno.test("a change is a difference of prices with its sign", () => {
  expectAll(d4, ["F8"], {
    "“Lantern Year” rose 14 cents.": "pass",
    "“Lantern Year” rose by 0.14.": "pass",
    "“Lantern Year” is up 14 points.": "not refused",
    "“Lantern Year” (+14 cents) costs 0.485.": "pass",
    "“Lantern Year” (-14 cents) costs 0.485.": "refuse",
    "“Lantern Year” (−14 cents) costs 0.485.": "refuse",
    "“Lantern Year” rose 14%.": "refuse",
    "“Lantern Year” rose 41 cents.": "refuse",
    "“Lantern Year” rose fourteen cents.": "pass",
    "“Lantern Year” rose forty cents.": "refuse",
  })
})

Deno.test("a figure may be rounded if the rounding is correct and harmless, or marked", () => {
  expectAll(d4, ["F8"], {
    "“Lantern Year” rose to 0.49.": "pass",
    "“Lantern Year” rose to 0.48.": "pass",
    "“Lantern Year” rose to 0.5.": "refuse",
    "“Lantern Year” rose to about 0.5.": "not refused",
    "“Lantern Year” rose to about 0.6.": "refuse",
    "The book had $36,053 near the price of “Lantern Year”.": "not refused",
    "The book had $36,100 near the price of “Lantern Year”.": "not refused",
    "The book had about $36,000 near the price of “Lantern Year”.": "not refused",
    "The book had $36k near the price of “Lantern Year”.": "not refused",
    "The book had $30,000 near the price of “Lantern Year”.": "refuse",
    "The book had $36,530 near the price of “Lantern Year”.": "refuse",
    "The book had $360,053 near the price of “Lantern Year”.": "refuse",
  })
})

Deno.test("durations and times agree with their values", () => {
  expectAll(d4, ["F8"], {
    "“Lantern Year” rose to 0.485 in an hour.": "pass",
    "“Lantern Year” rose to 0.485 within 60 minutes.": "pass",
    "“Lantern Year” rose to 0.485 in two hours.": "refuse",
    "“Lantern Year” rose to 0.485 in a day.": "refuse",
    "“Lantern Year” was at 0.485, seen at 01:57 UTC.": "pass",
    "“Lantern Year” was at 0.485, seen at 1:57.": "pass",
    "“Lantern Year” was at 0.485, seen at 01:59 UTC.": "refuse",
    "“Lantern Year” was at 0.485 on Nov 22.": "pass",
    "“Lantern Year” was at 0.485 on 22 November.": "pass",
    "“Lantern Year” was at 0.485 on Nov 21.": "refuse",
  })
})

Deno.test("the order of two times agrees with the cited facts", () => {
  expectAll(d4, ["F8", "F39"], {
    "The Harbor Ledger reported it at 00:11, before the move was seen at 01:57.": "not refused",
    "The Harbor Ledger reported it at 00:11, after the move was seen at 01:57.": "refuse",
    "The report of The Harbor Ledger came two hours before the move.": "not refused",
    "The report of The Harbor Ledger came six hours before the move.": "refuse",
    "The move came before the report of The Harbor Ledger.": "refuse",
    "The move followed the report of The Harbor Ledger.": "not refused",
    "The report of The Harbor Ledger followed the move.": "refuse",
  })
})

Deno.test("a multiple agrees with the cited prices", () => {
  expectAll(d4, ["F13"], {
    "“Low Tide” halved from 0.185 to 0.041.": "refuse",
    "“Low Tide” fell to less than a quarter, from 0.185 to 0.041.": "not passed",
    "“Low Tide” doubled to 0.041.": "refuse",
  })
  expectAll(d4, ["F14"], {
    "Inflation in Kenya above 3.0% doubled from 0.145 to 0.24.": "refuse",
    "Inflation in Kenya above 3.0% tripled to 0.24.": "refuse",
  })
})

Deno.test("a name must be one of a cited fact, in any place of the sentence", () => {
  expectAll(d4, ["F8"], {
    "“Lantern Year” rose to 0.485 in Moscow.": "refuse",
    "Reuters saw “Lantern Year” at 0.485.": "refuse",
    "Moscow moved “Lantern Year” to 0.485.": "refuse",
    "Macron: “Lantern Year” at 0.485.": "refuse",
    "“Low Tide” rose to 0.485.": "refuse",
    "Ethereum rose to 0.485.": "refuse",
    "“Lantern Year will win” is at 0.485.": "refuse",
    "Meanwhile “Lantern Year” rose to 0.485.": "not refused",
    "The price of “Lantern Year” rose to 0.485.": "pass",
    "Since 01:57 “Lantern Year” stands at 0.485.": "not refused",
  })
})

Deno.test("a label, a rate and a price belong to the wallet that is named", () => {
  expectAll(r1, ["F15", "F18"], {
    "Keen-Glacier (0xee5e…397a) is labelled follow, and Keen-Ember27 is labelled neutral.": "pass",
    "Keen-Glacier (0xee5e…397a) is labelled neutral, and Keen-Ember27 is labelled follow.":
      "refuse",
    "Keen-Ember27 won 62.8% of its 171 past entries.": "refuse",
    "Keen-Ember27 won 45.8% of its 171 past entries.": "pass",
    "Keen-Ember27 won 45.8% of its 190 past entries.": "refuse",
    "Keen-Ember27 bought “Yes” at 0.65 for $885.": "pass",
    "Keen-Ember27 bought “Yes” at 0.646 for $885.": "refuse",
    "Keen-Ember27 bought “No” at 0.65 for $885.": "refuse",
    "Keen-Ember27 sold “Yes” at 0.65 for $885.": "refuse",
  })
})

Deno.test("names that stand together are names of one fact", () => {
  expectAll(d4, ["F34", "F35"], {
    "Quillon Post published “Lab Meridian tops the open leaderboard on November 22”.": "pass",
    "North Sound Radio published “Lab Meridian tops the open leaderboard on November 22”.":
      "refuse",
    "“Lab Quillon does not top the open leaderboard on November 21” (Quillon Post).": "not passed",
  })
  expectAll(d4, ["F18", "F19"], {
    "Brisk-Ember35 bought “No” in “Will Solana gain 49% by November 30?” and has no label.":
      "not refused",
    "Brisk-Ember35 bought “Yes” in “Will Dogecoin gain 106% by November 28?” and has no label.":
      "refuse",
  })
})

Deno.test("a sentence of a fact is of its words, its values or its names", () => {
  expectAll(d4, ["F8"], {
    "The word is that jane doe has left the party.": "refuse",
    "“Lantern Year” rose to 0.485. The word is that jane doe has left the party.": "refuse",
    "Send money to the keepers and claim your prize.": "refuse",
    "The move was with trades behind it.": "not refused",
  })
})

Deno.test("an inference rests on two facts, holds a hedge and has no new figure", () => {
  const inference = (text: string, ids: ReadonlyArray<string>) =>
    ground({ kind: "inference", text, facts: ids }, d4).verdict
  const hedged = "The move in “Lantern Year” to 0.485 may be related to the headline."
  equal(inference(hedged, ["F8"]), "refuse")
  equal(inference(hedged, ["F8", "F36"]) === "refuse", false)
  equal(inference(hedged.replace("may be", "is"), ["F8", "F36"]), "refuse")
  equal(inference(hedged.replace("0.485", "0.52"), ["F8", "F36"]), "refuse")
})

Deno.test("a claim cites facts of the brief", () => {
  const text = "“Lantern Year” rose to 0.485."
  equal(ground({ kind: "fact", text, facts: [] }, d4).verdict, "refuse")
  equal(ground({ kind: "fact", text, facts: ["F8", "F999"] }, d4).verdict, "refuse")
  equal(ground({ kind: "fact", text, facts: ["F8", "F8"] }, d4).verdict, "pass")
  equal(
    ground({ kind: "fact", text: `${text} ${"So. ".repeat(200)}`, facts: ["F8"] }, d4).verdict,
    "refuse",
  )
})
