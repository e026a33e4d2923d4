/**
 * One purchase of the client against a faulty seller: what is signed, what is sent again, what the
 * ledger keeps, and how the call ends.
 *
 * @module
 */
import {
  deepStrictEqual as equal,
  match,
  ok,
  rejects,
  strictEqual,
  throws,
} from "node:assert/strict"
import {
  BuyError,
  Charged,
  ChargeUnknown,
  type Client,
  makeClient,
  memoryLedger,
  NotCharged,
} from "bellwether-client"
import { sendsMax } from "../../../packages/client/src/purchase.ts"
import {
  baseUrl,
  buyerKey,
  challengeResponse,
  clientOf,
  errorResponse,
  type Faults,
  json,
  makeSeller,
  onClock,
  payer,
  receipt,
  sellerTerms,
  type TestClock,
  transaction,
} from "../../support/client/seller.ts"

/** A test with a seller, a client of it, and a clock. */
function sellerTest(
  name: string,
  faults: Faults | ((clock: TestClock) => Faults),
  run: (context: Context) => Promise<void>,
): void {
  Deno.test(name, () =>
    onClock(async (clock) => {
      const seller = makeSeller(clock, typeof faults === "function" ? faults(clock) : faults)
      const steps: Array<string> = []
      const ledger = memoryLedger()
      const client = clientOf(seller, clock, { ledger }, steps)
      const restarted = (options = {}) => clientOf(seller, clock, { ledger, ...options }, steps)
      await run({ seller, client, restarted, steps, clock })
    }))
}

interface Context {
  readonly seller: ReturnType<typeof makeSeller>
  readonly client: Client
  /** A client after a restart, with the same ledger. */
  readonly restarted: (options?: object) => Client
  readonly steps: ReadonlyArray<string>
  readonly clock: TestClock
}

/** The error of a call; fails when there is none. */
async function errorOf(call: Promise<unknown>): Promise<BuyError> {
  try {
    await call
  } catch (error) {
    ok(error instanceof BuyError, String(error))
    return error
  }
  throw new Error("The call did not fail")
}

const outcomesOf = async (client: Client) => (await client.payments()).map(({ outcome }) => outcome)

sellerTest(
  "an answer is paid once, and its receipt and record are checked",
  {},
  async (context) => {
    const { seller, client, steps } = context
    const answer = await client.signals({ since: 2 })
    equal(answer.body.data, [])
    equal(answer.charged, true)
    equal(answer.sentence, "Paid $0.03 for get_signals; $0.22 of this client's $0.25 left today.")
    equal(answer.left, { budgetUsd: "0.25", leftUsd: "0.22" })
    equal(answer.payment?.transaction, transaction)
    equal(answer.payment?.target, "/v1/signals?since=2")
    match(seller.payments()[0]?.key ?? "", /^[A-Za-z0-9_-]{16,128}$/)
    equal(seller.received.map(({ url }) => url.pathname), [
      ...["/v1/signals", "/v1/signals", `/v1/payments/${answer.payment?.paymentId}`],
    ])
    equal(steps, [`receipt and record agree: $0.03 in ${transaction}`])
    equal(await outcomesOf(client), ["charged"])
  },
)

sellerTest(
  "a second call for the same address is a new purchase",
  {},
  async ({ seller, client }) => {
    await client.latest()
    await client.latest()
    equal(seller.nonces().size, 2)
    equal((await client.left())?.leftUsd, "0.23")
  },
)

sellerTest("calls without a key are free or refused", {}, async ({ seller, restarted }) => {
  const client = restarted({ privateKey: null })
  equal(client.address, null)
  const { sentence, left, charged } = await client.index()
  equal([sentence, left, charged], ["Nothing was charged: get_index is free.", null, false])
  equal((await errorOf(client.latest())).code, "no_key")
  ok(!seller.received.some(({ url }) => url.pathname === "/v1/latest"))
})

sellerTest(
  "a held payment is sent again until its answer has arrived",
  {},
  async ({ seller, client }) => {
    const buy = () => client.call("get_latest", {}, { hold: true })
    const lost = await buy()
    equal(await outcomesOf(client), ["unclear"])
    const again = await buy()
    equal([again.payment?.paymentId, seller.nonces().size], [lost.payment?.paymentId, 1])
    await client.received(again.payment?.paymentId ?? "")
    equal(await outcomesOf(client), ["charged"])
    await buy()
    equal(seller.nonces().size, 2)
  },
)

sellerTest(
  "an error repeats the service's hint, as text of a stranger",
  {
    paid: () =>
      errorResponse(404, { charged: false, retryable: false, hint: "Did you\u202e mean “x”?" }),
  },
  async ({ client }) => {
    const { message } = await errorOf(client.latest())
    match(message, /some_code: “why[^”]*”, with the hint “Did you mean 'x'\?”\. The signed/)
  },
)

/** What is refused before anything is signed: the seller, the options, the code. */
const unsigned: ReadonlyArray<
  readonly [name: string, faults: Faults, options: object, code: string, message: RegExp]
> = [
  [
    "a challenge that requests more than the contract says",
    {
      unpaid: ({ url }) =>
        challengeResponse(url.pathname, ({ header }) => header.accepts[0].amount = "40000"),
    },
    {},
    ...["terms_refused", /it requests 40000 units, the contract says 30000/] as const,
  ],
  ["a 402 without a challenge", { unpaid: () => json({}, 402) }, {}, "terms_refused", /not x402/],
  [
    "a price over the cap",
    {},
    { maxPriceUsd: "0.029999" },
    "over_cap",
    /one call may cost \$0.029999/,
  ],
  [
    "a price over the budget",
    {},
    { budgetUsd: "0.029999" },
    "over_budget",
    /\$0.029999 of \$0.029999 is left/,
  ],
  [
    "another receiver than the settings name",
    {},
    { payTo: sellerTerms.asset },
    ...["receiver_changed", /the receiver in the settings is 0x8335/] as const,
  ],
  [
    "a redirect",
    { unpaid: () => Response.redirect(`${baseUrl}/v1/x`, 308) },
    {},
    "unknown_answer",
    /status 308/,
  ],
  [
    "a service that never answers",
    { unpaid: () => "lost" },
    {},
    "unavailable",
    /did not answer \(no answer\)/,
  ],
  [
    "a service that asks for an hour's patience",
    {
      unpaid: () =>
        errorResponse(503, { charged: false, retryable: true }, { "retry-after": "3600" }),
    },
    {},
    ...["unavailable", /some_code: “why/] as const,
  ],
  [
    "an unknown path",
    { unpaid: () => errorResponse(404, { code: "not_found", charged: false, retryable: false }) },
    {},
    ...["not_found", /the service answered not_found: “?why/] as const,
  ],
]

for (const [name, faults, options, code, message] of unsigned) {
  sellerTest(`nothing is signed for ${name}`, faults, async ({ seller, restarted, clock }) => {
    const startMs = clock.nowMs()
    const client = restarted(options)
    const error = await errorOf(client.signals({ since: 0 }))
    ok(error instanceof NotCharged)
    equal([error.code, error.charged, error.payment], [code, false, null])
    match(error.message, /^Nothing was charged: /)
    match(error.message, message)
    equal(seller.payments(), [])
    equal(await client.payments(), [])
    ok(clock.nowMs() - startMs <= 180_000)
  })
}

const failed = (message: string, cause?: object): Error => new TypeError(message, { cause })
const nothing = /nothing listens at https:.*: start the service/
const blocked = /sends nothing to the port of https:.*: correct the address/

/** How a request ends where another one would not have an answer either, and what the call says. */
const dead: Readonly<Record<string, readonly [Error, RegExp]>> = {
  "refused, in Node": [failed("fetch failed", { code: "ECONNREFUSED" }), nothing],
  "refused, in Deno": [failed("fetch failed", { message: "Connection refused" }), nothing],
  "blocked by fetch, in Node": [failed("fetch failed", { message: "bad port" }), blocked],
  "blocked by fetch, in Deno": [failed("Fetch failed: Requests to port 9 are blocked"), blocked],
}

for (const [name, [error, message]] of Object.entries(dead)) {
  sellerTest(`a connection that is ${name}, ends the call at once`, {}, async (context) => {
    const startMs = context.clock.nowMs()
    const client = context.restarted({ fetch: () => Promise.reject(error) })
    for (const call of [client.latest, client.index]) {
      match((await errorOf(call())).message, message)
    }
    equal([context.clock.nowMs(), context.steps], [startMs, []])
  })
}

sellerTest(
  "a service that is silent ends a call without a payment after 30 s",
  {},
  async (context) => {
    const { timeout } = AbortSignal
    const limits: Array<number> = []
    const client = context.restarted({ fetch: () => Promise.reject(failed("aborted")) })
    try {
      AbortSignal.timeout = (ms) => {
        limits.push(ms)
        return AbortSignal.abort(new DOMException("Signal timed out.", "TimeoutError"))
      }
      const silent = /was silent for 30 s: check that the service runs there/
      for (const call of [client.latest, client.index]) {
        match(
          (await errorOf(call())).message,
          silent,
        )
      }
    } finally {
      AbortSignal.timeout = timeout
    }
    equal([limits, context.steps], [[30_000, 30_000], []])
  },
)

sellerTest(
  "the receiver of the first purchase is remembered; a change must be accepted",
  {},
  async (context) => {
    const { client, clock } = context
    await client.latest()
    const ledger = memoryLedger()
    const payTo = `0x${"77".repeat(20)}`
    const changed = makeSeller(clock, {
      unpaid: ({ url }) =>
        challengeResponse(url.pathname, ({ header, body }) => {
          header.accepts[0].payTo = payTo
          body.accepts[0].payTo = payTo
        }),
    })
    await clientOf(makeSeller(clock), clock, { ledger }).latest()
    const refused = await errorOf(clientOf(changed, clock, { ledger }).latest())
    equal(refused.code, "receiver_changed")
    match(refused.sentence, /only a person may accept another receiver/)
    await clientOf(changed, clock, { ledger, payTo }).latest()
    // Once it was accepted it is the one that is remembered.
    await clientOf(changed, clock, { ledger }).latest()
    equal(
      (await errorOf(clientOf(makeSeller(clock), clock, { ledger }).latest())).code,
      "receiver_changed",
    )
  },
)

const unresolved = errorResponse(503, { charged: null, retryable: true }, { "retry-after": "5" })

/** The answers to the payments, the number of sends, the shortest wait, and the end. */
const ends: ReadonlyArray<
  readonly [
    name: string,
    faults: Faults,
    sends: number,
    waitMs: number,
    outcome: string,
    end: RegExp,
  ]
> = [
  [
    "an answer that was lost once",
    { paid: (_, n) => n === 1 ? "lost" : null },
    2,
    5_000,
    "charged",
    /^Paid/,
  ],
  [
    "a settlement that was unresolved twice",
    { paid: (_, n) => n < 3 ? unresolved.clone() : null },
    ...[3, 10_000, "charged", /^Paid/] as const,
  ],
  [
    "a 429",
    {
      paid: (_, n) =>
        n === 1
          ? errorResponse(429, { charged: false, retryable: true }, { "retry-after": "7" })
          : null,
    },
    ...[2, 7_000, "charged", /^Paid/] as const,
  ],
  [
    "a proxy's 502",
    { paid: (_, n) => n === 1 ? new Response("<html>", { status: 502 }) : null },
    ...[2, 5_000, "charged", /^Paid/] as const,
  ],
  [
    "a body over 4 MiB",
    { paid: (_, n) => n === 1 ? new Response(new Uint8Array(4_194_305)) : null },
    ...[2, 5_000, "charged", /^Paid/] as const,
  ],
  [
    "an uncharged answer",
    { paid: () => json({ success: true, data: [], charged: false }) },
    ...[
      1,
      0,
      "unused",
      /^Nothing was charged for get_signals: .+; \$0.22 of this client's \$0.25 left today/,
    ] as const,
  ],
  [
    "a payment that was used already",
    { paid: () => errorResponse(409, { charged: true, retryable: false }) },
    ...[1, 0, "charged", /^Charged: \$0.03 was charged without an answer/] as const,
  ],
  [
    "a payment that was refunded",
    {
      paid: () =>
        errorResponse(410, { charged: true, retryable: false, refund: { state: "confirmed" } }),
    },
    ...[1, 0, "refunded", /^Charged: .+ It was refunded/] as const,
  ],
  [
    "a refund that is queued",
    {
      paid: () =>
        errorResponse(500, { charged: true, retryable: true, refund: { state: "queued" } }),
    },
    ...[1, 0, "refundQueued", /^Charged: .+ The refund is owed/] as const,
  ],
  [
    "a payment that is not valid",
    { paid: () => json({ error: "insufficient_funds" }, 402) },
    ...[1, 0, "unused", /^NotCharged: .+ “insufficient_funds”/] as const,
  ],
  [
    "an unknown market",
    {
      paid: () =>
        errorResponse(404, { code: "market_not_found", charged: false, retryable: false }),
    },
    ...[1, 0, "unused", /^NotCharged: .+ market_not_found: “why/] as const,
  ],
  [
    "no answer at all, and no record yet",
    {
      paid: () => "lost",
      record: errorResponse(404, { code: "not_found", charged: false, retryable: false }),
    },
    ...[
      12,
      55_000,
      "unclear",
      /^ChargeUnknown: .+ does not exist yet\. Make the same call again in 95 s/,
    ] as const,
  ],
  [
    "no answer at all, and a record that is unresolved",
    { paid: () => "lost", record: { state: "unresolved" } },
    ...[12, 55_000, "unclear", /^ChargeUnknown: .+ says unresolved/] as const,
  ],
  [
    "no answer at all, and a record that says answered",
    { paid: () => "lost" },
    ...[12, 55_000, "unclear", /^ChargeUnknown: .+ says answered/] as const,
  ],
  [
    "no answer at all, and a record that says refunded",
    { paid: () => "lost", record: { state: "refunded" } },
    ...[12, 55_000, "refunded", /^Charged: /] as const,
  ],
  [
    "a 402 after an answer was lost",
    {
      paid: (_, n) => n === 1 ? "lost" : json({ error: "nonce_used" }, 402),
      record: { state: "void" },
    },
    ...[
      2,
      5_000,
      "unclear",
      /^ChargeUnknown: .+ says void\. Make the same call again in 145 s/,
    ] as const,
  ],
  [
    "a redirect",
    { paid: () => Response.redirect(`${baseUrl}/elsewhere`, 308), record: { state: "unresolved" } },
    ...[1, 0, "unclear", /^ChargeUnknown: .+ status 308/] as const,
  ],
  [
    "waits of an hour",
    {
      paid: () => errorResponse(503, { charged: null, retryable: true }, { "retry-after": "3600" }),
    },
    ...[1, 0, "unclear", /^ChargeUnknown: .+ in 3600 s/] as const,
  ],
]

for (const [name, faults, sends, waitMs, outcome, end] of ends) {
  sellerTest(`the client signs once for ${name}`, faults, async ({ seller, client, clock }) => {
    const startMs = clock.nowMs()
    const ended = await client.signals({ since: 0 })
      .then(({ sentence }) => sentence, (error) => `${error.name}: ${error.sentence}`)
    match(ended, end)
    equal(seller.payments().length, sends)
    equal(new Set(seller.payments().map(({ payment }) => payment)).size, 1)
    equal(new Set(seller.payments().map(({ key }) => key)).size, 1)
    equal(await outcomesOf(client), [outcome])
    equal((await client.left())?.leftUsd, "0.22")
    ok(clock.nowMs() - startMs >= waitMs && clock.nowMs() - startMs <= 180_000)
    ok(!seller.received.some(({ url }) => url.pathname === "/elsewhere"))
    ok(!ended.includes(buyerKey.slice(2)) && !ended.includes(seller.payments()[0]?.payment ?? "-"))
    ok(!ended.includes(seller.payments()[0]?.key ?? "-"))
  })
}

strictEqual(sendsMax, 12)

/** Receipts and records that do not agree with what was signed. */
const dishonest: ReadonlyArray<readonly [string, Faults, RegExp]> = [
  [
    "a receipt for another amount",
    { paid: () => json({ data: [], charged: true }, 200, receipt({ amount: "40000" })) },
    /the receipt is for 40000 units, but 30000 were signed/,
  ],
  [
    "a receipt of another payer",
    {
      paid: () =>
        json({ data: [], charged: true }, 200, receipt({ payer: `0x${"66".repeat(20)}` })),
    },
    /the receipt has another payer/,
  ],
  ["no receipt", { paid: () => json({ data: [], charged: true }) }, /the receipt is invalid/],
  ["a record with a higher amount", { record: { amountUsd: "0.04" } }, /the record says \$0.04/],
  [
    "a record with another transaction",
    { record: { transaction: `0x${"66".repeat(32)}` } },
    /different transactions/,
  ],
]

for (const [name, faults, reason] of dishonest) {
  sellerTest(
    `${name} is an error that holds the paid answer`,
    faults,
    async ({ client, seller }) => {
      const error = await errorOf(client.signals({ since: 0 }))
      ok(error instanceof Charged)
      match(error.message, reason)
      equal(error.code, "receipt_wrong")
      ok(JSON.stringify(error.body).includes("charged"))
      equal([seller.payments().length, await outcomesOf(client)], [1, ["charged"]])
    },
  )
}

sellerTest(
  "a call after a lost answer, also after a restart, sends the same payment under the same key",
  { paid: (_, n) => n <= 12 + 1 ? "lost" : null },
  async ({ seller, client, restarted, steps }) => {
    ok(await errorOf(client.signals({ since: 0 })) instanceof ChargeUnknown)
    const again = await restarted().signals({ since: 0 })
    equal(
      again.sentence,
      "This is the answer to an earlier call of get_signals, paid once with $0.03; $0.22 of this client's $0.25 left today.",
    )
    equal(seller.nonces().size, 1)
    equal(new Set(seller.payments().map(({ key }) => key)).size, 1)
    ok(steps.length > 0)
    // The unclear payment does not hold up other calls.
    await restarted().signals({ since: 1 })
    equal(seller.nonces().size, 2)
  },
)

sellerTest(
  "an unclear payment is sent again when the budget is used up",
  { paid: (_, n) => n <= 12 ? "lost" : null },
  async ({ client, restarted }) => {
    await errorOf(client.signals({ since: 0 }))
    const paid = await restarted({ budgetUsd: "0.03" }).signals({ since: 0 })
    match(paid.sentence, /paid once with \$0.03; \$0.00 of this client's \$0.03 left/)
  },
)

const none = errorResponse(404, { code: "not_found", charged: false, retryable: false })

for (const [what, record] of [["void", { state: "void" }], ["unknown", none]] as const) {
  sellerTest(
    `a new payment is signed once the earlier one has expired and is ${what} in the records`,
    { paid: (_, n) => n <= 12 ? "lost" : null, record },
    async ({ seller, client, restarted, clock }) => {
      ok(await errorOf(client.signals({ since: 0 })) instanceof ChargeUnknown)
      clock.move(300_000)
      await restarted().signals({ since: 0 }).catch((error) => equal(error.code, "receipt_wrong"))
      equal(seller.nonces().size, 2)
      equal((await outcomesOf(client))[0], "uncharged")
      equal((await client.left())?.leftUsd, "0.19")
    },
  )
}

for (
  const record of [
    { state: "unresolved" },
    { state: "answered" },
    { state: "released" },
    "lost",
  ] as const
) {
  sellerTest(
    `no second payment is signed after a week while the record is ${JSON.stringify(record)}`,
    { paid: () => "lost", record },
    async ({ seller, client, restarted, clock }) => {
      await errorOf(client.signals({ since: 0 }))
      for (let day = 0; day < 7; day += 1) {
        clock.move(86_400_000)
        ok(await errorOf(restarted().signals({ since: 0 })) instanceof ChargeUnknown)
      }
      equal(seller.nonces().size, 1)
    },
  )
}

sellerTest(
  "a payment that was not used is sent again while it is valid, and not signed again",
  { paid: (_, n) => n <= 2 ? json({ data: [], charged: false }) : null },
  async ({ seller, client, restarted, clock }) => {
    await client.signals({ since: 0 })
    await restarted().signals({ since: 0 })
    equal(seller.nonces().size, 1)
    clock.move(100_000)
    await restarted().signals({ since: 0 })
    equal(seller.nonces().size, 1)
    equal((await client.left())?.leftUsd, "0.22")
  },
)

sellerTest(
  "a payment that was not used is sent once more after its end, and replaced under the same key",
  {
    paid: (_, n) =>
      n === 1
        ? json({ data: [], charged: false })
        : n === 2
        ? json({ error: "invalid_exact_evm_payload_authorization_valid_before" }, 402)
        : null,
    record: errorResponse(404, { code: "not_found", charged: false, retryable: false }),
  },
  async ({ seller, client, restarted, clock }) => {
    await client.signals({ since: 0 })
    clock.move(700_000)
    equal((await restarted().signals({ since: 0 })).charged, true)
    equal([seller.payments().length, seller.nonces().size], [3, 2])
    equal(new Set(seller.payments().map(({ key }) => key)).size, 1)
  },
)

sellerTest(
  "a page of a proxy with status 200 does not end a payment",
  { paid: (_, n) => n === 1 ? new Response("<html>Log in</html>") : null },
  async ({ seller, client, restarted }) => {
    ok(await errorOf(client.signals({ since: 0 })) instanceof ChargeUnknown)
    equal((await restarted().signals({ since: 0 })).isEarlier, true)
    equal(seller.nonces().size, 1)
  },
)

sellerTest(
  "equal calls share a payment, however their parameters are spelled",
  { paid: (_, n) => n <= 12 ? "lost" : null },
  async ({ seller, client }) => {
    ok(await errorOf(client.signals({ since: 5 })) instanceof ChargeUnknown)
    const spelled = { since: "05", count: 10 } as unknown as { since: number }
    equal((await client.signals(spelled)).isEarlier, true)
    equal(seller.nonces().size, 1)
  },
)

sellerTest(
  "calls for the same address at the same time share one payment",
  {},
  async ({ seller, client, restarted }) => {
    await Promise.all([client.latest(), client.latest(), restarted().latest()])
    equal(seller.nonces().size, 1)
  },
)

sellerTest(
  "calls at the same time sign no more than the budget together",
  {},
  async ({ seller, client, restarted }) => {
    const calls = Array.from(
      { length: 12 },
      (_, since) => (since % 2 === 0 ? client : restarted()).signals({ since }),
    )
    const results = await Promise.allSettled(calls)
    equal(results.filter(({ status }) => status === "fulfilled").length, 8)
    equal(seller.nonces().size, 8)
  },
)

sellerTest(
  "the budget is renewed on the next UTC day, and not by a clock that goes back",
  {},
  async ({ client, clock }) => {
    const buyAll = async () => {
      let bought = 0
      while (await client.digest().then(() => true, ({ code }) => code !== "over_budget")) {
        bought += 1
      }
      return bought
    }
    equal(await buyAll(), 2)
    clock.move(86_400_000)
    equal(await buyAll(), 2)
    clock.move(-86_400_000)
    equal(await buyAll(), 0)
    clock.move(-10 * 86_400_000)
    equal(await buyAll(), 0)
    clock.move(12 * 86_400_000)
    equal(await buyAll(), 2)
  },
)

sellerTest(
  "an aborted call ends at once; what it signed stays unclear",
  { paid: () => "lost" },
  async ({ seller, client }) => {
    const before = await errorOf(client.latest({}, { signal: AbortSignal.abort() }))
    equal([before.code, seller.nonces().size], ["aborted", 0])
    const controller = new AbortController()
    const watched = clientOf(seller, {
      nowMs: Date.now,
      sleep: () => Promise.resolve(),
      move: () => {},
    }, {
      onStep: () => controller.abort(),
    })
    ok(await errorOf(watched.latest({}, { signal: controller.signal })) instanceof ChargeUnknown)
    // The record is not waited for.
    ok(!seller.answered.some(({ url }) => url.pathname.startsWith("/v1/payments/")))
    equal(seller.payments().length, 1 + 1)
  },
)

sellerTest(
  "a ledger that cannot be used stops every paid call, and no free one",
  {},
  async ({ seller, restarted }) => {
    const { LedgerUnusable } = await import("../../../packages/client/src/ledger.ts")
    const client = restarted({
      ledger: { transact: () => Promise.reject(new LedgerUnusable("The ledger in x is damaged")) },
    })
    const error = await errorOf(client.latest())
    equal([error.code, error.message], [
      "ledger_unusable",
      "Nothing was charged: The ledger in x is damaged.",
    ])
    await client.index()
    equal(seller.payments(), [])
  },
)

sellerTest(
  "every request has a time limit, follows no redirect, and only paid calls have a payment",
  { paid: (_, n) => n === 1 ? "lost" : null },
  async ({ seller, restarted }) => {
    const seen: Array<readonly [string, boolean, boolean]> = []
    const fetch: typeof globalThis.fetch = (input, init) => {
      equal(init?.redirect, "manual")
      ok(init?.signal instanceof AbortSignal && !init.signal.aborted)
      const headers = new Headers(init.headers)
      const url = new URL(String(input))
      seen.push([url.pathname, headers.has("payment-signature"), headers.has("idempotency-key")])
      return seller.fetch(input, init)
    }
    const client = restarted({ fetch })
    await client.index()
    const { payment } = await client.latest()
    equal(seen, [
      ["/v1/index", false, false],
      ["/v1/latest", false, false],
      ["/v1/latest", true, true],
      ["/v1/latest", true, true],
      [`/v1/payments/${payment?.paymentId}`, false, false],
    ])
  },
)

sellerTest(
  "payment() reads a record, and the ledger learns of a refund",
  { record: { state: "refunded" } },
  async ({ client }) => {
    const { payment } = await client.latest()
    equal((await client.payment(payment?.paymentId ?? "")).body.state, "refunded")
    equal(await outcomesOf(client), ["refunded"])
    equal((await errorOf(client.payment("0x12"))).code, "invalid_parameter")
  },
)

Deno.test("makeClient() refuses wrong settings, and never shows the key", () => {
  const options = { baseUrl, privateKey: buyerKey, maxPriceUsd: "1.00", budgetUsd: "1.00" }
  for (
    const [wrong, message] of [
      [{ baseUrl: "ftp://a.example" }, /baseUrl must be/],
      [{ privateKey: "0xsecret" }, /privateKey must be 0x and 64 hexadecimal digits$/],
      [{ privateKey: `0x${"0".repeat(64)}` }, /privateKey must be 0x and 64 hexadecimal digits$/],
      [{ budgetUsd: "much" }, /budgetUsd must be/],
      [{ maxPriceUsd: "-1" }, /maxPriceUsd must be/],
      [{ payTo: "0x12" }, /payTo must be/],
    ] as const
  ) throws(() => makeClient({ ...options, ...wrong }), message)
  equal(makeClient(options).address, payer)
  ok(!JSON.stringify(makeClient(options)).includes(buyerKey.slice(2)))
})

Deno.test("call() refuses a name that the contract does not have", async () => {
  const client = makeClient({ baseUrl, privateKey: null, maxPriceUsd: "1.00", budgetUsd: "1.00" })
  const named = client.call as (name: string) => Promise<unknown>
  for (const name of ["get_nothing", "constructor", "__proto__"]) {
    await rejects(named(name), (error: BuyError) => error.code === "unknown_call")
  }
})
