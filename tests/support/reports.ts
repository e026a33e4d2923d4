/**
 * Invented research reports.
 *
 * @module
 */
import type { Report } from "../../src/domain/research.ts"
import { reportOf } from "../../src/domain/research.ts"
import { hour } from "../../src/domain/time.ts"
import { market, now, shown } from "./market.ts"

/** A report on an ordinary market. */
export const sampleReport = (): Report =>
  reportOf({
    market: market(),
    priceAction: [{ at: now - hour, mid: 0.5 }, { at: now, mid: 0.6 }],
    microstructure: shown(),
    now,
  })
