/**
 * The content encodings of answers: gzip, and brotli where an answer is encoded once and sent many
 * times.
 *
 * Deno's own `automaticCompression` is off: it encodes every body for every request, a poll of 300
 * bytes included, and sends it in chunks without a length.
 *
 * @module
 */
import { brotliCompressSync, constants, gzipSync } from "node:zlib"
import { Effect } from "effect"
import { HttpBody, HttpServerResponse } from "effect/http"
import { preparedFor } from "../../core/domain/prepared.ts"
import { byRequest } from "./inbound.ts"
import { rangesOf } from "./mediaType.ts"

/** A smaller body is sent as it is: it fits in one packet with its headers. */
export const encodedBytesMin = 1_024

/** The encodings by preference. */
export const encodings = ["br", "gzip"] as const
export type Encoding = typeof encodings[number]

/**
 * Brotli at this quality is a tenth smaller than gzip, and encodes a body of 100 kB in about 20 ms.
 * The highest quality takes a second.
 */
const brotliQuality = 5

/** The first of these encodings that `Accept-Encoding` allows; null means none (RFC 9110 12.5.3). */
export function acceptedEncoding<const Offered extends Encoding>(
  acceptEncoding: string | null | undefined,
  offered: ReadonlyArray<Offered>,
): Offered | null {
  if (!acceptEncoding) return null
  const ranges = rangesOf(acceptEncoding.toLowerCase())
  const weights = new Map(ranges.map(({ type, weight }) => [type, weight]))
  const accepts = (name: string) => (weights.get(name) ?? weights.get("*") ?? 0) > 0
  return offered.find(accepts) ?? null
}

/** The encoded bytes. */
export function encode(bytes: Uint8Array, encoding: Encoding): Uint8Array<ArrayBuffer> {
  if (encoding === "gzip") return new Uint8Array(gzipSync(bytes))
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: brotliQuality,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  }
  return new Uint8Array(brotliCompressSync(bytes, { params }))
}

/**
 * Sends long answers of a handler in gzip where the client accepts it. Not where a body has a secret
 * next to text of others, as the id of an A2A task: the length of the gzip depends on both.
 */
export const gzipped = <E, R>(
  handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
) =>
  byRequest(({ headers }) =>
    Effect.map(handler, (response) => inGzip(response, headers["accept-encoding"]))
  )

/** Of a body that is sold many times, such as the whole table of wallets, compressed once. */
const gzipOf = preparedFor((bytes: Uint8Array) => encode(bytes, "gzip"))

/** A successful answer in gzip, if it is long and the client accepts that. */
function inGzip(
  response: HttpServerResponse.HttpServerResponse,
  acceptEncoding: string | undefined,
): HttpServerResponse.HttpServerResponse {
  const { body, status } = response
  if (status !== 200 || body._tag !== "Uint8Array" || body.contentLength < encodedBytesMin) {
    return response
  }
  const varied = HttpServerResponse.setHeader(response, "vary", "Accept-Encoding")
  const encoding = acceptedEncoding(acceptEncoding, ["gzip"])
  if (encoding === null) return varied
  return varied.pipe(
    HttpServerResponse.setBody(HttpBody.uint8Array(gzipOf(body.body), body.contentType)),
    HttpServerResponse.setHeader("content-encoding", encoding),
  )
}
