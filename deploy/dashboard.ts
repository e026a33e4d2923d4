/**
 * The dashboard for Grafana 10 or later, made from one table.
 *
 *     deno run deploy/dashboard.ts > grafana.json
 *
 * @module
 */

type Query = readonly [legend: string, expression: string]
/** The kind of a panel, its title, its unit, its width of 24 columns, and what it shows. */
type Panel = readonly [
  kind: "stat" | "timeseries",
  title: string,
  unit: string,
  width: number,
  ...queries: ReadonlyArray<Query>,
]

/** Rows by their title, and the panels of each, from left to right. */
const panels: ReadonlyArray<string | Panel> = [
  "Money",
  ["stat", "Payments (0 ok, 3 failing)", "none", 4, [
    "health",
    'max(bellwether_payments_health{part="all"})',
  ]],
  ["stat", "Refunds that need a person", "none", 4, [
    "{{queue}}",
    'max by (queue) (bellwether_refunds{state="needs_review"})',
  ]],
  ["stat", "Treasury", "currencyUSD", 4, ["treasury", "min(bellwether_treasury_usdc)"]],
  ["stat", "Sales may owe", "currencyUSD", 4, [
    "liability",
    "max(bellwether_payments_liability_usdc)",
  ]],
  ["stat", "Unmatched transfers", "currencyUSD", 4, [
    "unmatched",
    "max(bellwether_payments_unmatched_usdc)",
  ]],
  ["stat", "Refund worker: last sweep", "s", 4, [
    "age",
    "min(bellwether_refund_worker_last_sweep_age_seconds)",
  ]],
  ["timeseries", "Money at risk", "currencyUSD", 8, [
    "{{state}}",
    "max by (state) (bellwether_payments_open_usdc)",
  ]],
  ["timeseries", "Oldest open payment", "s", 8, [
    "{{state}}",
    "max by (state) (bellwether_payments_open_oldest_seconds)",
  ]],
  ["timeseries", "Open payments", "none", 8, [
    "{{state}}",
    "max by (state) (bellwether_payments_open)",
  ]],
  ["timeseries", "Refunds", "currencyUSD", 8, [
    "{{queue}} {{state}}",
    'max by (queue, state) (bellwether_refunds_usdc{state!~"confirmed|cancelled|settled_by_hand"})',
  ]],
  ["timeseries", "Oldest refund", "s", 8, [
    "{{queue}} {{state}}",
    'max by (queue, state) (bellwether_refunds_oldest_seconds{state!~"confirmed|cancelled|settled_by_hand"})',
  ]],
  ["timeseries", "Refund caps used", "percentunit", 8, [
    "{{queue}} {{window}}",
    "max by (queue, window) (bellwether_refund_cap_used_usdc / bellwether_refund_cap_usdc)",
  ]],
  "Sales",
  ["timeseries", "Paid calls a second", "reqps", 8, [
    "{{product}}",
    "sum by (product) (rate(bellwether_payments_total[$__rate_interval]))",
  ]],
  ["timeseries", "Outcomes of paid calls", "reqps", 8, [
    "{{outcome}}",
    "sum by (outcome) (rate(bellwether_payments_total[$__rate_interval]))",
  ]],
  ["timeseries", "Sale, 99th percentile", "s", 8, [
    "{{product}}",
    "histogram_quantile(0.99, sum by (le, product) (rate(bellwether_sale_seconds_bucket[$__rate_interval])))",
  ]],
  ["timeseries", "Computation, 99th percentile", "s", 6, [
    "{{product}}",
    "histogram_quantile(0.99, sum by (le, product) (rate(bellwether_sale_compute_seconds_bucket[$__rate_interval])))",
  ]],
  ["timeseries", "Facilitator, median and 99th percentile", "s", 6, [
    "{{call}} 50 %",
    "histogram_quantile(0.5, sum by (le, call) (rate(bellwether_facilitator_call_seconds_bucket[$__rate_interval])))",
  ], [
    "{{call}} 99 %",
    "histogram_quantile(0.99, sum by (le, call) (rate(bellwether_facilitator_call_seconds_bucket[$__rate_interval])))",
  ]],
  ["timeseries", "Facilitator by outcome", "reqps", 6, [
    "{{call}} {{outcome}}",
    "sum by (call, outcome) (rate(bellwether_facilitator_call_seconds_count[$__rate_interval]))",
  ]],
  ["timeseries", "Work that waits", "none", 6, [
    "{{queue}} waiting",
    "max by (queue) (bellwether_queue_waiting)",
  ], ["{{queue}} running", "max by (queue) (bellwether_queue_running)"]],
  "Chain",
  ["timeseries", "Reads of the chain, 99th percentile", "s", 8, [
    "{{call}}",
    "histogram_quantile(0.99, sum by (le, call) (rate(bellwether_chain_call_seconds_bucket[$__rate_interval])))",
  ]],
  ["timeseries", "Reads by outcome", "reqps", 8, [
    "{{call}} {{outcome}}",
    "sum by (call, outcome) (rate(bellwether_chain_call_seconds_count[$__rate_interval]))",
  ]],
  [
    "timeseries",
    "Age of block, last read, scan",
    "s",
    8,
    ["block", "min(bellwether_chain_block_age_seconds)"],
    ["read", "min(bellwether_chain_read_age_seconds)"],
    ["scan", "min(bellwether_chain_scan_lag_seconds)"],
    ["sweep", "min(bellwether_last_sweep_age_seconds)"],
  ],
  "Feed and jobs",
  ["stat", "Last good tick", "s", 6, ["age", "min(bellwether_last_good_tick_age_seconds)"]],
  ["stat", "Feed index", "none", 6, ["index", "max(bellwether_feed_index)"]],
  ["stat", "Markets listed", "none", 6, ["markets", "max(bellwether_markets_listed)"]],
  ["stat", "Model, tokens a day", "none", 6, [
    "tokens",
    "sum(increase(bellwether_model_tokens_total[1d]))",
  ]],
  ["timeseries", "Runs of jobs, 99th percentile", "s", 6, [
    "{{name}}",
    "histogram_quantile(0.99, sum by (le, name) (rate(bellwether_job_seconds_bucket[$__rate_interval])))",
  ]],
  ["timeseries", "Runs of jobs that did not succeed", "none", 6, [
    "{{name}} {{outcome}}",
    'sum by (name, outcome) (increase(bellwether_job_seconds_count{outcome!="ok"}[1h]))',
  ]],
  ["timeseries", "Stages of ticks, mean", "s", 6, [
    "{{tick}} {{stage}}",
    "sum by (tick, stage) (rate(bellwether_tick_stage_seconds_sum[30m])) / sum by (tick, stage) (rate(bellwether_tick_stage_seconds_count[30m]))",
  ]],
  ["timeseries", "Stages that failed", "none", 6, [
    "{{tick}} {{stage}}",
    'sum by (tick, stage) (increase(bellwether_tick_stage_seconds_count{outcome="failed"}[1h]))',
  ]],
  [
    "timeseries",
    "Published items an hour",
    "none",
    6,
    ["{{tick}}", "sum by (tick) (increase(bellwether_tick_items_total[1h])) > 0"],
  ],
  ["timeseries", "Rejected an hour", "none", 12, [
    "{{tick}} {{reason}}",
    "sum by (tick, reason) (increase(bellwether_tick_rejections_total[1h]))",
  ]],
  ["timeseries", "Model calls and tokens", "none", 6, [
    "{{use}} {{outcome}}",
    "sum by (use, outcome) (rate(bellwether_model_calls_total[$__rate_interval]))",
  ], [
    "{{kind}} tokens a second",
    "sum by (kind) (rate(bellwether_model_tokens_total[$__rate_interval]))",
  ]],
  "HTTP",
  ["timeseries", "Answers a second by route", "reqps", 6, [
    "{{route}}",
    "sum by (route) (rate(bellwether_http_request_seconds_count[$__rate_interval]))",
  ]],
  ["timeseries", "Answers a second by status", "reqps", 6, [
    "{{status}}",
    "sum by (status) (rate(bellwether_http_answers_total[$__rate_interval]))",
  ]],
  ["timeseries", "Median by route", "s", 6, [
    "{{route}}",
    "histogram_quantile(0.5, sum by (le, route) (rate(bellwether_http_request_seconds_bucket[$__rate_interval])))",
  ]],
  ["timeseries", "99th percentile by route", "s", 6, [
    "{{route}}",
    "histogram_quantile(0.99, sum by (le, route) (rate(bellwether_http_request_seconds_bucket[$__rate_interval])))",
  ]],
  "Process and store",
  ["timeseries", "Resident memory", "bytes", 6, [
    "{{instance}}",
    "bellwether_process_resident_bytes",
  ]],
  ["timeseries", "Event loop lag", "s", 6, ["{{instance}}", "bellwether_event_loop_lag_seconds"]],
  ["timeseries", "Table sizes", "bytes", 6, [
    "{{table}}",
    "topk(12, max by (table) (bellwether_table_bytes))",
  ]],
  ["timeseries", "Table rows", "none", 6, [
    "{{table}}",
    "topk(12, max by (table) (bellwether_table_rows))",
  ]],
  ["timeseries", "Store answers, and accepts writes", "none", 12, [
    "answers",
    "min(bellwether_store_up)",
  ], ["accepts writes", "min(bellwether_store_writable)"]],
  [
    "timeseries",
    "Failures that need a look, in an hour",
    "none",
    12,
    ["journal writes", "sum(increase(bellwether_journal_write_failures_total[1h]))"],
    ["listener restarts", "sum(increase(bellwether_http_listener_restarts_total[1h]))"],
    ["log lines left out", "sum(increase(bellwether_answer_lines_left_out_total[1h]))"],
    ["news sources", "sum(increase(bellwether_news_source_failures_total[1h]))"],
  ],
]

const datasource = { type: "prometheus", uid: "${datasource}" }
const heights = { stat: 4, timeseries: 7 }
const options = {
  stat: {
    reduceOptions: { calcs: ["lastNotNull"], fields: "", values: false },
    colorMode: "value",
    graphMode: "area",
  },
  timeseries: {
    legend: { displayMode: "list", placement: "bottom", showLegend: true },
    tooltip: { mode: "multi", sort: "desc" },
  },
}

/** The panels in Grafana's form, each at its place. */
function placed(): ReadonlyArray<object> {
  let [x, y] = [0, 0]
  return panels.map((panel, at) => {
    if (typeof panel === "string") {
      const gridPos = { x: 0, y, w: 24, h: 1 }
      y += 1
      return { id: at + 1, type: "row", title: panel, collapsed: false, gridPos, panels: [] }
    }
    const [type, title, unit, w, ...queries] = panel
    const gridPos = { x, y, w, h: heights[type] }
    x = (x + w) % 24
    if (x === 0) y += gridPos.h
    return {
      id: at + 1,
      type,
      title,
      datasource,
      gridPos,
      fieldConfig: { defaults: { unit }, overrides: [] },
      targets: queries.map(([legendFormat, expr], nth) => ({
        refId: "ABCD".charAt(nth),
        datasource,
        expr,
        legendFormat,
      })),
      options: options[type],
    }
  })
}

export const dashboard = {
  id: null,
  uid: "bellwether",
  title: "Bellwether",
  tags: ["bellwether"],
  description: "Money, sales, chain, feed and jobs, HTTP, process. Metrics: docs/operations.md.",
  schemaVersion: 39,
  version: 1,
  editable: true,
  graphTooltip: 1,
  timezone: "utc",
  refresh: "30s",
  time: { "from": "now-6h", "to": "now" },
  timepicker: {},
  annotations: { "list": [] },
  links: [],
  templating: {
    "list": [{
      "name": "datasource",
      "label": "Data source",
      "type": "datasource",
      "query": "prometheus",
      "current": {},
      "hide": 0,
      "includeAll": false,
      "multi": false,
      "options": [],
      "refresh": 1,
      "regex": "",
    }],
  },
  panels: placed(),
}

if (import.meta.main) {
  await Deno.stdout.write(new TextEncoder().encode(`${JSON.stringify(dashboard, null, 2)}\n`))
}
