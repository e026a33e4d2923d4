/**
 * The laws of `ReportStore`, in memory and on every store.
 *
 * @module
 */
import { Effect } from "effect"
import { layer } from "../../src/research/postgres/reportStore.ts"
import { twinTest } from "../support/effect.ts"
import { memoryReportStore } from "../support/research/memoryReports.ts"
import { onEveryStore } from "../support/stores.ts"
import { reportLaws } from "./reportStore.laws.ts"

reportLaws((name, body) =>
  twinTest(`ReportStore in memory: ${name}`, () => Effect.provide(body, memoryReportStore))
)

onEveryStore("ReportStore", (law) => {
  reportLaws((name, body) => law(name, Effect.provide(body, layer)))
})
