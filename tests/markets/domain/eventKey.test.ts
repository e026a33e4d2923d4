/**
 * The key of dependent markets.
 *
 * @module
 */
import { strictEqual } from "node:assert/strict"
import { Arbitrary, Schema } from "effect"
import { day, hour, minute } from "../../../src/core/domain/time.ts"
import { eventKeyOf } from "../../../src/markets/domain/eventKey.ts"
import { law } from "../../support/effect.ts"

const word = Schema.String.check(Schema.isPattern(/^[a-zA-Z]{2,9}$/))
const endings = [
  "-more-markets",
  "-exact-score",
  "-player-props",
  "-total-corners",
  "-halftime-result",
  "-second-half-result",
  "-first-to-score",
]

law(
  "the parts of a split game have the key of the game, whatever the case of their slugs",
  Arbitrary.all([
    Arbitrary.schema(word),
    Arbitrary.schema(word),
    Arbitrary.schema(Schema.Literals(endings)),
  ]),
  ([first, second, ending]) => {
    const eventSlug = `epl-${first}-${second}-2026-07-23`
    const key = eventKeyOf({ eventSlug })
    return key === eventSlug.toLowerCase() && eventKeyOf({ eventSlug, mainEventId: "7" }) === key &&
      eventKeyOf({ eventSlug: `${eventSlug}-${second}-${ending}`, mainEventId: "7" }) === key &&
      eventKeyOf({ eventSlug: `${eventSlug}${ending}` }) === key &&
      eventKeyOf({ eventSlug: `${eventSlug}${ending}`.toUpperCase() }) === key
  },
)

const instant = Schema.Int.check(Schema.isBetween({ minimum: day, maximum: 40_000 * day }))
const kind = Schema.Literals(["crypto", "Finance"])

law(
  "two short windows have one key exactly when they end in the same hour, its end included",
  Arbitrary.schema(
    Schema.Tuple([instant, Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 150 })), kind]),
  ),
  ([at, minutes, assets]) => {
    const other = at + minutes * minute
    const key = (endsAt: number) =>
      eventKeyOf({ eventSlug: "any", window: { assets, endsAt, short: true } })
    const sameHour = Math.ceil(at / hour) === Math.ceil(other / hour)
    return (key(at) === key(other)) === sameHour &&
      key(at) !== eventKeyOf({
          eventSlug: "any",
          window: { assets: "other", endsAt: at, short: true },
        })
  },
)

Deno.test("a window goes before a game, a date before an id, and the id before the slug", () => {
  const endsAt = Date.parse("2026-07-24T00:00:00Z")
  const window = { assets: "crypto", endsAt, short: true }
  strictEqual(
    eventKeyOf({ eventSlug: "A-B", mainEventId: "7", window }),
    "window:crypto:2026-07-23t23",
  )
  strictEqual(
    eventKeyOf({ eventSlug: "A-B", window: { ...window, short: false } }),
    "window:crypto:2026-07-23",
  )
  strictEqual(eventKeyOf({ eventSlug: "A-B", mainEventId: "7" }), "event:7")
  strictEqual(eventKeyOf({ eventSlug: "A-B" }), "a-b")
})
