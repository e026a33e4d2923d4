/**
 * follow(): every item once and in order, few payments, the free limit, and how it ends.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok, rejects } from "node:assert/strict"
import { Arbitrary, Effect, Schema } from "effect"
import {
  BuyError,
  Charged,
  ChargeUnknown,
  type FollowOptions,
  memoryLedger,
} from "bellwether-client"
import { failuresMax } from "../../../packages/client/src/follow.ts"
import {
  clientOf,
  errorResponse,
  type Faults,
  json,
  makeSeller,
  onClock,
  receipt,
  type Received,
  type TestClock,
} from "../../support/client/seller.ts"
import { sized } from "../../support/size.ts"
import { effectLaw } from "../../support/effect.ts"

const types = ["mover", "whale_entry", "predetermined"] as const
type Item = {
  readonly feedIndex: number
  readonly type: typeof types[number]
  readonly atMs: number
}

/** A feed that grows by `growth[n]` items before the nth poll. */
function feedOf(clock: TestClock, growth: ReadonlyArray<number>): Faults & { items: Array<Item> } {
  const items: Array<Item> = []
  let polls = 0
  const grow = () => {
    for (let n = growth[polls] ?? 0; n > 0; n -= 1) {
      const feedIndex = items.length + 1
      items.push({ feedIndex, type: types[feedIndex % 3] ?? "mover", atMs: clock.nowMs() })
    }
    polls += 1
  }
  return {
    items,
    index: () => indexBody(items, clock),
    unpaid: ({ url, etag }: Received) => {
      if (url.pathname !== "/v1/index") return null
      grow()
      const known = `"${items.length}"`
      if (etag === known) return new Response(null, { status: 304 })
      return json(indexBody(items, clock), 200, { etag: known, ratelimit: '"free";r=3;t=60' })
    },
    paid: ({ url }: Received) => {
      const since = Number(url.searchParams.get("since"))
      const count = Number(url.searchParams.get("count") ?? 10)
      const type = url.searchParams.get("type")
      const data = items
        .filter((item) => item.feedIndex > since && (type === null || item.type === type))
        .slice(0, count)
      return data.length === 0
        ? json({ success: true, data, charged: false })
        : json({ success: true, data, charged: true }, 200, receipt())
    },
  }
}

function indexBody(items: ReadonlyArray<Item>, clock: TestClock) {
  const day = Math.floor(clock.nowMs() / 86_400_000)
  const today = items.filter(({ atMs }) => Math.floor(atMs / 86_400_000) === day)
  const todayByType = Object.fromEntries(
    types.map((name) => [name, today.filter(({ type }) => type === name).length]),
  )
  return { success: true, index: items.length, todayByType }
}

/** Follows until `polls` polls were made; returns the indices and what was received. */
async function followed(
  clock: TestClock,
  faults: Faults,
  polls: number,
  options: FollowOptions = {},
  budgetUsd = "1000",
) {
  const seller = makeSeller(clock, faults)
  const client = clientOf(seller, clock, { budgetUsd })
  const controller = new AbortController()
  const pollsNow = () => seller.received.filter(({ url }) => url.pathname === "/v1/index").length
  const limited = clientOf(seller, {
    ...clock,
    sleep: (ms) => {
      if (pollsNow() >= polls) controller.abort()
      return clock.sleep(ms)
    },
  }, { budgetUsd })
  const found: Array<number> = []
  for await (const { feedIndex } of limited.follow({ signal: controller.signal, ...options })) {
    found.push(feedIndex)
  }
  return { found, seller, client }
}

const Growth = Schema.Struct({
  growth: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 47 }))),
  since: Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 60 }))),
  type: Schema.NullOr(Schema.Literals(types)),
  everyHours: Schema.Literals([0, 1, 5, 23]),
})

effectLaw(
  "follow() yields every new item once and in order, and buys only when there may be one",
  Arbitrary.schema(Growth),
  ({ growth, since, type, everyHours }) =>
    Effect.promise(() =>
      onClock(async (clock) => {
        const feed = feedOf(clock, growth)
        const polls = growth.length + 40
        const { found, seller } = await followed(clock, feed, polls, {
          everyMs: everyHours * 3_600_000,
          ...(since === null ? {} : { since }),
          ...(type === null ? {} : { type }),
        })
        const from = since ?? (growth[0] ?? 0)
        const expected = feed.items
          .filter((item) => item.feedIndex > from && (type === null || item.type === type))
          .map(({ feedIndex }) => feedIndex)
        equal(found, expected)
        const pages = growth.reduce((sum, grown) => sum + Math.ceil((grown + 1) / 20) + 1, 3)
        ok(
          seller.nonces().size <= pages + polls * everyHours / 24 + 2,
          `${seller.nonces().size}`,
        )
      })
    ),
  { runs: sized({ short: 40, full: 300 }) },
)

Deno.test("follow() without `since` starts at the newest item, and asks again with the ETag", () =>
  onClock(async (clock) => {
    const { found, seller } = await followed(clock, feedOf(clock, [5, 0, 0, 2]), 4)
    equal(found, [6, 7])
    equal(seller.received.map(({ etag }) => etag).slice(0, 3), [null, '"5"', '"5"'])
    equal(seller.nonces().size, 1)
  }))

Deno.test("follow() goes on after the answer of an earlier call, which is older than the index", () =>
  onClock(async (clock) => {
    const feed = feedOf(clock, [8, 92])
    const { found } = await followed(
      clock,
      {
        ...feed,
        // The first payment is answered from the eight items of its time, at its 13th send.
        paid: (request, n) =>
          n <= 12
            ? "lost"
            : n === 13
            ? json({ success: true, data: feed.items.slice(5, 8), charged: true }, 200, receipt())
            : feed.paid?.(request, n) ?? null,
      },
      6,
      { since: 5 },
    )
    equal(found, feed.items.slice(5).map(({ feedIndex }) => feedIndex))
  }))

Deno.test("follow() waits for the free limit", () =>
  onClock(async (clock) => {
    const startMs = clock.nowMs()
    const { seller } = await followed(
      clock,
      {
        unpaid: ({ url }) =>
          url.pathname === "/v1/index"
            ? json({ success: true, index: 0 }, 200, { ratelimit: '"free";r=0;t=12' })
            : null,
      },
      4,
      { everyMs: 1_000 },
    )
    equal([seller.received.length, clock.nowMs() - startMs], [4, 4 * 12_000])
  }))

Deno.test("follow() ends with over_budget when the budget is used up, and can continue the next day", () =>
  onClock(async (clock) => {
    const faults = feedOf(clock, [100, 0, 0])
    const seller = makeSeller(clock, faults)
    const ledger = memoryLedger()
    const read: Array<number> = []
    const follow = async (since: number) => {
      const client = clientOf(seller, clock, { ledger, budgetUsd: "0.07" })
      for await (const { feedIndex } of client.follow({ since })) read.push(feedIndex)
    }
    await rejects(follow(0), (error: BuyError) => error.code === "over_budget")
    equal(read.length, 40)
    clock.move(86_400_000)
    await rejects(follow(read.at(-1) ?? 0), (error: BuyError) => error.code === "over_budget")
    equal(read, Array.from({ length: 80 }, (_, n) => n + 1))
  }))

Deno.test("follow() continued after a restart sends the payment of the lost answer again", () =>
  onClock(async (clock) => {
    const feed = feedOf(clock, [3])
    let isLost = true
    const seller = makeSeller(clock, {
      ...feed,
      paid: (received, nth) => isLost ? "lost" : feed.paid?.(received, nth) ?? null,
    })
    const ledger = memoryLedger()
    const next = () => clientOf(seller, clock, { ledger }).follow({ since: 0 }).next()
    await rejects(next(), ChargeUnknown)
    isLost = false
    equal((await next()).value?.feedIndex, 1)
    equal(seller.nonces().size, 1)
  }))

/** Failures that end follow(), after how many calls. */
const ends: ReadonlyArray<readonly [string, Faults, number, (error: BuyError) => boolean]> = [
  [
    "a payment that was charged without an answer",
    { paid: () => errorResponse(409, { charged: true, retryable: false }) },
    ...[1, (error: BuyError) => error instanceof Charged] as const,
  ],
  [
    "an index that cannot be read",
    { index: () => ({ success: true, index: "many" }) },
    ...[0, (error: BuyError) => error.code === "unknown_answer"] as const,
  ],
  [
    "data that stays stale",
    { paid: () => errorResponse(503, { code: "data_stale", charged: false, retryable: true }) },
    ...[failuresMax * 12, (error: BuyError) => error.code === "data_stale"] as const,
  ],
]

for (const [name, faults, sends, isEnd] of ends) {
  Deno.test(`follow() ends with the error of ${name}`, () =>
    onClock(async (clock) => {
      const seller = makeSeller(clock, faults)
      const next = clientOf(seller, clock).follow({ since: 0, everyMs: 0 }).next()
      await rejects(next, isEnd)
      equal(seller.payments().length, sends)
    }))
}

Deno.test("follow() drops items that a dishonest service repeats, reorders or makes up", () =>
  onClock(async (clock) => {
    const item = (feedIndex: unknown) => ({ feedIndex, type: "mover" })
    const data = [...[3, 1, 3, 2, 0, -1, "4", null, 1e300, 2.5].map(item), null, "x"]
    const { found, seller } = await followed(
      clock,
      {
        index: () => ({ success: true, index: 3 }),
        paid: () => json({ data, charged: true }, 200, receipt()),
      },
      3,
      { since: 0 },
    )
    equal([found, seller.nonces().size], [[1, 2, 3], 1])
    match(String(seller.payments()[0]?.url), /since=0&count=20$/)
  }))
