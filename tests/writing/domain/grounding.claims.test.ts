/**
 * The grounding of claims on drafts of a careful writer, on that writer's slips, on invented claims, and
 * on trade advice.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Console, Effect } from "effect"
import type { ClaimKind } from "../../../src/writing/domain/page.ts"
import { ground, type Grounding } from "../../../src/writing/domain/grounding.ts"
import { test } from "../../support/effect.ts"
import {
  type DraftClaim,
  draftFacts,
  honestClaims,
  slips,
} from "../../support/writing/draftClaims.ts"
import { freeClaims } from "../../support/writing/freeClaims.ts"
import { inventedClaims } from "../../support/writing/inventedClaims.ts"

const honestMin = 0.85
const inventedMin = 60

const groundingOf = (claim: DraftClaim): Grounding => ground(claim, draftFacts(claim.draft))
const lineOf = (claim: DraftClaim, grounding: Grounding) =>
  `${claim.draft} ${claim.text} (${
    grounding.verdict === "pass" ? "" : grounding.reasons.join("; ")
  })`

function countOf(groundings: ReadonlyArray<Grounding>): string {
  const of = (verdict: Grounding["verdict"]) =>
    groundings.filter((grounding) => grounding.verdict === verdict).length
  return `${groundings.length}: ${of("pass")} passed, ${of("ask")} asked, ${of("refuse")} refused`
}

test("ground() keeps the honest sentences of the drafts", () =>
  Effect.gen(function* () {
    const all = honestClaims.map((claim) => ({ claim, grounding: groundingOf(claim) }))
    const refused = all.filter(({ grounding }) => grounding.verdict === "refuse")
    yield* Console.log(`honest sentences ${countOf(all.map(({ grounding }) => grounding))}`)
    for (const { claim, grounding } of refused) yield* Console.log(lineOf(claim, grounding))
    ok(refused.length <= (1 - honestMin) * all.length, `${refused.length} refused`)
  }))

Deno.test("ground() refuses the known slips of the drafts", () => {
  const others = slips.filter((claim) => groundingOf(claim).verdict !== "refuse")
  equal(others.map(({ text }) => text), [])
})

test("ground() passes no invented claim", () =>
  Effect.gen(function* () {
    ok(inventedClaims.length >= inventedMin)
    const all = inventedClaims.map((claim) => ({ claim, grounding: groundingOf(claim) }))
    yield* Console.log(`invented claims ${countOf(all.map(({ grounding }) => grounding))}`)
    const passed = all.filter(({ grounding }) => grounding.verdict === "pass")
    equal(passed.map(({ claim }) => claim.text), [])
  }))

/** Of false statements in free prose so many may be left to the second check. */
const freeAskedMax = 0.05

test("ground() separates true statements in free prose from false ones", () =>
  Effect.gen(function* () {
    const groundingIn = (draft: DraftClaim["draft"], facts: string, text: string) =>
      ground({ kind: "fact", text, facts: facts.split(" ") }, draftFacts(draft))
    const refused = freeClaims.filter(([draft, facts, truth]) =>
      groundingIn(draft, facts, truth).verdict === "refuse"
    )
    equal(refused.map(([, , truth]) => truth), [])
    const all = freeClaims.flatMap(([draft, facts, , falsehoods]) =>
      falsehoods.map((text) => ({ text, grounding: groundingIn(draft, facts, text) }))
    )
    yield* Console.log(`false in free prose ${countOf(all.map(({ grounding }) => grounding))}`)
    const of = (verdict: Grounding["verdict"]) =>
      all.filter(({ grounding }) => grounding.verdict === verdict).map(({ text }) => text)
    equal(of("pass"), [])
    ok(of("ask").length <= freeAskedMax * all.length, of("ask").join("\n"))
  }))

const advice = [
  "Buy “Yes” at 0.485.",
  "Sell “Lantern Year” at 0.485.",
  "Fade it.",
  "Take the No.",
  "“Lantern Year” is at 0.485, so buy it.",
  "“Lantern Year” at 0.485: take it.",
  "At 0.485, “Lantern Year” is a buy.",
  "You should buy “Lantern Year” at 0.485.",
  "Traders should sell “Lantern Year” at 0.485.",
  "Short “Lantern Year” at 0.485.",
  "Go long at 0.485.",
  "It is time to get in at 0.485.",
  "Now buy at 0.485.",
  "Please sell at 0.485.",
  "Consider buying “Yes” at 0.485.",
  "“Lantern Year” at 0.485 is worth buying.",
  "Avoid “Lantern Year” at 0.485.",
  "Bet on “Yes” at 0.485.",
  "Load up at 0.485.",
  "Copy the move to 0.485.",
  "“Lantern Year” at 0.485 (buy).",
  "“Lantern Year” is at 0.485; hold it and add more.",
  "Get out of “Lantern Year” at 0.485.",
  "We recommend “Yes” at 0.485.",
]

Deno.test("ground() refuses trade advice in every kind of claim", () => {
  const facts = draftFacts("D4")
  const kinds: ReadonlyArray<ClaimKind> = ["fact", "inference", "watch"]
  for (const kind of kinds) {
    const others = advice.filter((text) =>
      ground({ kind, text: `${text} Perhaps.`, facts: ["F8", "F13"] }, facts).verdict !== "refuse"
    )
    equal(others, [], kind)
  }
})
