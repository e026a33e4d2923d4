/**
 * An answer for every row of the contract, with the made-up values of /v1/sample: what /openapi.json
 * shows. The tests hold each to the shape of its row.
 *
 * @module
 */
import type { FreeId } from "../../catalog/domain/freeRow.ts"
import { usd } from "../../core/domain/money.ts"
import { type ProductId, products } from "../../catalog/domain/product.ts"
import { strongestMoves } from "../../feed/domain/pulse.ts"
import { sampleAnswers, sampleAt, sampleBody } from "../../catalog/domain/sample.ts"
import { sampleWhales } from "../../catalog/domain/sampleWhales.ts"
import { isoTime } from "../../core/domain/time.ts"
import type { PaymentTerms } from "../../payments/domain/x402/terms.ts"
import type {
  DigestBody,
  DigestBriefBody,
  DigestHistoryBody,
  FamilyBody,
  FeedIndexBody,
  HealthBody,
  PaymentBody,
  PulseBody,
  ResearchBody,
  ResolvingBody,
  SampleBody,
  SignalBody,
  SignalsBody,
  TermsBody,
  TrackRecordBody,
  WhalesBody,
} from "./bodies.ts"
import { sampleScorecard } from "../../catalog/domain/sampleScorecard.ts"
import { termsBody, termsText } from "../pages/terms.ts"

/** Everything that has an example: the free rows, the products, and the lookup of a payment. */
export type ExampleId = FreeId | ProductId | "payment"

const { feedItems, digest } = sampleBody
const [mover, , predetermined] = feedItems
const at = isoTime(sampleAt)
const { title, summary, sourcesUsed, createdAt } = digest

const index: typeof FeedIndexBody.Type = {
  success: true,
  status: "live",
  index: predetermined.feedIndex,
  lastUpdated: at,
  totalToday: feedItems.length,
  todayByType: { mover: 1, whale_entry: 1, predetermined: 1 },
  feedTypes: ["mover", "whale_entry", "predetermined"],
  digest: { latestAt: createdAt, title },
}

const health: typeof HealthBody.Type = {
  success: true,
  status: "live",
  version: "1.0.0",
  paymentMode: "live",
  venue: { mode: "polymarket" },
  network: "eip155:8453",
  feed: { index: predetermined.feedIndex, lastUpdated: at, stale: false },
  digest: { latestAt: createdAt, stale: false },
  checks: { store: "ok", venue: "ok", payments: "ok" },
}

const payment: typeof PaymentBody.Type = {
  success: true,
  paymentId: `0x${"5a".repeat(32)}`,
  state: "refund_due",
  product: products.research.id,
  amountUsd: usd(products.research.price),
  payer: sampleWhales[0].wallet,
  transaction: `0x${"7c".repeat(32)}`,
  refund: {
    state: "queued",
    transaction: null,
    amountUsd: usd(products.research.price),
    to: sampleWhales[0].wallet,
  },
}

/** The examples, as a service under these terms would answer. */
export function examplesFor({ publicBaseUrl }: PaymentTerms) {
  const terms = { publicBaseUrl, paymentMode: "live", venueMode: "polymarket" } as const
  return {
    index,
    pulse: {
      success: true,
      status: "live",
      topMovers24h: strongestMoves([mover], 3),
      digestTitle: title,
      digestAt: createdAt,
      _upgrade: {
        fullFeed: publicBaseUrl + products.signals.path,
        digest: publicBaseUrl + products.digest.path,
      },
    },
    digest_brief: { success: true, data: { title, summary, sourcesUsed, createdAt } },
    track_record: { success: true, ...sampleScorecard(sampleAt) },
    sample: sampleBody,
    health,
    terms: termsBody(terms),
    terms_text: termsText(terms),
    family: {
      success: true,
      family: "sample",
      products: [{ slug: "sample", name: "Sample", api: "https://sample.example", mcp: null }],
    },
    payment,
    ...sampleAnswers,
  } satisfies Examples
}

/** What each row answers. */
interface Examples extends Record<ExampleId, unknown> {
  readonly index: typeof FeedIndexBody.Type
  readonly pulse: typeof PulseBody.Type
  readonly digest_brief: typeof DigestBriefBody.Type
  readonly track_record: typeof TrackRecordBody.Type
  readonly sample: typeof SampleBody.Type
  readonly health: typeof HealthBody.Type
  readonly terms: typeof TermsBody.Type
  readonly terms_text: string
  readonly family: typeof FamilyBody.Type
  readonly payment: typeof PaymentBody.Type
  readonly latest: typeof SignalBody.Type
  readonly signal: typeof SignalBody.Type
  readonly signals: typeof SignalsBody.Type
  readonly digest: typeof DigestBody.Type
  readonly digest_history: typeof DigestHistoryBody.Type
  readonly resolving: typeof ResolvingBody.Type
  readonly whales: typeof WhalesBody.Type
  readonly research: typeof ResearchBody.Type
}
