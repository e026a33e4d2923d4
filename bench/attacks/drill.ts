/**
 * What every drill shares: its options, its result, and honest sales in the background.
 *
 * @module
 */
import type { Effect, Scope } from "effect"
import type { ProductId } from "../../src/catalog/domain/product.ts"
import type { Transcript } from "../../tests/kill/transcript.ts"
import { type Buyer, fundedBuyers, nameOf, newPurchase, send, Tally } from "./buyers.ts"
import type { Environment } from "./environment.ts"

export interface DrillOptions {
  /** How long the attack lasts. */
  readonly seconds: number
  /** How many buyers buy at once in attack 5. */
  readonly buyers: number
  /** How many connections the attacker opens in attack 7. */
  readonly connections: number
  readonly replicas: number
  /** How many wallets the attacker pays from, and from how many addresses. */
  readonly wallets: number
  readonly addresses: number
  /** The checkout whose service runs; by default this one. */
  readonly root?: string | undefined
  /** Prints a line while a drill runs. */
  readonly print: (line: string) => void
}

export interface DrillResult {
  readonly attack: string
  /** What was measured, in the order in which it is printed. */
  readonly figures: Readonly<Record<string, string | number>>
  /** What is not as issue 15 requires; empty when all is well. */
  readonly faults: ReadonlyArray<string>
}

export type Drill = (options: DrillOptions) => Effect.Effect<DrillResult, never, Scope.Scope>

/** The attacker's address, as a proxy reports it. */
export const attackerClient = "198.51.100.7"
/** How many honest sales run next to an attack, from how many addresses. */
export const honestSales = { count: 100, buyers: 20 } as const
/** Of 100 honest purchases next to an attack, this many must be served at the first request. */
export const servedMin = 99

export const sleep = (ms: number) => new Promise<void>((done) => setTimeout(done, ms))

export const round = (value: number, digits = 0) => Number(value.toFixed(digits))

export interface HonestSales {
  readonly tally: Tally
  readonly transcripts: ReadonlyArray<Transcript>
  /** Seconds of the slowest and of the median answer with 200. */
  readonly seconds: { readonly median: number; readonly max: number }
}

/**
 * 100 purchases, evenly over `seconds`, each sent once. Every other one is of a product that is
 * settled early.
 */
export async function sellToHonest(
  environment: Environment,
  seconds: number,
  productIds: ReadonlyArray<ProductId> = ["latest", "resolving"],
): Promise<HonestSales> {
  const buyers = await fundedBuyers(environment, honestSales.buyers)
  const tally = new Tally()
  const transcripts: Array<Transcript> = []
  const served: Array<number> = []
  const buy = async (n: number) => {
    await sleep(n * seconds * 1_000 / honestSales.count)
    const buyer = buyers[n % buyers.length] as Buyer
    const productId = productIds[n % productIds.length] ?? "latest"
    const purchase = await newPurchase(buyer, productId)
    transcripts.push(purchase.record)
    const port = environment.ports[n % environment.ports.length] ?? 0
    const answer = await send(purchase, port)
    tally.add(nameOf(answer))
    if (answer.status === 200) served.push(answer.seconds)
  }
  await Promise.all(Array.from({ length: honestSales.count }, (_, n) => buy(n)))
  const sorted = served.toSorted((a, b) => a - b)
  const median = sorted[Math.floor(sorted.length / 2)] ?? NaN
  return { tally, transcripts, seconds: { median, max: sorted.at(-1) ?? NaN } }
}

/** The figures of honest sales, and a fault when too few were served. */
export function honestResult({ tally, seconds }: HonestSales) {
  const served = tally.of("200")
  return {
    figures: {
      "honest served of 100": served,
      "honest answers": tally.toString(),
      "honest median s": round(seconds.median, 1),
    },
    faults: served >= servedMin ? [] : [`only ${served} of 100 honest purchases were served`],
  }
}
