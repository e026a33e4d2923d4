/**
 * What the written products need of the world, as settings choose it: who writes, who detects, and
 * where the news comes from.
 *
 * @module
 */
import type { digestBrief } from "./domain/digestFacts.ts"
import type { templateDigest } from "./domain/digestTemplate.ts"
import type { digestComplaints, digestOf } from "./domain/digestText.ts"
import type { faultsOf } from "./domain/factCheck.ts"
import type { quoted } from "./domain/untrusted.ts"
import type { Detector } from "./services/Detector.ts"
import type { DigestStore } from "./services/DigestStore.ts"
import type { Narrator } from "./services/Narrator.ts"
import type { News } from "./services/News.ts"
import type { NewsSources } from "./services/NewsSources.ts"
import type { NewsStore } from "./services/NewsStore.ts"
import type { ReportStore } from "./services/ReportStore.ts"
import type { written } from "./services/writing.ts"

/** Every port of the written products. */
export type Intelligence =
  | Narrator
  | Detector
  | News
  | NewsSources
  | NewsStore
  | DigestStore
  | ReportStore
export type Checked = readonly [typeof written, typeof faultsOf, typeof quoted]
export type Digesting = readonly [
  typeof digestBrief,
  typeof templateDigest,
  typeof digestComplaints,
  typeof digestOf,
]
