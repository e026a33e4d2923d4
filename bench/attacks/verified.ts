/**
 * What happens after "verified": attackers whose payments are valid, and who choose what follows.
 *
 * - `refunded`: they let themselves be refunded, by hanging up and by reports that cannot be made.
 * - `void`: contract wallets whose payments verify and do not settle.
 * - `unpaid`: valid payments for answers that cost nothing, replays and guessed keys.
 *
 * Honest buyers buy next to them, and keep to their own addresses.
 *
 * @module
 */
import { Effect } from "effect"
import { fundedBuyers, nameOf, newPurchase, type Purchase, send, Tally } from "./buyers.ts"
import { type Drill, type DrillOptions, honestResult, round, sellToHonest, sleep } from "./drill.ts"
import { type Environment, startEnvironment } from "./environment.ts"
import { attackerHeaders, statusOf } from "./floods.ts"
import { localAddresses, request } from "./http.ts"
import type { Fault } from "./chain.ts"
import { newWallet, type Wallet } from "./payer.ts"

/** Short, so that an answer that no one fetches is refunded within the drill. */
const timing = { LEASE: "40 seconds", HOLD: "45 seconds" } as const
const treasuryUnits = 100_000_000n
const walletUnits = 20_000_000n
/** How many requests the attacker has in flight, and its pause between two. */
const loops = 60
const pauseMs = 100
/** How long the rows of an attack may take until they are final: HOLD, expiry and a sweep. */
const finalWithinMs = 240_000
const isNotFinal = "(state IN ('claimed', 'settling', 'unresolved', 'settled', 'refund_due') OR " +
  "state = 'answered' AND sent_at IS NULL)"

/** One request of the attacker: what became of it. */
type Step = (attacker: Attacker, turn: number) => Promise<string>

interface Attacker {
  readonly wallet: Wallet
  /** Its address, as a proxy reports it. */
  readonly client: string
  readonly port: number
  /** A purchase that was answered. */
  readonly bought: Purchase
}

/** Buys after a verification that succeeds, and hangs up before the answer, or asks for what is not there. */
const beRefunded: Step = async ({ wallet, client, port }, turn) => {
  const [productId, query] = turn % 3 === 0
    ? ["research", "?market=no-such-market"] as const
    : turn % 3 === 1
    ? ["resolving", ""] as const
    : ["whales", ""] as const
  const { path, record } = await newPurchase({ wallet, client }, productId, query)
  const answer = await request({
    port,
    path,
    client,
    localAddress: localAddresses.attacker,
    headers: attackerHeaders(record.header),
    // After the intent, and before the facilitator has settled.
    ...turn % 3 === 0 ? {} : { hangUpAfterMs: 1_200 },
  })
  return statusOf(answer)
}

/** Pays from a contract: the facilitator finds the payment valid, and it does not settle. */
const beVoid: Step = async ({ wallet, client, port }, turn) => {
  const productId = turn % 2 === 0 ? "latest" : "resolving"
  const { path, record } = await newPurchase({ wallet, client }, productId)
  const wire = JSON.parse(atob(record.header))
  wire.payload.signature = `0x${"c0".repeat(96)}`
  const headers = attackerHeaders(btoa(JSON.stringify(wire)), record.secret)
  const answer = await request({
    port,
    path,
    client,
    headers,
    localAddress: localAddresses.attacker,
  })
  return statusOf(answer)
}

/** Asks for a report of a market that is none, replays an answer with a guessed key, or guesses one. */
const beUnpaid: Step = async ({ wallet, client, port, bought }, turn) => {
  const buyer = { wallet, client }
  if (turn % 3 === 0) {
    const slug = `no-market-${turn}-${Math.random().toString(36).slice(2)}`
    return nameOf(await send(await newPurchase(buyer, "research", `?market=${slug}`), port))
  }
  const { path, record } = bought
  const secret = `guess-${turn}`.padEnd(20, "x")
  const answer = await request({
    port,
    path,
    client,
    localAddress: localAddresses.attacker,
    headers: attackerHeaders(record.header, turn % 3 === 1 ? secret : record.secret),
  })
  return statusOf(answer)
}

const addressOf = (n: number) => `198.51.${100 + Math.floor(n / 250)}.${n % 250 + 1}`

/** Balances by address, summed. */
async function unitsOf({ chain }: Environment, addresses: ReadonlyArray<string>): Promise<bigint> {
  let sum = 0n
  for (const address of addresses) {
    const data = `0x70a08231${address.toLowerCase().slice(2).padStart(64, "0")}`
    sum += BigInt(String(await Effect.runPromise(chain.call("eth_call", { to: address, data }))))
  }
  return sum
}

async function countOf({ query }: Environment, where: string): Promise<number> {
  const [row] = await query(`SELECT count(*)::int AS count FROM payment WHERE ${where}`)
  return Number(row?.["count"])
}

const dollars = (units: bigint) => round(Number(units) / 1e6, 2)

/** The attacker's wallets, with money, and with one purchase each. */
async function attackersOf(
  environment: Environment,
  { wallets, addresses }: Pick<DrillOptions, "wallets" | "addresses">,
): Promise<ReadonlyArray<Attacker>> {
  const { control, ports } = environment
  const owned = Array.from({ length: wallets }, () => newWallet())
  await control({
    fund: Object.fromEntries(owned.map(({ address }) => [address, String(walletUnits)])),
  })
  return await Promise.all(
    Array.from({ length: Math.max(wallets, addresses) }, async (_, n) => {
      const wallet = owned[n % wallets]
      if (wallet === undefined) throw new Error("no wallet")
      const client = addressOf(n % addresses)
      const port = ports[n % ports.length] ?? 0
      const bought = await newPurchase({ wallet, client }, "latest")
      await send(bought, port)
      return { wallet, client, port, bought }
    }),
  )
}

interface Attack {
  readonly name: string
  readonly step: Step
  /** Changes the chain for the attacker's wallets. */
  readonly prepare?: (wallets: ReadonlyArray<string>) => object
}

/** Runs an attack of `wallets` from `addresses` next to the honest buyers, and waits for its rows. */
const drill = ({ name, step, prepare }: Attack): Drill =>
  Effect.fnUntraced(function* (options) {
    const { seconds, replicas, wallets, addresses, root, print } = options
    const environment = yield* startEnvironment({
      replicas,
      treasuryUnits,
      settings: timing,
      worker: timing,
      root,
    })
    const { control, treasury } = environment
    return yield* Effect.promise(async () => {
      await fundedBuyers(environment, 1)
      const attackers = await attackersOf(environment, { wallets, addresses })
      const owned = [...new Set(attackers.map(({ wallet }) => wallet.address as string))]
      const before = await unitsOf(environment, owned)
      if (prepare !== undefined) await control(prepare(owned))
      const treasuryBefore = await unitsOf(environment, [treasury])
      const endAt = performance.now() + seconds * 1_000
      const tally = new Tally()
      print(`${name}: ${wallets} wallets, ${addresses} addresses, ${seconds} s`)
      const loop = async (n: number) => {
        await sleep(n * 20)
        for (let turn = n; performance.now() < endAt; turn++) {
          const attacker = attackers[turn % attackers.length] as Attacker
          tally.add(await step(attacker, turn))
          await sleep(pauseMs)
        }
      }
      const attack = Promise.all(Array.from({ length: loops }, (_, n) => loop(n)))
      const honest = await sellToHonest(environment, seconds)
      await attack
      const rows = await countOf(environment, `payer IN (${owned.map((a) => `'${a}'`).join()})`)
      const openAtEnd = await countOf(environment, isNotFinal)
      const ended = performance.now()
      const isOpen = () => countOf(environment, isNotFinal)
      while (await isOpen() > 0 && performance.now() - ended < finalWithinMs) await sleep(2_000)
      const stillOpen = await isOpen()
      const spent = before - await unitsOf(environment, owned)
      const treasuryAfter = await unitsOf(environment, [treasury])
      const refunded = await countOf(environment, "state = 'refunded'")
      const { figures, faults } = honestResult(honest)
      return {
        attack: `${name}, ${wallets} wallets, ${addresses} addresses`,
        figures: {
          ...figures,
          "attacker requests": tally.total,
          "attacker answers": tally.toString(),
          "attacker spent USD": dollars(spent),
          "treasury USD before": dollars(treasuryBefore),
          "treasury USD after": dollars(treasuryAfter),
          "attacker's rows": rows,
          "open rows at the end": openAtEnd,
          "refunded": refunded,
          "all final after s": round((performance.now() - ended) / 1_000),
        },
        faults: [
          ...faults,
          ...stillOpen > 0 ? [`${stillOpen} rows are still open`] : [],
        ],
      }
    })
  })

export const refunded = drill({ name: "refunded", step: beRefunded })

const voidFaults: ReadonlyArray<Fault> = [
  "settles nothing",
  "valid while simulated",
  "reverts",
  "settle refuses",
]

export const unsettled = drill({
  name: "void",
  step: beVoid,
  prepare: (wallets) => ({
    contracts: wallets,
    faults: Object.fromEntries(
      wallets.map((wallet, n) => [wallet, voidFaults[n % voidFaults.length]]),
    ),
  }),
})

export const unpaid = drill({ name: "unpaid", step: beUnpaid })

/** How many rows an attack has left, and how long a request to the chain takes. */
const leftRows = 1_000
const rpcMs = 100

/** How fast the sweep makes rows final that an attack has left, and the calls that it needs. */
export const sweep: Drill = Effect.fnUntraced(function* ({ replicas, root, print }) {
  const environment = yield* startEnvironment({
    replicas,
    settings: { SWEEP: "1 second" },
    chain: { RPC_MS: String(rpcMs) },
    root,
  })
  const { query, control } = environment
  return yield* Effect.promise(async () => {
    const [buyer] = await fundedBuyers(environment, 1)
    if (buyer === undefined) throw new Error("no buyer")
    await send(await newPurchase(buyer, "latest"), environment.ports[0] ?? 0)
    print(`sweep: ${leftRows} rows that have expired`)
    await query(
      `INSERT INTO payment (payment_id, chain_id, asset, token_name, token_version, payer, nonce,
          pay_to, amount, valid_after, valid_before, signature, settlement, product_id, request,
          state, lease_until)
        SELECT '0x' || lpad(to_hex(n), 64, '0'), chain_id, asset, token_name, token_version,
          '0x' || lpad(to_hex(n % 30 + 1), 40, '0'), '0x' || lpad(to_hex(n), 64, 'a'), pay_to, amount,
          valid_after, extract(epoch FROM now())::bigint - 60 - n % 60, signature, settlement,
          product_id, request, 'claimed', now() + interval '1 hour'
        FROM payment, generate_series(1, ${leftRows}) AS n WHERE payer = $1`,
      [buyer.wallet.address],
    )
    const before = (await control({}))["rpc"] ?? 0
    const began = performance.now()
    await query(
      "UPDATE payment SET state = 'released', reason = 'attack', lease_until = NULL " +
        "WHERE state = 'claimed'",
    )
    while (await countOf(environment, "state = 'released'") > 0) {
      if (performance.now() - began > finalWithinMs) break
      await sleep(200)
    }
    const seconds = (performance.now() - began) / 1_000
    const done = await countOf(environment, "state = 'void'")
    const calls = ((await control({}))["rpc"] ?? 0) - before
    return {
      attack: "sweep",
      figures: {
        rows: leftRows,
        void: done,
        seconds: round(seconds, 1),
        "rows a second": round(done / seconds, 1),
        "requests to the chain": calls,
      },
      faults: done === leftRows ? [] : [`only ${done} of ${leftRows} rows are void`],
    }
  })
})
