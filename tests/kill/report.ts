/**
 * Comes to a verdict once everything has settled, and tells it in full.
 *
 * @module
 */
import { Clock, Console, Effect } from "effect"
import { Random } from "../support/random.ts"
import { fetchAgain, type Market } from "./client.ts"
import { enough, type Tally, total } from "./faults.ts"
import { balanceOf, readLedger } from "./ledger.ts"
import type { Stage } from "./stage.ts"
import { keyOf, type Transcript } from "./transcript.ts"
import { judge, type Verdict } from "./verdict.ts"

/**
 * Both delivered and refunded: our loss. A killed edge has no time to remember what it has just handed
 * over, so one or two in a run are chance. What fails a run is a number that a share of 0.1 % brings
 * about less often than once in a hundred runs.
 */
const bothShareMax = 0.001
const chanceMin = 0.01
/** How long everything may take to settle, once nothing goes wrong any more. */
const settleSeconds = 75
/** Lines of one kind that are shown, and how much of a log. */
const shownMax = 40
const logLinesMax = 15
const logLineMax = 400

/** Everything about a run that has ended. */
export interface Ended {
  readonly stage: Stage
  readonly market: Market
  readonly tally: Tally
  readonly seconds: number
  readonly seed: number
}

/** Judges again and again until nothing is open any more, or the time is over. */
export const settledVerdict = Effect.fnUntraced(function* ({ stage, market, seed }: Ended) {
  const random = new Random(seed)
  const endMs = (yield* Clock.currentTimeMillis) + settleSeconds * 1_000
  for (;;) {
    const over = (yield* Clock.currentTimeMillis) >= endMs
    const unfinished = yield* stage.cluster.query(unfinishedRows)
    const verdict = yield* verdictNow(stage, market.transcripts)
    if (over || (unfinished.length === 0)) {
      yield* fetchAgainAll(stage, market, random)
      const final = yield* verdictNow(stage, market.transcripts)
      return {
        ...final,
        faults: [
          ...final.faults,
          ...unfinished.map(([id, state]) => `still ${state} in the store: ${id}`),
        ],
      }
    }
    yield* Console.log(
      `  ${unfinished.length} unfinished, ${verdict.open} open of ${verdict.charged} charged`,
    )
    yield* Effect.sleep("3 seconds")
  }
})

/** Rows that somebody still has to do something about. */
const unfinishedRows = `SELECT payment_id, state FROM payment
  WHERE state IN ('claimed', 'released', 'settling', 'unresolved', 'settled', 'refund_due')
    OR (state = 'answered' AND sent_at IS NULL)`

const handedOverRows =
  `SELECT payer, nonce FROM payment WHERE state = 'answered' AND sent_at IS NOT NULL`

/** What happened to the payments that were answered and given back. */
const livesOfRefunded = `SELECT payment.nonce, string_agg(event.to_state || ' ' ||
    to_char(event.at, 'MI:SS.MS') || coalesce(' ' || event.reason, ''), ', ' ORDER BY event_id)
  FROM payment JOIN payment_event event USING (payment_id)
  WHERE payment.state = 'refunded' AND payment.answered_at IS NOT NULL
  GROUP BY payment.payment_id, payment.nonce ORDER BY payment.nonce`

const rememberedAfter = `SELECT round(1000 * extract(epoch FROM percentile_disc(0.5)
    WITHIN GROUP (ORDER BY sent_at - answered_at))),
  round(1000 * extract(epoch FROM percentile_disc(0.9)
    WITHIN GROUP (ORDER BY sent_at - answered_at))),
  round(1000 * extract(epoch FROM percentile_disc(0.99)
    WITHIN GROUP (ORDER BY sent_at - answered_at)))
  FROM payment WHERE sent_at IS NOT NULL`

const verdictNow = Effect.fnUntraced(function* (
  stage: Stage,
  transcripts: ReadonlyArray<Transcript>,
) {
  const ledger = yield* readLedger(stage.anvil, stage)
  const rows = yield* stage.cluster.query(handedOverRows)
  const handedOver = new Set(rows.map(([payer = "", nonce = ""]) => keyOf({ payer, nonce })))
  return judge({ ledger, transcripts, handedOver })
})

/** Buyers with a secret come once more for what they have paid for and not received. */
const fetchAgainAll = Effect.fnUntraced(function* (stage: Stage, market: Market, random: Random) {
  const { paid } = yield* readLedger(stage.anvil, stage)
  const taken = new Set(paid.map(({ from, nonce }) => keyOf({ payer: from, nonce })))
  const missing = market.transcripts.filter((record) =>
    record.secret !== null && taken.has(keyOf(record)) &&
    !record.exchanges.some(({ by, status }) => by === "buyer" && status === 200)
  )
  yield* Effect.forEach(missing, (record) => fetchAgain(market, random, record), {
    concurrency: 8,
  })
})

/** Prints what happened; true when all of it may happen. */
export const report = Effect.fnUntraced(function* (
  { stage, market, tally, seconds }: Ended,
  verdict: Verdict,
) {
  const { charged, delivered, refunded, both, open, unheard } = verdict
  const kills = total(tally.kills)
  const { totals } = yield* readLedger(stage.anvil, stage)
  const balances = {
    payTo: yield* balanceOf(stage.anvil, stage.payTo),
    treasury: yield* balanceOf(stage.anvil, stage.treasury),
  }
  const checks: ReadonlyArray<readonly [boolean, string]> = [
    [charged > 0, "nothing was charged"],
    [delivered + refunded - both === charged, "delivered + refunded - both is not charged"],
    [open === 0, `${open} payments are open`],
    [
      chanceOf(both, charged * bothShareMax) >= chanceMin,
      `${both} both delivered and refunded: more than ${bothShareMax * 100} %`,
    ],
    [
      enough(tally, seconds),
      `only ${kills} kills, and ${tally.postgresKills} of PostgreSQL`,
    ],
    [balances.payTo === totals.in, "the seller does not hold what was paid"],
    [balances.treasury === stage.float - totals.out, "the treasury does not hold the rest"],
  ]
  const faults = [
    ...checks.filter(([holds]) => !holds).map(([, what]) => what),
    ...verdict.faults,
  ]
  const said = [...tally.kills].map(([name, count]) => `${name}: ${count}`).toSorted().join(", ")
  const [remembered = []] = yield* stage.cluster.query(rememberedAfter)
  yield* Console.log(
    `killed: ${kills} processes (${said}), PostgreSQL ${tally.postgresKills} times\n` +
      `facilitator: ${JSON.stringify(stage.facilitator.counts)}\n` +
      `clients: ${tallied(market.transcripts.map(({ story }) => story))}\n` +
      `answers: ${tallied(market.transcripts.flatMap(({ exchanges }) => exchanges.map(named)))}\n` +
      `answers were remembered as handed over after ${remembered.join(", ")} ms ` +
      `(50, 90, 99 % of them): killed in between, one is given back too\n` +
      `balances: payTo ${balances.payTo} = ${totals.in} paid; treasury ${balances.treasury} = ` +
      `${stage.float} - ${totals.out} refunded\n` +
      `charged ${charged}, delivered ${delivered} (${unheard} unheard), refunded ${refunded}, ` +
      `both ${both} (${(100 * both / charged).toFixed(2)} %), open ${open}`,
  )
  for (const remark of verdict.remarks.slice(0, shownMax)) yield* Console.log(remark)
  if (both > 0) {
    const lives = yield* stage.cluster.query(livesOfRefunded)
    for (const [nonce = "", life = ""] of lives) {
      if (verdict.remarks.some((remark) => remark.startsWith("both:") && remark.includes(nonce))) {
        yield* Console.log(`the life of ${nonce}: ${life}`)
      }
    }
  }
  for (const fault of faults.slice(0, shownMax)) yield* Console.log(`FAULT ${fault}`)
  if (faults.length > 0) yield* showLogs(stage)
  else yield* Effect.promise(() => Deno.remove(stage.dir, { recursive: true }))
  return faults.length === 0
})

/** The last that each process has complained of. */
const showLogs = Effect.fnUntraced(function* ({ dir }: Stage) {
  yield* Console.log(`logs in ${dir}`)
  for (const { name } of Deno.readDirSync(dir)) {
    if (!name.endsWith(".log")) continue
    const text = yield* Effect.promise(() => Deno.readTextFile(`${dir}/${name}`))
    const lines = text.split("\n").filter((line) => /"(WARN|ERROR)"|FATAL|PANIC/.test(line))
    const last = lines.slice(-logLinesMax).map((line) => `  ${line.slice(0, logLineMax)}`)
    yield* Console.log([`${name}: ${lines.length} complaints`, ...last].join("\n"))
  }
})

/** How likely it is to see `count` or more of what is expected this often (Poisson). */
function chanceOf(count: number, expected: number): number {
  let term = Math.exp(-expected)
  let below = 0
  for (let n = 0; n < count; n++) {
    below += term
    term *= expected / (n + 1)
  }
  return 1 - below
}

function named({ by, status, code }: Transcript["exchanges"][number]): string {
  return `${by === "thief" ? "thief " : ""}${status ?? ""}${code === null ? "" : ` ${code}`}`.trim()
}

function tallied(words: ReadonlyArray<string>): string {
  const counts = Map.groupBy(words, (word) => word)
  return [...counts].map(([word, of]) => `${word} ${of.length}`).toSorted().join(", ")
}
