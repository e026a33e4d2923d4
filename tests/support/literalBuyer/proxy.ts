/**
 * A proxy in front of the service that does one thing wrong, to the first request with a payment, or
 * adds a test trigger to every request with the first payment.
 *
 * @module
 */
import { testHeader } from "../../../src/core/testCall.ts"

export interface Backend {
  readonly base: string
  /** Ends the service at once, and starts it again. */
  readonly crash: () => Promise<void>
  /** Ends the service in order, and starts it again. */
  readonly restart: () => Promise<void>
}

type Forward = () => Promise<Response>

/** What happens to the first request with a payment. */
export interface Fault {
  readonly name: string
  readonly act: (forward: Forward, backend: Backend) => Promise<Response>
  /** It ends the service, so it runs alone. */
  readonly isAlone?: true
}

const broken = () =>
  new Response(new ReadableStream({ start: (controller) => controller.error("closed") }))
const html = (status: number) => new Response("<html>Bad gateway</html>", { status })

export const faults: ReadonlyArray<Fault> = [
  { name: "connection closed before the service", act: () => Promise.resolve(broken()) },
  {
    name: "connection closed while the service works",
    act: async (forward) => {
      forward().then((answer) => answer.body?.cancel()).catch(() => {})
      await sleep(soonMs)
      return broken()
    },
  },
  { name: "answer lost after settlement", act: (forward) => forward().then(lose) },
  { name: "502 of a proxy, request not passed on", act: () => Promise.resolve(html(502)) },
  {
    name: "504 of a proxy, request passed on",
    act: (forward) => forward().then(lose).then(() => html(504)),
  },
  {
    name: "429 of a proxy without a body",
    act: () =>
      Promise.resolve(new Response(null, { status: 429, headers: { "retry-after": "1" } })),
  },
  {
    name: "service killed while it works, started again",
    act: async (forward, { crash }) => {
      forward().then(lose).catch(() => {})
      await sleep(soonMs)
      await crash()
      return broken()
    },
    isAlone: true,
  },
  {
    name: "service killed after settlement, started again",
    act: async (forward, { crash }) => {
      await forward().then(lose)
      await crash()
      return broken()
    },
    isAlone: true,
  },
  {
    name: "service restarted, answer lost",
    act: async (forward, { restart }) => {
      await forward().then(lose)
      await restart()
      return html(502)
    },
    isAlone: true,
  },
]

/** Long enough that a payment is in progress. */
const soonMs = 60

async function lose(answer: Response): Promise<Response> {
  await answer.body?.cancel()
  return broken()
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Opens a proxy on a port of its own. */
export function openProxy(backend: Backend, failure: Fault | { readonly trigger: string }) {
  let firstNonce: string | null = null
  let hasActed = false
  return Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {}, onError: () => html(502) },
    async (request) => {
      const { pathname, search } = new URL(request.url)
      const body = request.method === "POST" ? await request.text() : null
      const payment = atobOrEmpty(request.headers.get("payment-signature")) + (body ?? "")
      const nonce = /"nonce":"(0x[0-9a-f]{64})"/.exec(payment)?.[1] ?? null
      firstNonce ??= nonce
      const headers = new Headers(request.headers)
      headers.delete("host")
      if ("trigger" in failure && nonce !== null && nonce === firstNonce) {
        headers.set(testHeader, failure.trigger)
      }
      const forward = () =>
        fetch(`${backend.base}${pathname}${search}`, {
          ...{ method: request.method, headers, body, signal: AbortSignal.timeout(120_000) },
        })
      if (nonce === null || hasActed || "trigger" in failure) return await passOn(forward)
      hasActed = true
      return await failure.act(forward, backend)
    },
  )
}

/** The answer; closed when the service closed its connection, 502 while nothing listens. */
async function passOn(forward: Forward): Promise<Response> {
  const answer = await forward()
  try {
    const { status, headers } = answer
    return new Response(await answer.arrayBuffer(), { status, headers: withoutLength(headers) })
  } catch {
    return broken()
  }
}

function withoutLength(headers: Headers): Headers {
  const kept = new Headers(headers)
  for (const name of ["content-length", "content-encoding", "transfer-encoding"]) kept.delete(name)
  return kept
}

function atobOrEmpty(header: string | null): string {
  return header === null ? "" : atob(header)
}
