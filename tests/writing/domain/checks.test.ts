/**
 * The hard checks: every labelled sentence passes them, and no falsified figure, name, headline, link or
 * direction does, without any judge.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Result } from "effect"
import { checkedClaim } from "../../../src/writing/domain/claims.ts"
import type { Fact } from "../../../src/writing/domain/facts.ts"
import type { Claim, ClaimKind } from "../../../src/writing/domain/page.ts"
import { labelledClaims, labelledFacts } from "../../../src/writing/domain/trial.ts"
import { spelled, type Value } from "../../../src/writing/domain/values.ts"
import { law } from "../../support/effect.ts"
import { hostileText } from "../../support/http/hostile.ts"
import { factOf, fallFact, pageOf } from "../../support/writing/pages.ts"

const slots = pageOf([[fallFact(1, "Alpha", 0.5, 0.3)]])

function reasonsOf(
  text: string,
  ids: ReadonlyArray<string>,
  facts: ReadonlyMap<string, Fact> = labelledFacts,
  kind: ClaimKind = "fact",
): ReadonlyArray<string> {
  const checked = checkedClaim({ slot: "S1", kind, text, facts: ids }, slots, facts)
  return Result.isFailure(checked) ? checked.failure : []
}

/** The labelled sentences as they read, with every value typed. */
const typed = labelledClaims.map(({ claim }) => claim)
const again = (claim: Claim, text: string) =>
  reasonsOf(text, claim.facts, labelledFacts, claim.kind)

Deno.test("every labelled sentence passes with its values typed", () => {
  equal(typed.flatMap((claim) => again(claim, claim.text).map((it) => [claim.text, it])), [])
})

Deno.test("a sentence may say We, and an ask of what is asked", () => {
  const values = { price: { type: "price", value: 0.76 } } as const
  const facts = new Map([["F1", { ...factOf(1, values), statement: "Yes is asked 0.76." }]])
  for (const text of ["We have no view of Yes.", "Yes is offered at an ask of {F1.price}."]) {
    equal(reasonsOf(text, ["F1"], facts), [], text)
  }
})

/** The value of a fact that is spelled so. */
const valueOf = (id: string, text: string) =>
  Object.entries(labelledFacts.get(id)?.values ?? {}).find(([, value]) => spelled(value) === text)

/** A clearly different value of its kind. */
function falsified(value: Value, factor: number): Value | null {
  if (value.type === "time") return { ...value, at: value.at + 83 * 60_000 }
  if (value.type === "duration") return { ...value, ms: value.ms * factor }
  if (!("value" in value)) return null
  const drawn = value.value * factor
  if (value.type === "count") return { ...value, value: Math.round(drawn) + 1 }
  return { ...value, value: value.type === "price" && drawn >= 1 ? value.value / 2 : drawn }
}

/** Figures that stay true by arithmetic: a sum or a difference of cited values. */
const coincidencesMax = 0.006

Deno.test("no falsified figure passes", () => {
  const passed: Array<string> = []
  let tried = 0
  for (const claim of typed) {
    for (const { fact, text } of claim.values) {
      const value = valueOf(fact, text)?.[1]
      for (const factor of [0.25, 0.6, 1.35, 1.9]) {
        const other = value === undefined ? null : falsified(value, factor)
        if (other === null || spelled(other) === text) continue
        tried++
        const changed = claim.text.replace(text, spelled(other))
        if (again(claim, changed).length === 0) passed.push(changed)
      }
    }
  }
  ok(tried > 500 && passed.length <= coincidencesMax * tried, `${tried}: ${passed.join("\n")}`)
})

Deno.test("no name, headline or publisher of another fact passes", () => {
  const named = [...labelledFacts.values()].flatMap(({ values }) =>
    Object.entries(values).flatMap(([slot, value]) =>
      value.type === "name" ? [{ slot: slot.replace(/\d$/, ""), text: spelled(value) }] : []
    )
  )
  let tried = 0
  for (const claim of typed) {
    const own = claim.facts.flatMap((id) => labelledFacts.get(id)?.statement ?? "").join(" ")
    for (const { fact, text } of claim.values) {
      const [slot = "", value] = valueOf(fact, text) ?? []
      if (value?.type !== "name") continue
      const alike = named.filter((it) => it.slot === slot.replace(/\d$/, "")).map(({ text }) =>
        text
      )
      const others = new Set([...alike, "Acme", "Jane Doe", "“Will Acme merge with Globex?”"])
      for (const other of [...others].filter((it) => it !== "No" && !own.includes(it))) {
        tried++
        const changed = claim.text.replace(text, other)
        ok(again(claim, changed).length > 0, changed)
      }
    }
  }
  ok(tried > 200, String(tried))
})

const opposites = new Map(
  `rose fell, rise fall, rises falls, up down, higher lower, gain lose, gains loses, bought sold,
  above below, more less, most least, highest lowest, first last, dearer cheaper, climbed dropped,
  buying selling, buyer seller, buys sells, more fewer, start end, over under`
    .split(",").map((pair) => pair.trim().split(" "))
    .flatMap(([one = "", other = ""]) => [[one, other], [other, one]] as const),
)

Deno.test("no word of direction passes in place of the one that the facts have", () => {
  const has = (text: string, word: string) => new RegExp(`\\b${word}\\b`, "i").test(text)
  let tried = 0
  for (const claim of typed) {
    const said = claim.facts.map((id) => labelledFacts.get(id)?.statement ?? "").join(" ")
      .replace(/“[^”]*”/g, "")
    for (const [word, other] of opposites) {
      if (!has(said, word) || has(said, other) || !has(claim.text, word)) continue
      if (/\b(?:at (?:least|most)|makes? up)\b/i.test(claim.text)) continue
      tried++
      const turned = claim.text.replace(new RegExp(`\\b${word}\\b`, "gi"), other)
      ok(again(claim, turned).length > 0, turned)
    }
  }
  ok(tried >= 12, String(tried))
})

Deno.test("a direction is that of the clause of its value", () => {
  const statement =
    "Now $900 of buying moves the price up 5 cents and $700 of selling moves it down as far."
  const values = {
    depth: { type: "usd", value: 900 },
    depth2: { type: "usd", value: 700 },
    change: { type: "change", value: 0.05 },
  } as const
  const facts = new Map([["F1", { ...factOf(1, values), statement }]])
  const says = (way: string) =>
    reasonsOf(`{F1.depth} of buying moves the price ${way}.`, ["F1"], facts)
  equal(says("up"), [])
  ok(says("down").length > 0)
  const sold = "It takes {F1.depth2} of selling to move the price down by {F1.change}."
  equal(reasonsOf(sold, ["F1"], facts), [])
})

Deno.test("a range includes a loss where one of its ends is below zero", () => {
  const passes = (range: string) => {
    const statement = `By our fair price, it gains $9 after the fee (mean ${range} to $20).`
    const facts = new Map([["F1", { ...factOf(1, {}), statement }]])
    return reasonsOf("The range includes a loss.", ["F1"], facts).length === 0
  }
  equal([passes("minus $5"), passes("$5")], [true, false])
})

const extras =
  `See https://evil.example/x.|More at evil.com.|[Read](this).|**Now**.|www.x|Buy it now.|You should sell.|
It is worth buying.|Send coins to 0xde709f2102.|Traders paid $77.|It was 0xdeadbeef.|Four of them left.|
It doubled.|{F1.nothing}|{F1.change}5|-{F1.change}|{F1.volume} million|◦|Покупайте.|Yes moved.|
Word is that send it on.|It will certainly move.|It is b o u g h t.|A whale bought yes.|Watch whether visit us helps.`

for (const extra of extras.split(/\|\n?/)) {
  Deno.test(`no sentence with “${extra}” passes`, () => {
    const bare = new Map(
      [...labelledFacts].map(([id, fact]) => [id, { ...fact, names: [], statement: "" }]),
    )
    ok(
      reasonsOf(`It moved. ${extra}`, ["F1"], extra === "Yes moved." ? bare : labelledFacts)
        .length > 0,
    )
  })
}

const stranger = factOf(1, {
  headline: { type: "name", text: "Guaranteed win for all who trade here, says the club" },
})

Deno.test("a stranger's words stand in quotation marks, and may be part of a quotation", () => {
  const facts = new Map([["F1", stranger]])
  for (const text of ["It says {F1.headline}.", "It says “Guaranteed win for all”."]) {
    equal(reasonsOf(text, ["F1"], facts), [])
  }
  for (const text of ["It is a guaranteed win for all.", "It says “Guaranteed loss”."]) {
    ok(reasonsOf(text, ["F1"], facts).length > 0, text)
  }
})

Deno.test("figures may be complements, sums and differences, and names of months may stand", () => {
  const facts = new Map([["F1", fallFact(1, "Alpha", 0.5, 0.3)], [
    "F2",
    fallFact(2, "Beta", 0.42, 0.2),
  ]])
  for (
    const text of [
      ...["Alpha fell by 20 cents, from 50 cents to 30%.", "The other side costs 0.70."],
      ...["Alpha and Beta fell 42 cents together.", "Alpha costs 10 cents more than Beta."],
      "In November, at noon UTC, Alpha fell to $0.30.",
    ]
  ) equal(reasonsOf(text, ["F1", "F2"], facts), [], text)
})

Deno.test("a sentence that cites no fact, too many or unknown ones is refused", () => {
  for (const ids of [[], ["F99"], ["F1", "F2", "F3", "F4", "F5", "F6", "F7"]]) {
    ok(reasonsOf("It moved.", ids).length > 0)
  }
  ok(reasonsOf("It may move.", ["F1"], labelledFacts, "inference").length > 0)
})

law("hostile text passes only as plain words", hostileText, (text) => {
  const isPlain = /^[\p{Script=Latin}\s.,;:!?'"“”‘’()°&/–—…→·-]*$/u.test(text.normalize("NFC"))
  return isPlain || reasonsOf(text, ["F1"]).length > 0
})
