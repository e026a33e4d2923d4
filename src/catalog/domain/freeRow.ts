/**
 * The table of what is free: one row a path of the free budget. Every document is made from it, as
 * from the table of what is sold.
 *
 * @module
 */

/** One free path. */
export interface FreeRow {
  readonly id: string
  /** A few words, as a list shows them. */
  readonly title: string
  readonly path: `/${string}`
  /** What the caller gets, and what for. */
  readonly description: string
  readonly tags: ReadonlyArray<string>
  /** Text is for people: it is no skill of an agent. */
  readonly format: "json" | "text"
}

export const freeRows = {
  index: {
    id: "index",
    title: "Where the feed stands",
    path: "/v1/index",
    description:
      "Poll this about every 10 minutes; when `index` has moved, buy /v1/signals with `since`.",
    tags: ["prediction-markets", "signals"],
    format: "json",
  },
  pulse: {
    id: "pulse",
    title: "The three strongest moves of the day",
    path: "/v1/pulse",
    description: "The strongest noise-filtered moves of the last 24 hours.",
    tags: ["prediction-markets", "signals"],
    format: "json",
  },
  digest_brief: {
    id: "digest_brief",
    title: "What the newest digest is about",
    path: "/v1/digest/brief",
    description:
      "Title, summary and sources of the newest digest, whose analysis /v1/digest sells. A digest " +
      "appears every 4 hours; before the first there is none.",
    tags: ["prediction-markets", "digest"],
    format: "json",
  },
  track_record: {
    id: "track_record",
    title: "How the entries of tracked wallets fared",
    path: "/v1/track-record",
    description:
      "The scorecard behind /v1/whales: every counted entry of every tracked wallet, held to " +
      "resolution, the losing and the neutral ones too. Not anybody's profit or loss: exits are " +
      "not tracked.",
    tags: ["prediction-markets", "whales"],
    format: "json",
  },
  sample: {
    id: "sample",
    title: "Static samples of paid answers",
    path: "/v1/sample",
    description: "Made-up values in the real shapes, labelled as such.",
    tags: ["service"],
    format: "json",
  },
  health: {
    id: "health",
    title: "Liveness and payment mode",
    path: "/health",
    description: "Whether the service is live, degraded or down, and why.",
    tags: ["service"],
    format: "json",
  },
  terms: {
    id: "terms",
    title: "Terms of service, as JSON",
    path: "/terms.json",
    description: "The terms that paying for a call accepts, with the digest of their text.",
    tags: ["service"],
    format: "json",
  },
  terms_text: {
    id: "terms_text",
    title: "Terms of service, as text",
    path: "/terms.txt",
    description: "The terms that paying for a call accepts.",
    tags: ["service"],
    format: "text",
  },
  family: {
    id: "family",
    title: "Sibling products",
    path: "/.well-known/family",
    description: "The products of the same family, with their addresses.",
    tags: ["service"],
    format: "json",
  },
} as const satisfies Readonly<Record<string, FreeRow>>

export type FreeId = keyof typeof freeRows
