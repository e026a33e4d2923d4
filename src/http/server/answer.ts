/**
 * An HTTP answer that is encoded once and sent many times: status, bytes, tag and headers; and which
 * form of it a client prefers (RFC 9110 12.5), by the parser that Express and others use.
 *
 * @module
 */
import { createHash } from "node:crypto"
import { gzipSync } from "node:zlib"
import { HttpServerResponse } from "effect/http"
import Negotiator from "negotiator"
import { prepared, preparedFor } from "../../core/domain/prepared.ts"

export type HeaderPair = [name: string, value: string]

export interface Answer {
  readonly status: number
  readonly bytes: Uint8Array
  /** Null where the answer is not cached. */
  readonly etag: string | null
  /** All headers but those of every answer, and RateLimit. */
  readonly headers: ReadonlyArray<HeaderPair>
  /** Whether a client that accepts it gets the bytes in gzip. */
  readonly isCompressible: boolean
}

/**
 * Every answer contains the caller's X-Request-Id, and most its RateLimit, so no shared cache may
 * store one.
 */
export const caching = {
  polled: "private, max-age=15",
  document: "private, max-age=300",
  page: "private, max-age=60",
  paid: "private, no-store",
  none: "no-store",
} as const

/** A smaller body is sent as it is: it fits in one packet with its headers. */
export const gzipBytesMin = 1_024

const encoder = new TextEncoder()
const decoder = new TextDecoder()

export function answer(options: {
  readonly body: string | Uint8Array
  readonly contentType?: string
  readonly status?: number
  readonly cache: keyof typeof caching
  /**
   * Whether a long body may be compressed: by default, if it is a text that is cached. Not where it has
   * a secret next to text of the request, because its compressed length depends on both.
   */
  readonly compress?: boolean
  readonly headers?: ReadonlyArray<HeaderPair>
}): Answer {
  const { body } = options
  const isCached = options.cache !== "none" && options.cache !== "paid"
  const { compress = isCached && typeof body === "string" } = options
  const bytes = typeof body === "string" ? encoder.encode(body) : body
  const etag = isCached ? etagOf(bytes) : null
  const isCompressible = compress && bytes.length >= gzipBytesMin
  return {
    isCompressible,
    status: options.status ?? 200,
    bytes,
    etag,
    headers: [
      ["content-type", options.contentType ?? "application/json"],
      ["cache-control", caching[options.cache]],
      ...(etag === null ? [] : [["etag", etag] satisfies HeaderPair]),
      ...(isCompressible ? [["vary", "Accept-Encoding"] satisfies HeaderPair] : []),
      ...(options.headers ?? []),
    ],
  }
}

/**
 * Encodes the bodies of one path, one after the other. While the body is the same it returns the same
 * answer, so that what is made from the answer is not made again.
 */
export function jsonAnswers(cache: keyof typeof caching): (body: object) => Answer {
  const ofText = prepared((body: string) => answer({ body, cache }))
  return (body) => ofText(JSON.stringify(body))
}

/** The body of a JSON answer. */
export const jsonIn = ({ bytes }: Answer): unknown => JSON.parse(decoder.decode(bytes))

/**
 * How much of `Accept` and `Accept-Encoding` is read, in characters; a browser sends about 150. The
 * parser would take 20 ms for the ranges that fit into 60 kB.
 */
const preferenceLengthMax = 256

/** What a path with a page answers, in the order of a tie: agents' types are first. */
const offered = ["text/plain", "text/markdown", "application/json", "text/html"]

/**
 * True only where `text/html` is named, and preferred to every other text and to JSON. A client
 * without `Accept`, or with the range of all types alone, gets what agents get.
 */
export function prefersHtml(accept: string | null): boolean {
  const read = accept?.slice(0, preferenceLengthMax) ?? ""
  // Most agents end here.
  if (!read.toLowerCase().includes("text/html")) return false
  return new Negotiator({ headers: { accept: read } }).mediaTypes(offered)[0] === "text/html"
}

/** Whether `Accept-Encoding` allows gzip. */
export function acceptsGzip(acceptEncoding: string | null): boolean {
  if (!acceptEncoding) return false
  const headers = { "accept-encoding": acceptEncoding.slice(0, preferenceLengthMax) }
  return new Negotiator({ headers }).encodings(["gzip"])[0] === "gzip"
}

/** The bytes in gzip, made once for those that are sent many times. */
const gzipOf = preparedFor((bytes: Uint8Array) => new Uint8Array(gzipSync(bytes)))

/**
 * The answer in gzip. Its tag is weak, because the bytes are others; If-None-Match compares weakly, so
 * either tag matches both.
 */
const inGzip = preparedFor((answer: Answer): Answer => ({
  ...answer,
  bytes: gzipOf(answer.bytes),
  headers: [
    ...answer.headers.map(([name, value]): HeaderPair => [
      name,
      name === "etag" ? value.replace(/^(?:W\/)?/, "W/") : value,
    ]),
    ["content-encoding", "gzip"],
  ],
}))

/** The response of an answer to a request: in gzip where it may be, and 304 for a tag it has. */
export function responseTo(
  { headers }: Request,
  answer: Answer,
): HttpServerResponse.HttpServerResponse {
  const { etag, isCompressible } = answer
  const sent = isCompressible && acceptsGzip(headers.get("accept-encoding"))
    ? inGzip(answer)
    : answer
  if (etag !== null) {
    const tags = headers.get("if-none-match")
    if (tags !== null && matchesTag(tags, etag)) return notModified(sent)
  }
  return wholeResponse(sent)
}

/** The response of an answer as it is. */
export const wholeResponse = preparedFor(({ status, bytes, headers }: Answer) => {
  const init = { status, headers: Object.fromEntries(headers) }
  return bytes.length === 0
    ? HttpServerResponse.empty(init)
    : HttpServerResponse.uint8Array(bytes, init)
})

/** 304, with the headers of the 200 except those of its content. */
export const notModified = ({ headers }: Answer) =>
  HttpServerResponse.empty({
    status: 304,
    headers: Object.fromEntries(
      headers.filter(([name]) => !/^content-(type|encoding)$/.test(name)),
    ),
  })

/**
 * Whether `If-None-Match` matches this tag: weak comparison, over a list, or `*` (RFC 9110 13.1.2).
 */
export function matchesTag(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch.trim() === "*") return true
  const opaque = etag.replace(/^W\//, "")
  return [...ifNoneMatch.matchAll(/(?:W\/)?("[^"]*")/g)].some(([, tag]) => tag === opaque)
}

function etagOf(bytes: Uint8Array): string {
  return `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`
}
