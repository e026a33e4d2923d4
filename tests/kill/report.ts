/**
 * Reconciles a run once all its payments are final, and prints the report.
 *
 * @module
 */
import { Clock, Console, Effect } from "effect"
import { Random } from "../support/random.ts"
import { type ClientContext, fetchAgain } from "./client.ts"
import { hasEnoughKills, type KillLog, total } from "./faults.ts"
import { balanceOf, readLedger } from "./ledger.ts"
import type { Environment } from "./environment.ts"
import { keyOf, type Transcript } from "./transcript.ts"
import { reconcile, type Reconciliation } from "./reconciliation.ts"

/**
 * A payment both delivered and refunded is our loss. It happens when a replica is killed before it
 * records a delivery, so one or two in a run are chance. A run fails at a count whose probability is
 * below 1 % when the true share is 0.1 %.
 */
const bothShareMax = 0.001
const probabilityMin = 0.01
/** How long the payments may take to become final after the last fault. */
const settleSeconds = 75
/** Limits of what is printed: lines of one kind, and lines of a log and their length. */
const printedLinesMax = 40
const logLinesMax = 15
const logLineMax = 400

export interface FinishedRun {
  readonly environment: Environment
  readonly context: ClientContext
  /** Null in a drill, which kills nothing at random. */
  readonly killLog: KillLog | null
  readonly seconds: number
  readonly seed: number
}

/** The parts of a run that a reconciliation reads. */
export interface PaidRun {
  readonly environment: Pick<Environment, "anvil" | "cluster" | "payTo" | "treasury">
  readonly context: ClientContext
  readonly seed: number
}

/** Reconciles when all payments in the store are final, or after a timeout. */
export const finalReconciliation = Effect.fnUntraced(
  function* ({ environment, context, seed }: PaidRun) {
    const random = new Random(seed)
    const endMs = (yield* Clock.currentTimeMillis) + settleSeconds * 1_000
    for (;;) {
      const isTimeOver = (yield* Clock.currentTimeMillis) >= endMs
      const unfinished = yield* environment.cluster.query(unfinishedRows)
      const reconciliation = yield* reconcileNow(environment, context.transcripts)
      if (isTimeOver || unfinished.length === 0) {
        yield* fetchAgainAll(environment, context, random)
        const final = yield* reconcileNow(environment, context.transcripts)
        return {
          ...final,
          faults: [
            ...final.faults,
            ...unfinished.map(([id, state]) => `still ${state} in the store: ${id}`),
          ],
        }
      }
      yield* Console.log(
        `  ${unfinished.length} unfinished, ${reconciliation.open} open of ${reconciliation.charged} charged`,
      )
      yield* Effect.sleep("3 seconds")
    }
  },
)

/** Payments whose state is not final. A restored row of a delivered payment keeps its state. */
const unfinishedRows = `SELECT payment_id, state FROM payment
  WHERE (state IN ('claimed', 'released', 'settling', 'unresolved', 'settled', 'refund_due')
      OR (state = 'answered' AND sent_at IS NULL))
    AND NOT EXISTS (SELECT FROM delivered_before_restore delivered
      WHERE delivered.payment_id = payment.payment_id)`

const markedSentRows =
  `SELECT payer, nonce FROM payment WHERE state = 'answered' AND sent_at IS NOT NULL`

const journalledRows = `SELECT payment_id FROM delivered_before_restore`

/** The events of each payment that was answered and refunded. */
const historiesOfDeliveredRefunds = `SELECT payment.nonce, string_agg(event.to_state || ' ' ||
    to_char(event.at, 'MI:SS.MS') || coalesce(' ' || event.reason, ''), ', ' ORDER BY event_id)
  FROM payment JOIN payment_event event USING (payment_id)
  WHERE payment.state = 'refunded' AND payment.answered_at IS NOT NULL
  GROUP BY payment.payment_id, payment.nonce ORDER BY payment.nonce`

const markedSentDelays = `SELECT round(1000 * extract(epoch FROM percentile_disc(0.5)
    WITHIN GROUP (ORDER BY sent_at - answered_at))),
  round(1000 * extract(epoch FROM percentile_disc(0.9)
    WITHIN GROUP (ORDER BY sent_at - answered_at))),
  round(1000 * extract(epoch FROM percentile_disc(0.99)
    WITHIN GROUP (ORDER BY sent_at - answered_at)))
  FROM payment WHERE sent_at IS NOT NULL`

const reconcileNow = Effect.fnUntraced(function* (
  environment: PaidRun["environment"],
  transcripts: ReadonlyArray<Transcript>,
) {
  const ledger = yield* readLedger(environment.anvil, environment)
  const rows = yield* environment.cluster.query(markedSentRows)
  const markedSent = new Set(rows.map(([payer = "", nonce = ""]) => keyOf({ payer, nonce })))
  const journalled = new Set((yield* environment.cluster.query(journalledRows)).flat())
  return reconcile({ ledger, transcripts, markedSent, journalled })
})

/** Every buyer with a secret requests again what it paid for and did not receive. */
const fetchAgainAll = Effect.fnUntraced(
  function* (environment: PaidRun["environment"], context: ClientContext, random: Random) {
    const { payments } = yield* readLedger(environment.anvil, environment)
    const charged = new Set(payments.map(({ from, nonce }) => keyOf({ payer: from, nonce })))
    const missing = context.transcripts.filter((record) =>
      record.secret !== null && charged.has(keyOf(record)) &&
      !record.exchanges.some(({ by, status }) => by === "buyer" && status === 200)
    )
    yield* Effect.forEach(missing, (record) => fetchAgain(context, random, record), {
      concurrency: 8,
    })
  },
)

/** Prints the report; true when the run passed. */
export const report = Effect.fnUntraced(function* (
  { environment, context, killLog, seconds }: FinishedRun,
  reconciliation: Reconciliation,
) {
  const { charged, delivered, refunded, both, open, unconfirmed } = reconciliation
  const kills = killLog === null ? 0 : total(killLog.kills)
  const { totals } = yield* readLedger(environment.anvil, environment)
  const balances = {
    payTo: yield* balanceOf(environment.anvil, environment.payTo),
    treasury: yield* balanceOf(environment.anvil, environment.treasury),
  }
  const checks: ReadonlyArray<readonly [boolean, string]> = [
    [charged > 0, "nothing was charged"],
    [delivered + refunded - both === charged, "delivered + refunded - both is not charged"],
    [open === 0, `${open} payments are open`],
    [
      isChance(both, charged),
      `${both} both delivered and refunded: more than ${bothShareMax * 100} %`,
    ],
    [
      killLog === null || hasEnoughKills(killLog, seconds),
      `only ${kills} kills, and ${killLog?.postgresKills} of PostgreSQL`,
    ],
    [balances.payTo === totals.in, "the seller's balance is not the sum of its payments"],
    [
      balances.treasury === environment.treasuryFloat - totals.out,
      "the treasury's balance is not its start minus the refunds",
    ],
  ]
  const faults = [
    ...checks.filter(([isTrue]) => !isTrue).map(([, what]) => what),
    ...reconciliation.faults,
  ]
  const [delays = []] = yield* environment.cluster.query(markedSentDelays)
  yield* Console.log(
    (killLog === null ? "" : killsText(killLog)) +
      `facilitator: ${JSON.stringify(environment.facilitator.counts)}\n` +
      `clients: ${countsText(context.transcripts.map(({ scenario }) => scenario))}\n` +
      `answers: ${
        countsText(context.transcripts.flatMap(({ exchanges }) => exchanges.map(exchangeText)))
      }\n` +
      `time from answer to recorded delivery: ${delays.join(", ")} ms at the 50th, 90th and 99th ` +
      `percentile; a kill in between causes a refund\n` +
      `balances: payTo ${balances.payTo} = ${totals.in} paid; treasury ${balances.treasury} = ` +
      `${environment.treasuryFloat} - ${totals.out} refunded\n` +
      `charged ${charged}, delivered ${delivered} (${unconfirmed} unconfirmed), refunded ${refunded}, ` +
      `both ${both} (${(100 * both / charged).toFixed(2)} %), open ${open}`,
  )
  for (const remark of reconciliation.remarks.slice(0, printedLinesMax)) yield* Console.log(remark)
  if (both > 0) {
    const histories = yield* environment.cluster.query(historiesOfDeliveredRefunds)
    for (const [nonce = "", history = ""] of histories) {
      if (
        reconciliation.remarks.some((remark) =>
          remark.startsWith("both:") && remark.includes(nonce)
        )
      ) {
        yield* Console.log(`history of ${nonce}: ${history}`)
      }
    }
  }
  for (const fault of faults.slice(0, printedLinesMax)) yield* Console.log(`FAULT ${fault}`)
  if (faults.length > 0) yield* printLogs(environment)
  else yield* Effect.promise(() => Deno.remove(environment.dir, { recursive: true }))
  return faults.length === 0
})

function killsText({ kills, postgresKills }: KillLog): string {
  const counts = [...kills].map(([name, count]) => `${name}: ${count}`).toSorted()
  return `killed: ${total(kills)} processes (${counts.join(", ")}), ` +
    `PostgreSQL ${postgresKills} times\n`
}

/** Prints the last warnings and errors of each process. */
const printLogs = Effect.fnUntraced(function* ({ dir }: Environment) {
  yield* Console.log(`logs in ${dir}`)
  for (const { name } of Deno.readDirSync(dir)) {
    if (!name.endsWith(".log")) continue
    const text = yield* Effect.promise(() => Deno.readTextFile(`${dir}/${name}`))
    const lines = text.split("\n").filter((line) => /"(WARN|ERROR)"|FATAL|PANIC/.test(line))
    const last = lines.slice(-logLinesMax).map((line) => `  ${line.slice(0, logLineMax)}`)
    yield* Console.log([`${name}: ${lines.length} warnings and errors`, ...last].join("\n"))
  }
})

/** Whether so many deliveries that were refunded as well can be chance. */
export function isChance(both: number, charged: number): boolean {
  return probabilityOf(both, charged * bothShareMax) >= probabilityMin
}

/** The probability of `count` or more events when `expected` is their mean (Poisson). */
function probabilityOf(count: number, expected: number): number {
  let term = Math.exp(-expected)
  let below = 0
  for (let n = 0; n < count; n++) {
    below += term
    term *= expected / (n + 1)
  }
  return 1 - below
}

export function exchangeText({ by, status, code }: Transcript["exchanges"][number]): string {
  return `${by === "thief" ? "thief " : ""}${status ?? ""}${code === null ? "" : ` ${code}`}`.trim()
}

export function countsText(words: ReadonlyArray<string>): string {
  const counts = Map.groupBy(words, (word) => word)
  return [...counts].map(([word, of]) => `${word} ${of.length}`).toSorted().join(", ")
}
