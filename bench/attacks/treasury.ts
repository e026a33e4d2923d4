/**
 * Attacks 3 and 4: transfers without a request, against the treasury and against the caps of refunds,
 * and a payer who lets himself be refunded again and again.
 *
 * @module
 */
import { Effect } from "effect"
import type { ProductId } from "../../src/catalog/domain/product.ts"
import { type Buyer, fundedBuyers, nameOf, newPurchase, send } from "./buyers.ts"
import { type Drill, round, sleep } from "./drill.ts"
import { type Environment, startEnvironment } from "./environment.ts"
import { slugIn } from "./floods.ts"

const dollar = 1_000_000n
/** How long the service remembers the treasury's balance, and a little more. */
const balanceAgeMs = 12_000
/** How long a transfer may take until the scan has stored it. */
const scannedWithinMs = 40_000
const pollMs = 500

/** Polls until `check` is true; false when it did not become true in time. */
async function until(
  check: () => Promise<boolean>,
  withinMs: number,
  everyMs: number = pollMs,
): Promise<boolean> {
  for (const endAt = performance.now() + withinMs; performance.now() < endAt;) {
    if (await check()) return true
    await sleep(everyMs)
  }
  return false
}

const countOf = async ({ query }: Environment, condition: string): Promise<number> => {
  const [row] = await query(`SELECT count(*)::int AS count FROM payment WHERE ${condition}`)
  return Number(row?.["count"])
}

/** The answers to one purchase of each product that is settled early. */
async function answersOf(environment: Environment, buyer: Buyer, slug: string) {
  const queries: ReadonlyArray<readonly [ProductId, string]> = [
    ["whales", ""],
    ["resolving", ""],
    ["research", `?market=${slug}`],
  ]
  return await Promise.all(queries.map(async ([id, query]) => {
    const purchase = newPurchase(environment, buyer, id, query)
    return [id, nameOf(await send(purchase, environment.ports[0] ?? 0))] as const
  }))
}

export const attack3: Drill = Effect.fnUntraced(function* ({ replicas, print }) {
  const environment = yield* startEnvironment({ replicas, treasuryUnits: 20n * dollar })
  const { payer, control, payTo, ports } = environment
  return yield* Effect.promise(async () => {
    const [buyer] = await fundedBuyers(environment, 1)
    if (buyer === undefined) throw new Error("no buyer")
    const item = await send(newPurchase(environment, buyer, "latest"), ports[0] ?? 0)
    const slug = slugIn(item.body)
    const before = await answersOf(environment, buyer, slug)
    const { address: from } = payer.newWallet()
    const value = String(21n * dollar)
    print("attack 3: $21 without a request")
    await control({ fund: { [from]: value }, transfers: [{ from, to: payTo, value }] })
    const isStored = await until(
      async () => await countOf(environment, `payer = '${from}'`) > 0,
      scannedWithinMs,
    )
    await sleep(balanceAgeMs)
    const after = await answersOf(environment, buyer, slug)
    const closed = after.filter(([, name], at) => name !== before[at]?.[1])
    const text = (answers: typeof after) => answers.map((answer) => answer.join(" ")).join(", ")
    return {
      attack: "3",
      figures: {
        "answers before": text(before),
        "transfer stored": String(isStored),
        "answers after": text(after),
      },
      faults: closed.map(([id, name]) => `${id} is no longer sold: ${name}`),
    }
  })
})

/** Shorter than in production, so that an undelivered answer is refunded within the drill. */
const timing = { LEASE: "40 seconds", HOLD: "45 seconds" } as const
const holdMs = 45_000
/** How long the intent of a purchase may take, and how often it is queried. */
const intentWithinMs = 30_000
const intentPollMs = 100
const hangUps = 8
const unmatchedTransfers = 100

/** The state of a payer's refund, and what the worker last wrote about it. */
async function reasonOf({ query }: Environment, payer: string): Promise<string> {
  const [row] = await query("SELECT state, last_error FROM refund WHERE payer = $1", [payer])
  return `${row?.["state"]} ${row?.["last_error"]}`
}

export const attack4: Drill = Effect.fnUntraced(function* ({ replicas, seconds, print }) {
  const environment = yield* startEnvironment({ replicas, settings: timing, worker: timing })
  const { payer, control, payTo, ports, query } = environment
  return yield* Effect.promise(async () => {
    const [real, hangingUp] = await fundedBuyers(environment, 2)
    if (real === undefined || hangingUp === undefined) throw new Error("no buyer")
    const senders = Array.from({ length: unmatchedTransfers }, () => payer.newWallet().address)
    const value = String(dollar)
    await control({
      fund: Object.fromEntries(senders.map((from) => [from, value])),
      transfers: senders.map((from) => ({ from, to: payTo, value })),
    })
    print(`attack 4: ${unmatchedTransfers} transfers of $1, ${hangUps} hang-ups of one payer`)
    const purchases = [
      newPurchase(environment, real, "resolving"),
      ...Array.from({ length: hangUps }, () => newPurchase(environment, hangingUp, "resolving")),
    ]
    await Promise.all(purchases.map(async (purchase, n) => {
      await sleep(n * 100)
      // After the intent, and before the facilitator has settled.
      const hangUpWhen = until(
        async () =>
          await countOf(
            environment,
            `nonce = '${purchase.record.nonce}' AND intended_at IS NOT NULL`,
          ) > 0,
        intentWithinMs,
        intentPollMs,
      )
      await send(purchase, ports[n % ports.length] ?? 0, { hangUpWhen })
    }))
    const realPayer = `payer = '${real.wallet.address}'`
    const owed = "state IN ('refund_due', 'refunded')"
    const isOwed = await until(
      async () => await countOf(environment, `${realPayer} AND ${owed}`) > 0,
      holdMs + 60_000,
    )
    const owedAt = performance.now()
    const isPaid = isOwed && await until(
      async () => await countOf(environment, `${realPayer} AND state = 'refunded'`) > 0,
      seconds * 1_000,
    )
    const paidAfter = (performance.now() - owedAt) / 1_000
    const payerOfHangUps = `payer = '${hangingUp.wallet.address}'`
    await until(
      async () => await countOf(environment, `${payerOfHangUps} AND ${owed}`) >= hangUps,
      holdMs,
    )
    const refunded = await countOf(environment, `${payerOfHangUps} AND ${owed}`)
    const ninth = await send(newPurchase(environment, hangingUp, "resolving"), ports[0] ?? 0)
    const [unmatched] = await query(
      "SELECT count(*)::int AS count FROM payment WHERE state = 'refunded' AND product_id IS NULL",
    )
    return {
      attack: "4",
      figures: {
        "unmatched refunded": Number(unmatched?.["count"]),
        "real refund owed": String(isOwed),
        "real refund paid after s": isPaid ? round(paidAfter, 1) : `not within ${seconds}`,
        "why not yet": isPaid ? "-" : await reasonOf(environment, real.wallet.address),
        "hang-ups refunded or owed": `${refunded} of ${hangUps}`,
        "ninth purchase": nameOf(ninth),
      },
      faults: [
        ...isOwed ? [] : ["the drill failed: no real refund became owed"],
        ...isPaid || !isOwed ? [] : [`a real refund was not paid within ${seconds} s`],
        ...refunded < hangUps ? [`the drill failed: only ${refunded} hang-ups are owed`] : [],
        ...ninth.status === 200 && refunded === hangUps
          ? ["a payer with 8 of 8 refunds still buys"]
          : [],
      ],
    }
  })
})
