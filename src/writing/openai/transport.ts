/**
 * `fetch` for the model's server. It adds the API key, which no other code does, follows no redirect,
 * sends only our own headers, and aborts an answer that is too long.
 *
 * @module
 */
import { Redacted } from "effect"
import { answerBytesMax } from "./limits.ts"

/** The answer is longer than `answerBytesMax`. */
export class TooManyBytes extends Error {}

export const transport =
  (apiKey: Redacted.Redacted): typeof fetch => async (address, init): Promise<Response> => {
    const response = await fetch(address, {
      method: "POST",
      body: init?.body ?? null,
      signal: init?.signal ?? null,
      redirect: "error",
      headers: {
        accept: "application/json",
        authorization: `Bearer ${Redacted.value(apiKey)}`,
        "content-type": "application/json",
      },
    })
    const headers = new Headers({ "content-type": "application/json" })
    const retryAfter = response.headers.get("retry-after")
    if (retryAfter !== null) headers.set("retry-after", retryAfter)
    const body = response.body?.pipeThrough(bounded()) ?? null
    return new Response(body, { status: response.status, headers })
  }

/** Counts decompressed bytes, so that a decompression bomb is refused too. */
function bounded(): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let bytes = 0
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength
      if (bytes > answerBytesMax) controller.error(new TooManyBytes())
      else controller.enqueue(chunk)
    },
  })
}
