/**
 * The alert rules and the dashboard of `deploy/`, on the metrics of a real service and refund worker:
 * every metric has a HELP text, no alert fires while they run quietly, and each alert fires on its
 * fault. The faults are planted in the series of the quiet run; promtool evaluates the rules.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Effect, Schedule } from "effect"
import { dashboard as generated } from "../../deploy/dashboard.ts"
import { liveTest } from "../support/effect.ts"
import { removeFolder, startDev } from "../support/process.ts"
import { registerSkipped } from "../support/venues/oracle.ts"

const root = new URL("../../", import.meta.url)
const rulesFile = new URL("deploy/alerts.yml", root).pathname
const rules = Deno.readTextFileSync(rulesFile)
const dashboard = JSON.parse(JSON.stringify(generated))
const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name = ""]) => name)

/** Minutes: all series are quiet until `faultAt`. */
const faultAt = 20
const end = 90

/** What is wrong from `faultAt` on. */
interface Fault {
  /** The metrics that are no longer scraped. */
  readonly gone?: string
  /** Series with their values: a constant, or what a counter grows by each minute. */
  readonly is?: Readonly<Record<string, number>>
  readonly grows?: Readonly<Record<string, number>>
  /** The other alerts that this fault fires. */
  readonly also?: ReadonlyArray<string>
}

const job = (outcome: string) => `job_seconds_count{name="tick",outcome="${outcome}"}`
const requests = (status: string) => `http_request_seconds_count{route="other",status="${status}"}`
const poll = (le: string) =>
  `http_request_seconds_bucket{route="/v1/index",status="2xx",le="${le}"}`

const faults: Readonly<Record<string, Fault>> = {
  ServiceGone: { gone: "store_up" },
  StoreRefusesWrites: { is: { store_writable: 0 } },
  PaymentsFail: { is: { 'payments_health{part="all"}': 3 } },
  RefundNeedsReview: { is: { 'refunds{queue="sales",state="needs_review"}': 1 } },
  RefundsLate: { is: { 'refunds_oldest_seconds{queue="sales",state="queued"}': 7_201 } },
  RefundWorkerGone: { gone: "refund_worker_last_sweep_age_seconds" },
  TreasuryLow: { is: { treasury_usdc: 14, payments_liability_usdc: 10 } },
  ScanBehind: { is: { chain_scan_lag_seconds: 601 } },
  ChainDisputed: { grows: { 'chain_disagreements_total{call="head"}': 0.1 } },
  HttpErrors: { grows: { [requests("5xx")]: 600, [requests("2xx")]: 9_400 } },
  PaymentsDegraded: { is: { 'payments_health{part="all"}': 2 } },
  ListingExpires: { is: { 'product_last_sold_seconds{product="latest"}': 2_160_001 } },
  PaymentUnresolved: { is: { 'payments_open_oldest_seconds{state="unresolved"}': 1_801 } },
  MoneyAtRisk: { is: { 'payments_open_usdc{state="refund_due"}': 51 } },
  UnmatchedRefundsWait: {
    is: { 'refunds_oldest_seconds{queue="unmatched",state="needs_review"}': 172_801 },
  },
  SettleUnclear: {
    grows: {
      'facilitator_call_seconds_count{call="settle",outcome="unknown"}': 300,
      'facilitator_call_seconds_count{call="settle",outcome="settled"}': 9_700,
    },
  },
  ChainErrors: { grows: { 'chain_call_seconds_count{call="head",outcome="unavailable"}': 1_000 } },
  RefundCapNearlyUsed: {
    is: {
      'refund_cap_used_usdc{window="hour",queue="sales"}': 81,
      'refund_cap_usdc{window="hour",queue="sales"}': 100,
    },
  },
  SweepLate: { is: { last_sweep_age_seconds: 121 } },
  JournalWriteFails: { grows: { journal_write_failures_total: 1 } },
  QueueWaits: { is: { 'queue_waiting{queue="sales"}': 33 } },
  PollsSlow: { grows: { [poll("0.25")]: 98, [poll("0.5")]: 100, [poll("+Inf")]: 100 } },
  FeedOld: { is: { last_good_tick_age_seconds: 1_801 } },
  ClockWrong: { is: { clock_difference_seconds: -6 } },
  JobFails: { grows: { [job("failed")]: 0.1, [job("ok")]: 1 } },
  JobNeverSucceeds: { grows: { 'job_seconds_count{name="other",outcome="failed"}': 0.02 } },
  StageFails: {
    grows: { 'tick_stage_seconds_count{tick="tick",stage="listing",outcome="failed"}': 0.1 },
  },
  ModelSpend: { grows: { 'model_tokens_total{use="digest"}': 1_000_000 } },
  JudgeNotTrusted: { is: { judge_trusted: 0 } },
  EventLoopBlocked: { is: { event_loop_lag_seconds: 1.1 } },
  MemoryHigh: { is: { process_resident_bytes: 1.6e9 } },
  StoreLarge: { is: { 'table_bytes{table="payment"}': 51e9 } },
  ListenerRestarts: { grows: { http_listener_restarts_total: 1 } },
  ProxyNotTrusted: { grows: { http_untrusted_forwards_total: 10 } },
}

Deno.test("every alert has its fault, and a row that says what to do", () => {
  equal(Object.keys(faults).toSorted(), alerts.toSorted())
  const [, section = ""] = /## Metrics\n([^]*?)\n## /.exec(
    Deno.readTextFileSync(new URL("docs/operations.md", root)),
  ) ?? []
  equal(alerts.filter((name) => !section.includes(`\n| ${name} |`)), [])
})

type Panel = {
  readonly id: number
  readonly type: string
  readonly gridPos: {
    readonly x: number
    readonly y: number
    readonly w: number
    readonly h: number
  }
  readonly targets?: ReadonlyArray<{ readonly expr: string; readonly refId: string }>
}
const panels: ReadonlyArray<Panel> = dashboard.panels
const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))

Deno.test("alerts and dashboard read no metric that is not made", () => {
  const source = [...sourceTexts(new URL("src/", root))].join("\n")
  const made = [...source.matchAll(/Metric\.(gauge|counter|histogram)\(\s*"([a-z_]+)"/g)].flatMap(
    ([, type, name = ""]) =>
      type === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  )
  const used = [rules, ...expressions].flatMap((text) =>
    [...text.matchAll(/bellwether_([a-z_]+)/g)].map(([, name = ""]) => name)
  )
  ok(used.length > 60)
  equal([...new Set(used)].filter((name) => !made.includes(name)), [])
})

Deno.test("the dashboard has the shape that Grafana imports, and no panel covers another", () => {
  equal([dashboard.schemaVersion >= 36, dashboard.id, typeof dashboard.uid], [true, null, "string"])
  equal(new Set(panels.map(({ id }) => id)).size, panels.length)
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) => {
    ok(x + w <= 24)
    return Array.from({ length: w * h }, (_, n) => `${x + n % w} ${y + Math.floor(n / w)}`)
  })
  equal(new Set(cells).size, cells.length)
  for (const { type, targets } of panels) equal(targets === undefined, type === "row")
})

function* sourceTexts(folder: URL): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    if (isDirectory) yield* sourceTexts(new URL(`${name}/`, folder))
    else if (name.endsWith(".ts")) yield Deno.readTextFileSync(new URL(name, folder))
  }
}

/** The samples of a scrape by series, without the prefix of the names. */
function samplesOf(text: string): ReadonlyMap<string, number> {
  return new Map(
    [...text.matchAll(/^bellwether_(\S+?(?:\{.*\})?) (\S+)$/gm)].map(([, series = "", value]) =>
      [series, Number(value === "+Inf" ? Infinity : value)] as const
    ),
  )
}

const nameOf = (series: string) => series.replace(/\{.*/, "")
const isCounter = (series: string) => /_(total|count|bucket|sum)$/.test(nameOf(series))
const notation = (values: ReadonlyArray<number>) =>
  values.map((value) => Number.isNaN(value) ? "_" : `${value}`).join(" ")
const minutes = Array.from({ length: end + 1 }, (_, minute) => minute)

/**
 * The values of a series at each minute, in promtool's notation. A counter grows as it did between
 * the two scrapes, and a gauge changes between their values.
 */
function valuesOf(series: string, scrapes: Scrapes, fault: Fault): string {
  const [first = NaN, second = NaN] = scrapes.samples.map((samples) => samples.get(series))
  const growth = isCounter(series) && !Number.isNaN(second)
    ? (second - (Number.isNaN(first) ? 0 : first)) / scrapes.minutesBetween
    : 0
  const quiet = (minute: number) =>
    isCounter(series) ? second + growth * minute : minute % 2 === 0 ? first : second
  const planted = fault.grows?.[series]
  return notation(minutes.map((minute) => {
    if (minute < faultAt) return quiet(minute)
    if (fault.gone === nameOf(series)) return NaN
    if (planted === undefined) return fault.is?.[series] ?? quiet(minute)
    const before = Number.isNaN(second) ? 0 : quiet(faultAt)
    return before + planted * (minute - faultAt)
  }))
}

interface Scrapes {
  readonly samples: ReadonlyArray<ReadonlyMap<string, number>>
  readonly minutesBetween: number
}

/** The alerts that fire at a minute, as promtool's expectation. JSON is YAML. */
const firing = (minute: number, names: ReadonlyArray<string>) => ({
  expr: `count by (alertname) (ALERTS{alertstate="firing"})`,
  eval_time: `${minute}m`,
  exp_samples: names.map((name) => ({ labels: `{alertname="${name}"}`, value: 1 })),
})

function promtoolTest(scrapes: Scrapes, name: string | null) {
  const fault = name === null ? {} : faults[name] ?? {}
  const series = [
    ...new Set([
      ...scrapes.samples.flatMap((samples) => [...samples.keys()]),
      ...Object.keys({ ...fault.is, ...fault.grows }),
    ]),
  ].filter((series) =>
    rules.includes(`bellwether_${nameOf(series)}`) &&
    (!/_bucket$/.test(nameOf(series)) || series.includes('route="/v1/index"'))
  )
  const expected = name === null ? [] : [name, ...fault.also ?? []]
  return {
    name: name ?? "quiet",
    interval: "1m",
    input_series: series.map((series) => ({
      series: `bellwether_${series}`,
      values: valuesOf(series, scrapes, fault),
    })),
    promql_expr_test: [firing(5, []), firing(faultAt - 1, []), firing(end, expected)],
  }
}

async function promtool(...args: ReadonlyArray<string>): Promise<string> {
  const command = new Deno.Command("promtool", {
    args: [...args],
    stdout: "piped",
    stderr: "piped",
  })
  const { success, stdout, stderr } = await command.output()
  const text = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr)
  ok(success, text.slice(0, 4_000))
  return text
}

/** Scrapes a real service twice, which pays the refunds too, when it has done everything once. */
const scrapeTwice = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.promise(() => Deno.makeTempDir()),
    removeFolder,
  )
  const { admin, buy } = yield* startDev(folder)
  const parts = [
    /payments_health\{part="all"\} 0\n/,
    /_last_good_tick_age_seconds \d/,
    /_last_sweep_age_seconds \d/,
    /job_seconds_count\{name="tick",outcome="ok"\} [1-9]/,
    // Its first run on a new store has no wallet to read, and counts as failed.
    /job_seconds_count\{name="whales",outcome="ok"\} [1-9]/,
    /call_seconds_count\{call="settle",outcome="settled"\} [1-9]/,
    /treasury_usdc \d/,
    /table_bytes\{table="payment"\} \d/,
    /store_writable 1\n/,
    /refund_worker_last_sweep_age_seconds \d/,
    /_cap_usdc\{/,
  ]
  const scrape = Effect.tryPromise(async () => await (await fetch(`${admin}/metrics`)).text()).pipe(
    Effect.filterOrFail((text) => parts.every((part) => part.test(text))),
    Effect.retry(Schedule.spaced("500 millis")),
    Effect.timeout("3 minutes"),
  )
  yield* buy("/v1/resolving").pipe(
    Effect.filterOrFail(({ stdout }) => stdout.includes("<- 200")),
    Effect.retry({ schedule: Schedule.spaced("1 second"), times: 60 }),
  )
  const first = yield* scrape
  const startedAt = performance.now()
  yield* Effect.sleep("5 seconds")
  const second = yield* scrape
  const minutesBetween = (performance.now() - startedAt) / 60_000
  const scrapes: Scrapes = { minutesBetween, samples: [first, second].map(samplesOf) }
  return { text: second, scrapes }
})

const hasPromtool = (Deno.env.get("PATH") ?? "").split(":").some((folder) => {
  try {
    return Deno.statSync(`${folder}/promtool`).isFile
  } catch {
    return false
  }
})

if (!hasPromtool) {
  registerSkipped("alerts on their faults", "promtool: apt-get install prometheus")
} else {
  liveTest(
    "metrics have HELP; every alert fires on its fault, and none on a quiet run",
    () =>
      Effect.gen(function* () {
        const { text, scrapes } = yield* scrapeTwice
        const names = (kind: string) =>
          [...text.matchAll(new RegExp(`^# ${kind} (\\S+) \\S`, "gm"))].map(([, name]) => name)
        ok(names("TYPE").length > 10)
        equal(names("TYPE").filter((name) => !names("HELP").includes(name)), [])
        const folder = yield* Effect.acquireRelease(
          Effect.promise(() => Deno.makeTempDir()),
          removeFolder,
        )
        yield* Effect.promise(async () => {
          await promtool("check", "rules", rulesFile)
          const records = expressions.map((expr, n) => ({
            record: `panel:${n}`,
            expr: expr.replaceAll("$__rate_interval", "5m"),
          }))
          const panelRules = { groups: [{ name: "panels", rules: records }] }
          await Deno.writeTextFile(`${folder}/panels.yml`, JSON.stringify(panelRules))
          await promtool("check", "rules", `${folder}/panels.yml`)
          const tests = [null, ...alerts].map((name) => promtoolTest(scrapes, name))
          const file = { rule_files: [rulesFile], evaluation_interval: "1m", tests }
          await Deno.writeTextFile(`${folder}/tests.yml`, JSON.stringify(file))
          await promtool("test", "rules", `${folder}/tests.yml`)
        })
      }),
  )
}
