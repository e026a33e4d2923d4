/**
 * An HTTP answer that is encoded once and sent many times: status, bytes, tag and headers.
 *
 * @module
 */
import { createHash } from "node:crypto"
import { HttpServerResponse } from "effect/http"
import { prepared, preparedFor } from "../../core/domain/prepared.ts"
import { acceptedEncoding, encode, encodedBytesMin, type Encoding, encodings } from "./encoding.ts"

export type HeaderPair = [name: string, value: string]

export interface Answer {
  readonly status: number
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Null where the answer is not cached. */
  readonly etag: string | null
  /** All headers but those of every answer, and RateLimit. */
  readonly headers: ReadonlyArray<HeaderPair>
  /** The answer by content encoding, filled when one is first requested; absent on a short body. */
  readonly encoded?: Map<Encoding, Answer>
}

/**
 * Every answer contains the caller's X-Request-Id, and most its RateLimit, so no shared cache may
 * store one.
 */
export const caching = {
  polled: "private, max-age=15",
  document: "private, max-age=300",
  page: "private, max-age=60",
  none: "no-store",
} as const

const encoder = new TextEncoder()

export function answer(options: {
  /** A text, or bytes that are compressed already. */
  readonly body: string | Uint8Array<ArrayBuffer>
  readonly contentType?: string
  readonly status?: number
  readonly cache: keyof typeof caching
  /**
   * Whether a long text may be compressed: by default, if it is cached. Not where the body has a
   * secret next to text of the request, because its compressed length depends on both.
   */
  readonly compress?: boolean
  readonly headers?: ReadonlyArray<HeaderPair>
}): Answer {
  const { body, compress = options.cache !== "none" } = options
  const bytes = typeof body === "string" ? encoder.encode(body) : body
  const etag = options.cache === "none" ? null : etagOf(bytes)
  const isEncoded = compress && typeof body === "string" && bytes.length >= encodedBytesMin
  return {
    ...(isEncoded ? { encoded: new Map() } : {}),
    status: options.status ?? 200,
    bytes,
    etag,
    headers: [
      ["content-type", options.contentType ?? "application/json"],
      ["cache-control", caching[options.cache]],
      ...(etag === null ? [] : [["etag", etag] satisfies HeaderPair]),
      ...(isEncoded ? [["vary", "Accept-Encoding"] satisfies HeaderPair] : []),
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

/** One of the answers of a path on which `Accept` selects, with `Vary`. */
export const varyingByAccept = preparedFor((answer: Answer): Answer => {
  const vary = answer.headers.filter(([name]) => name === "vary").map(([, value]) => value)
  return {
    ...answer,
    ...(answer.encoded === undefined ? {} : { encoded: new Map() }),
    headers: [
      ...answer.headers.filter(([name]) => name !== "vary"),
      ["vary", ["Accept", ...vary].join(", ")],
    ],
  }
})

/**
 * The answer in the encoding that a client prefers, encoded once. Its tag is weak, because the bytes
 * are others; If-None-Match compares weakly, so either tag matches both.
 */
export function preferred(answer: Answer, acceptEncoding: string | null): Answer {
  const { encoded, headers, etag } = answer
  const encoding = encoded === undefined ? null : acceptedEncoding(acceptEncoding, encodings)
  if (encoded === undefined || encoding === null) return answer
  const known = encoded.get(encoding)
  if (known !== undefined) return known
  const made: Answer = {
    ...answer,
    bytes: encode(answer.bytes, encoding),
    headers: [
      ...headers.map(([name, value]): HeaderPair => [
        name,
        name === "etag" ? `W/${etag}` : value,
      ]),
      ["content-encoding", encoding],
    ],
  }
  encoded.set(encoding, made)
  return made
}

/** The response of an answer to a request: in the encoding it prefers, and 304 for a tag it has. */
export function responseTo(
  { headers }: Request,
  answer: Answer,
): HttpServerResponse.HttpServerResponse {
  const { etag } = answer
  const inEncoding = answer.encoded === undefined
    ? answer
    : preferred(answer, headers.get("accept-encoding"))
  if (etag !== null) {
    const tags = headers.get("if-none-match")
    if (tags !== null && matchesTag(tags, etag)) return notModified(inEncoding)
  }
  return wholeResponse(inEncoding)
}

const wholeResponse = preparedFor(({ status, bytes, headers }: Answer) => {
  const init = { status, headers: Object.fromEntries(headers) }
  return bytes.length === 0
    ? HttpServerResponse.empty(init)
    : HttpServerResponse.uint8Array(bytes, init)
})

/** 304, with the headers of the 200 except those of its content. */
const notModified = ({ headers }: Answer) =>
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
