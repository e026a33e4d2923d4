/**
 * Decision cards: their order, and which of them may lead a text.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Arbitrary, Schema } from "effect"
import { hour } from "../../../src/core/domain/time.ts"
import { counterFact, marketCards, ranked } from "../../../src/writing/facts/cards.ts"
import { aboutOf } from "../../../src/writing/facts/view.ts"
import { viewOf } from "../../../src/research/domain/page.ts"
import { law } from "../../support/effect.ts"
import { now } from "../../support/movers/market.ts"
import { bookWith, headline, reportMaterial, story } from "../../support/research/reports.ts"

const int = (minimum: number, maximum: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const cards = Arbitrary.schema(
  Schema.Array(Schema.Struct({
    kind: Schema.Literals(["contradiction", "proposal", "report", "wallet", "move"]),
    market: Schema.Literals(["a", "b", "c"]),
    valueUsd: int(0, 3),
  })).check(Schema.isMaxLength(6)),
)

law("ranked() is by value, and does not depend on the order of the cards", cards, (found) => {
  const order = ranked(found)
  ok(order.every(({ valueUsd }, n) => valueUsd <= (order[n - 1]?.valueUsd ?? Infinity)))
  equal(ranked(found.toReversed()), order)
})

/** From 0.40 to 0.60 in a day, and now at `mid`. */
const viewAt = (mid: number, stories: ReadonlyArray<ReturnType<typeof story>> = []) => ({
  ...viewOf(reportMaterial({
    entries: [],
    book: bookWith({ mid }),
    news: { stories, sources: 1, answered: 1 },
  })),
  move: { from: 0.4, to: 0.6, windowMs: 24 * hour, step: null },
})

Deno.test("a move is worth something until half of it is given back, or its market is decided", () => {
  const valueAt = (mid: number) => marketCards(viewAt(mid))[0]?.valueUsd ?? 0
  ok(valueAt(0.6) > 0 && valueAt(0.51) > 0)
  equal([valueAt(0.5), valueAt(0.45), valueAt(0.985)], [0, 0, 0])
})

Deno.test("a move is stated with the price now, where that is a cent or more from its end", () => {
  const movedAt = (mid: number) => {
    const view = viewAt(mid)
    const card = marketCards(view).find(({ kind }) => kind === "move")
    return card?.lead(aboutOf(view.market)).statement ?? ""
  }
  ok(movedAt(0.609).endsWith("from 0.40 to 0.60."), movedAt(0.609))
  ok(movedAt(0.61).endsWith("from 0.40 to 0.60; now 0.61."), movedAt(0.61))
  ok(movedAt(0.55).endsWith("from 0.40 to 0.60; now 0.55."), movedAt(0.55))
})

Deno.test("only a headline since a move, read for the other side, speaks against it", () => {
  const against = (hoursAgo: number, bears: "for" | "against" | null, corrected = false) => {
    const read = story([headline({ publishedAt: now - hoursAgo * hour })], {
      reading: { outcome: "Yes", bears, decides: false, quote: "lit" },
      corrected,
    })
    const view = viewAt(0.6, [read])
    return counterFact(view, marketCards(view))?.statement ?? ""
  }
  ok(against(2, "against").startsWith("Against it, "))
  equal([against(25, "against"), against(2, "for"), against(2, null)], ["", "", ""])
  strictEqual(against(2, "against", true), "")
})
