/**
 * The memories of research reports keep the laws: in memory, and on every store.
 *
 * @module
 */
import { Effect } from "effect"
import { layer } from "../../src/adapters/postgres/reports.ts"
import { liveTest } from "../support/effect.ts"
import { memoryReportStore } from "../support/memoryReports.ts"
import { onEveryStore } from "../support/stores.ts"
import { reportLaws } from "./reports.laws.ts"

reportLaws((name, body) =>
  liveTest(`ReportStore in memory: ${name}`, () => Effect.provide(body, memoryReportStore))
)

onEveryStore("ReportStore", (law) => {
  reportLaws((name, body) => law(name, Effect.provide(body, layer)))
})
