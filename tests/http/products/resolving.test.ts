/**
 * /v1/resolving with real payments: games by their start, overdue markets, proposals, decided books.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Ref } from "effect"
import { products } from "../../../src/catalog/domain/product.ts"
import { day, hour } from "../../../src/core/domain/time.ts"
import { MarketId } from "../../../src/markets/domain/market.ts"
import { json, now, paidTest } from "../../support/http/paidService.ts"
import { bookOf, endingMarket } from "../../support/products.ts"

const { resolving } = products

interface Row {
  readonly slug: string
  readonly eventEndDate: string | null
  readonly hoursRemaining: number | null
  readonly expectedResolution: {
    readonly basis: string
    readonly at: string
    readonly proposed: string | null
  }
  readonly overdue: boolean
  readonly hoursOverdue: number | null
  readonly yesMid: number
  readonly convergence: string
}

paidTest(
  "/v1/resolving lists games by their start and proposals, says why, and no overdue market that waits",
  function* ({ productPorts, pay }) {
    const game = endingMarket(1, now, { gameStartsAt: now - hour, endsAt: now + 7 * day })
    const overdue = endingMarket(2, now, { endsAt: now - 3 * day })
    const proposed = endingMarket(3, now, { endsAt: null, status: "proposed" })
    const decided = endingMarket(4, now, { endsAt: now + hour, listed: null })
    const later = endingMarket(5, now, { endsAt: now + 9 * day })
    const all = [game, overdue, proposed, decided, later]
    yield* Ref.set(productPorts.markets, all)
    yield* Ref.set(productPorts.proposals, [{
      ...{ marketId: MarketId.make(proposed.id), outcome: 0, disputed: false },
      ...{ proposedAt: now - hour, settlesAt: null },
    }])
    const oneSided = { ...bookOf(decided, now), bids: [{ price: 0.99, size: 9_000 }], asks: [] }
    yield* Ref.set(productPorts.books, [...all.slice(0, 3).map((it) => bookOf(it, now)), oneSided])
    const response = yield* pay(resolving)
    strictEqual(response.status, 200)
    const { data } = (yield* json(response)) as unknown as { readonly data: ReadonlyArray<Row> }
    const rows = new Map(data.map((row) => [row.slug, row]))
    equal(data.map(({ slug, expectedResolution: of }) => [slug, of.basis, of.proposed]), [
      ["market-3", "proposal", proposed.outcomes[0]],
      ["market-1", "game_start", null],
      ["market-4", "price", null],
    ])
    const times = data.map(({ expectedResolution: { at } }) => Date.parse(at))
    equal(times, times.toSorted((a, b) => a - b))
    ok(times.every((at) => at >= now))
    const [one, three, four] = [1, 3, 4].map((n) => rows.get(`market-${n}`))
    equal([one?.hoursRemaining, one?.overdue], [168, false])
    strictEqual(three?.eventEndDate, null)
    equal([three?.hoursRemaining, four?.yesMid, four?.convergence], [null, 0.995, "converged"])
  },
)
