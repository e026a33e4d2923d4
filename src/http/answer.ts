/**
 * An answer that was encoded once and is sent many times: bytes, tag and headers, all ready.
 *
 * @module
 */
import { createHash } from "node:crypto"

export type HeaderPair = [name: string, value: string]

/** Every answer carries these, whatever its status. */
export const commonHeaders: ReadonlyArray<HeaderPair> = [
  ["access-control-allow-origin", "*"],
  [
    "access-control-expose-headers",
    "PAYMENT-REQUIRED, PAYMENT-RESPONSE, X-PAYMENT-RESPONSE, Retry-After, RateLimit, " +
    "RateLimit-Policy, X-Request-Id, ETag, Link, X-A2A-Extensions",
  ],
  ["x-content-type-options", "nosniff"],
]

export interface Answer {
  readonly status: number
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Null for what is never asked for again by its tag. */
  readonly etag: string | null
  /** All but X-Request-Id and RateLimit, which differ from request to request. */
  readonly headers: ReadonlyArray<HeaderPair>
}

/** How long caches may keep an answer. */
export const caching = {
  polled: "public, max-age=15",
  document: "public, max-age=300",
  none: "no-store",
} as const

const encoder = new TextEncoder()

export function answer(options: {
  readonly body: string
  readonly contentType?: string
  readonly status?: number
  readonly cache: keyof typeof caching
  readonly headers?: ReadonlyArray<HeaderPair>
}): Answer {
  const bytes = encoder.encode(options.body)
  const etag = options.cache === "none" ? null : tagOf(bytes)
  return {
    status: options.status ?? 200,
    bytes,
    etag,
    headers: [
      ["content-type", options.contentType ?? "application/json"],
      ["cache-control", caching[options.cache]],
      ...(etag === null ? [] : [["etag", etag] satisfies HeaderPair]),
      ...commonHeaders,
      ...(options.headers ?? []),
    ],
  }
}

/** The answer as a web response, with what differs from request to request in `extra`. */
export function toResponse(
  answer: Answer,
  method: string,
  extra: ReadonlyArray<HeaderPair>,
): Response {
  const headers = [...answer.headers, ...extra]
  if (method !== "HEAD") return new Response(answer.bytes, { status: answer.status, headers })
  headers.push(["content-length", String(answer.bytes.length)])
  return new Response(null, { status: answer.status, headers })
}

/** 304, with the headers the 200 would have had, but those of its body. */
export function notModified(answer: Answer, extra: ReadonlyArray<HeaderPair>): Response {
  const headers = answer.headers.filter(([name]) => name !== "content-type")
  return new Response(null, { status: 304, headers: [...headers, ...extra] })
}

/** Whether `If-None-Match` names this tag: weak comparison, over a list, or `*` (RFC 9110 13.1.2). */
export function matchesTag(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch.trim() === "*") return true
  const opaque = etag.replace(/^W\//, "")
  return [...ifNoneMatch.matchAll(/(?:W\/)?("[^"]*")/g)].some(([, tag]) => tag === opaque)
}

function tagOf(bytes: Uint8Array): string {
  return `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`
}
