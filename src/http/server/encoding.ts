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
  const weights = new Map(
    acceptEncoding.toLowerCase().split(",").map((entry) => {
      const [name = "", ...parameters] = entry.split(";").map((part) => part.trim())
      const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2)
      return [name, weight === undefined ? 1 : Number(weight)]
    }),
  )
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
