/**
 * One path of the public API in the router: what it answers to which method; and what is known about a
 * request before its route: its id, its sender, and when its answer was sent.
 *
 * @module
 */
import { Context, Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Client } from "../../core/CallClient.ts"
import { preparedFor } from "../../core/domain/prepared.ts"
import { testHeader } from "../../core/testCall.ts"
import { type Answer, responseTo } from "./answer.ts"
import {
  type Failure,
  methodNotAllowed,
  notFound,
  overloaded,
  type PreparedRefusal,
  refuse,
  targetLengthMax,
} from "./errors.ts"
import type { RateLimiter } from "./limits.ts"

type Response = HttpServerResponse.HttpServerResponse

/** The sender of a request, as the socket knows it. */
export interface Peer {
  readonly remoteAddr: Deno.Addr
  /** Settles when the answer was sent or the client left; absent where there is no socket. */
  readonly completed?: Promise<void>
}

export interface Inbound {
  /** Chosen by the client or by us: letters, digits, `_` and `-`. */
  readonly requestId: string
  /** Who sent it, behind the trusted proxies. */
  readonly client: Client
  /** When it arrived, on the clock of `performance`. */
  readonly startedAt: number
  /** The name of its route in metrics. The router sets it; a path that a stranger chooses is none. */
  route: string
  /** Settles when the answer was sent or the client left; absent where there is no socket. */
  readonly completed?: Promise<void> | undefined
}

export const makeInbound = (
  requestId: string,
  client: Client,
  completed?: Promise<void>,
): Inbound => ({
  requestId,
  client,
  startedAt: performance.now(),
  route: "other",
  completed,
})

export const CurrentInbound = Context.Reference<Inbound>("bellwether/http/Inbound", {
  defaultValue: () => makeInbound("unknown-request", { client: "unknown", site: null }),
})

/**
 * Runs an effect in the background when the current answer was delivered on a live connection; at
 * once where there is no socket.
 */
export const onDelivered = (effect: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.contextWith((context: Context.Context<never>) =>
    Effect.sync(() => {
      const { completed } = Context.get(context, CurrentInbound)
      const request = Context.getOrUndefined(context, HttpServerRequest.HttpServerRequest)
      const run = () => void Effect.runForkWith(context)(effect)
      if (completed === undefined || request === undefined) return run()
      completed.then(() => webOf(request).signal.aborted ? undefined : run(), () => {})
    })
  )

/** The web request under an Effect one: reading a header there does not copy them all. */
export const webOf = ({ source }: HttpServerRequest.HttpServerRequest): Request => source as Request

/** Chooses an effect by the current request. */
export const byRequest = <A, E, R>(
  choose: (
    request: HttpServerRequest.HttpServerRequest,
    inbound: Inbound,
  ) => Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R | HttpServerRequest.HttpServerRequest> =>
  Effect.contextWith((context: Context.Context<HttpServerRequest.HttpServerRequest>) =>
    choose(
      Context.get(context, HttpServerRequest.HttpServerRequest),
      Context.get(context, CurrentInbound),
    )
  )

/** The id of the current request. */
export const RequestId: Effect.Effect<string> = Effect.map(
  CurrentInbound,
  ({ requestId }) => requestId,
)

/** Answers a request, or fails with what the caller may know. */
export type Handler<E = Failure> = Effect.Effect<Response, E, HttpServerRequest.HttpServerRequest>

/** What a path returns: an answer, a refusal, or null when neither can be made now. */
export type RouteResult = Answer | PreparedRefusal | null

const utf8 = new TextDecoder()

/** The JSON of a 200; null of every other result. */
export const bodyOf = (result: RouteResult): unknown =>
  result === null || !("bytes" in result) || result.status !== 200
    ? null
    : JSON.parse(utf8.decode(result.bytes))

/** Returns the answer to GET of this URL, prepared or read from the store. */
export type Source = (url: string) => Effect.Effect<RouteResult>

/** A source of prepared answers. */
export const ready = (current: (url: string) => RouteResult): Source => (url) =>
  Effect.sync(() => current(url))

/** The query of a URL or a path. */
export const queryIn = (url: string) => new URLSearchParams(url.replace(/^[^?]*/, ""))

/** GET under a rate limit. */
export interface FreeRoute {
  readonly limiter: RateLimiter
  readonly current: Source
  /** The answer while the store, and so every rate limit, is unreachable; else 503 overloaded. */
  readonly withoutStore?: Answer
}

/** The posted body, or why it could not be read. */
export type Body =
  | { readonly bytes: ArrayBuffer }
  | { readonly fault: "too large" | "late" | "unreadable" }

/** POST of one of the agents' protocols, whose every answer is JSON-RPC. */
export type AgentHandler = (body: Body) => Handler<never>

export interface Route {
  /** A path, with a name after `:` for one part of any text, or `/*` at its end for any rest or none. */
  readonly path: `/${string}`
  /** Its name in metrics. */
  readonly name: string
  /** Absent on a path that accepts only POST. It answers HEAD as well. */
  readonly get?: Handler
  readonly post?: Handler
}

export const readMethods = ["GET", "HEAD", "OPTIONS"]

/** The method that stands for all that no path answers, so that each path refuses them with its own. */
const otherMethod = "PUT"
/** The methods that the router knows. GET answers HEAD. */
const routedMethods = ["GET", "OPTIONS", "POST", otherMethod] as const

/** The request as the router knows it. */
export function routedRequest(request: HttpServerRequest.HttpServerRequest): typeof request {
  return [...routedMethods, "HEAD"].includes(request.method)
    ? request
    // Not as a new web request, which would spell the path in another way.
    : Object.create(request, { method: { value: otherMethod } })
}

/** The router is strict about case and slashes; `isSpelledAs` about all else. */
export const routerConfig = {
  caseSensitive: true,
  ignoreTrailingSlash: false,
  ignoreDuplicateSlashes: false,
  maxParamLength: targetLengthMax,
}

/** Adds a route to the router. */
export const addRoute = Effect.fnUntraced(function* addRoute({ path, name, get, post }: Route) {
  const router = yield* HttpRouter.HttpRouter
  const allowed = [...get === undefined ? ["OPTIONS"] : readMethods, ...post ? ["POST"] : []]
  const isOwn = isSpelledAs(path)
  const notAllowed = refuse(methodNotAllowed(allowed, path.replace(/:(\w+)$/, "{$1}")))
  const options = Effect.succeed(preflight(allowed))
  const handlers: Readonly<Record<string, Handler | undefined>> = {
    GET: get,
    POST: post,
    OPTIONS: options,
  }
  for (const method of routedMethods) {
    const handler = handlers[method] ?? notAllowed
    const named = byRequest(({ url }, inbound) => {
      if (!isOwn(url)) return refuse(notFound)
      inbound.route = name
      return handler
    })
    yield* router.add(method, path, named)
  }
})

/**
 * Whether a URL has the path, or what is fixed of it, letter by letter. The router also decodes escaped
 * characters, and takes what follows a `;` for a query that no parameter is read from.
 */
function isSpelledAs(path: string): (url: string) => boolean {
  const fixed = path.replace(/:\w+$|\/\*$/, "")
  const next = path.endsWith("/*") ? ["", "?", "/"] : ["", "?"]
  const hasName = path.includes(":")
  return (url) => url.startsWith(fixed) && (hasName || next.includes(url.charAt(fixed.length)))
}

/** The handler of a path with this prefix, chosen by the rest; null is a 404. */
export const byRest = (
  prefix: string,
  choose: (rest: string, query: string) => Handler | null,
): Handler =>
  byRequest(({ url }) => {
    const queryStart = url.indexOf("?")
    const end = queryStart < 0 ? url.length : queryStart
    return choose(url.slice(prefix.length, end), url.slice(end)) ?? refuse(notFound)
  })

/** The answer that a source returns now. */
export const fromSource = (current: Source): Handler =>
  byRequest((request) => {
    const web = webOf(request)
    return Effect.flatMap(current(web.url), (result) => send(web, result))
  })

function send(request: Request, result: RouteResult) {
  if (result === null) return refuse(overloaded)
  return "body" in result ? refuse(result) : Effect.succeed(responseTo(request, result))
}

/** A response with `Vary: Accept`, made once for a response that is sent many times. */
export const varyingByAccept = preparedFor((response: Response): Response => {
  const { vary } = response.headers
  return HttpServerResponse.setHeader(
    response,
    "vary",
    vary === undefined ? "Accept" : `Accept, ${vary}`,
  )
})

const requestHeaders = "Content-Type, Accept, Authorization, PAYMENT-SIGNATURE, X-PAYMENT, " +
  "Access-Control-Expose-Headers, If-None-Match, X-Request-Id, Idempotency-Key, A2A-Version, " +
  `A2A-Extensions, X-A2A-Extensions, MCP-Protocol-Version, Mcp-Method, Mcp-Name, X-402-Version, ${testHeader}`

/** The answer to OPTIONS. */
export const preflight = (methods: ReadonlyArray<string>) =>
  HttpServerResponse.empty({
    status: 204,
    headers: {
      "allow": methods.join(", "),
      "access-control-allow-methods": methods.join(", "),
      "access-control-allow-headers": requestHeaders,
      "access-control-max-age": "86400",
    },
  })
