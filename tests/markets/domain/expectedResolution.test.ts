/**
 * The expected resolution: laws over every schedule, and examples from real rows.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Arbitrary, Schema } from "effect"
import {
  expectedResolution,
  type ResolutionEvidence,
} from "../../../src/markets/domain/expectedResolution.ts"
import { MarketId } from "../../../src/markets/domain/market.ts"
import type { Proposal } from "../../../src/markets/domain/proposal.ts"
import { day, hour, minute } from "../../../src/core/domain/time.ts"
import { law } from "../../support/effect.ts"
import { market, now } from "../../support/movers/market.ts"

const int = (minimum: number, maximum: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const midnight = Math.floor(now / day) * day

const anyEvidence = Schema.Struct({
  slug: Schema.Literals(["nba-a-b", "epl-a-b", "nfl-a-b", "nhl-a-b", "mlb-a-b", "constructor-a"]),
  endMinutes: Schema.NullOr(int(-60_000, 60_000)),
  midnight: Schema.Boolean,
  gameMinutes: Schema.NullOr(int(-20_000, 20_000)),
  mechanical: Schema.Literals([false, false, false, true]),
  status: Schema.Literals(["open", "open", "proposed"]),
  mid: Schema.NullOr(Schema.Literals([0, 0.005, 0.01, 0.0101, 0.5, 0.9899, 0.99, 1])),
  proposal: Schema.NullOr(
    Schema.Struct({
      ago: int(0, 9_000),
      window: Schema.NullOr(int(1, 240)),
      disputed: Schema.Boolean,
    }),
  ),
})

function evidenceOf(drawn: typeof anyEvidence.Type): ResolutionEvidence {
  const { slug, endMinutes, gameMinutes, mechanical, status, mid, proposal } = drawn
  const end = endMinutes === null ? null : now + endMinutes * minute
  const proposedAt = now - (proposal?.ago ?? 0) * minute
  return {
    market: {
      ...{ slug: market().slug, eventSlug: slug, status },
      endsAt: end !== null && drawn.midnight ? Math.floor(end / day) * day : end,
      gameStartsAt: gameMinutes === null ? null : now + gameMinutes * minute,
      mechanical: mechanical ? "slug" : null,
    },
    mid,
    proposal: proposal === null ? null : {
      marketId: MarketId.make("m"),
      ...{ outcome: 0, proposedAt, disputed: proposal.disputed },
      settlesAt: proposal.window === null ? null : proposedAt + proposal.window * minute,
    },
  }
}

const anyCase = Arbitrary.schema(Schema.Struct({ of: anyEvidence, later: int(0, 90_000) }))

law("is never before now, never goes back, and is a probability", anyCase, ({ of, later }) => {
  const evidence = evidenceOf(of)
  const first = expectedResolution(evidence, now)
  const then = now + later * minute
  const second = expectedResolution(evidence, then)
  const isUnknown = of.endMinutes === null && (of.gameMinutes === null || of.mechanical) &&
    of.status === "open" && of.proposal === null
  strictEqual(first === null, isUnknown)
  if (first === null || second === null) return strictEqual(first, second)
  ok(first.at >= now && second.at >= then && second.at >= first.at, `${first.at} ${second.at}`)
  for (const { probability24h, at } of [first, second]) {
    ok(probability24h >= 0 && probability24h <= 1 && Number.isFinite(at))
  }
  equal([second.basis, second.scheduledAt], [first.basis, first.scheduledAt])
})

law("the median is within 24 hours exactly when that is as likely as not", anyCase, ({ of }) => {
  const found = expectedResolution(evidenceOf(of), now)
  if (found === null || Math.abs(found.probability24h - 0.5) < 1e-6) return
  strictEqual(found.at <= now + day, found.probability24h > 0.5)
})

law("a converged price resolves no later, a proposal outweighs the schedule", anyCase, ({ of }) => {
  const evidence = evidenceOf(of)
  const open = expectedResolution({ ...evidence, mid: 0.5 }, now)
  const converged = expectedResolution({ ...evidence, mid: 0.995 }, now)
  if (open === null || converged === null) return strictEqual(open, converged)
  ok(converged.at <= open.at && converged.probability24h >= open.probability24h)
  const strongest = evidence.proposal?.disputed === true
    ? "dispute"
    : evidence.proposal !== null || of.status === "proposed"
    ? "proposal"
    : "price"
  strictEqual(converged.basis, strongest)
  const isGame = of.gameMinutes !== null && !of.mechanical &&
    (evidence.market.endsAt === null ||
      evidence.market.endsAt - (evidence.market.gameStartsAt ?? 0) <= 15 * day)
  if (strongest === "price") strictEqual(open.basis, isGame ? "game_start" : "end_date")
})

const plain = { eventSlug: "e", endsAt: null, gameStartsAt: null, status: "open" } as const
const of = (
  fields: Partial<ResolutionEvidence["market"]>,
  more: Partial<ResolutionEvidence> = {},
) =>
  expectedResolution({
    market: { slug: market().slug, mechanical: null, ...plain, ...fields },
    mid: null,
    proposal: null,
    ...more,
  }, now)
const hoursOf = (found: ReturnType<typeof of>) =>
  found === null ? null : Math.round((found.at - now) / (hour / 10)) / 10

Deno.test("a game resolves hours after its start, whatever its end date says", () => {
  const nhl = of({ eventSlug: "nhl-sj-det-2025-01-14", gameStartsAt: now, endsAt: now + 7 * day })
  equal([hoursOf(nhl), nhl?.basis, nhl?.scheduledAt], [4.9, "game_start", now + 4.9 * hour])
  ok((nhl?.probability24h ?? 0) > 0.98)
  const noon = of({ eventSlug: "epl-ars-che", gameStartsAt: now, endsAt: now - 8 * hour })
  equal([hoursOf(noon), noon?.scheduledAt], [5.2, now + 5.2 * hour])
  // A game's start far before the end is not the market's question.
  const season = of({ gameStartsAt: now, endsAt: now + 40 * day })
  strictEqual(season?.basis, "end_date")
})

Deno.test("an end at midnight UTC names a day: its market resolves a day later than others", () => {
  const [named, exact] = [
    of({ endsAt: midnight + day }),
    of({ endsAt: midnight + day + 12 * hour }),
  ]
  ok(((named?.at ?? 0) - midnight - day) / hour > 36)
  ok(((exact?.at ?? 0) - midnight - day - 12 * hour) / hour < 20)
})

Deno.test("a proposal resolves when its window ends, a dispute after days", () => {
  const proposal: Proposal = {
    marketId: MarketId.make("m"),
    ...{ outcome: 0, proposedAt: now - hour, settlesAt: null, disputed: false },
  }
  const fields = { status: "proposed", endsAt: now - 9 * day } as const
  const plain = of(fields, { proposal })
  equal([hoursOf(plain), plain?.basis], [1.1, "proposal"])
  ok((plain?.probability24h ?? 0) > 0.98)
  const disputed = of(fields, { proposal: { ...proposal, disputed: true } })
  equal([hoursOf(disputed), disputed?.basis], [119, "dispute"])
  ok((disputed?.probability24h ?? 1) < 0.01)
  const unknown = of(fields)
  equal([unknown?.basis, (unknown?.probability24h ?? 0) < 0.7], ["proposal", true])
})

Deno.test("a mechanical market resolves at its end, and one without any schedule is unknown", () => {
  const mechanical = of({ mechanical: "recurrence", endsAt: now + 5 * minute })
  ok((mechanical?.at ?? 0) - now < 10 * minute && (mechanical?.probability24h ?? 0) > 0.99)
  strictEqual(of({}), null)
})
