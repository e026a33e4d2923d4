/**
 * One path of the public API in the router: what it answers to which method; and what is known about a
 * request before its route: its id, its sender, and when its answer was sent.
 *
 * A path has one spelling. The router would also accept others (another case, escaped characters, a
 * slash at the end), so each route checks that it was asked for by its own.
 *
 * @module
 */
import { Context, Effect, Option } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { preparedFor } from "../../core/domain/prepared.ts"
import { testHeader } from "../../core/testCall.ts"
import { type Answer, responseTo } from "./answer.ts"
import { type Failure, notFound, overloaded, type PreparedRefusal, refuse } from "./errors.ts"
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
  /** When it arrived, on the clock of `performance`. */
  readonly startedAt: number
  /** The name of its route in metrics. The router sets it; a path that a stranger chooses is none. */
  route: string
  /** Settles when the answer was sent or the client left; absent where there is no socket. */
  readonly completed?: Promise<void> | undefined
}

export const makeInbound = (requestId: string, completed?: Promise<void>): Inbound => ({
  requestId,
  startedAt: performance.now(),
  route: "other",
  completed,
})

export const CurrentInbound = Context.Reference<Inbound>("bellwether/http/Inbound", {
  defaultValue: () => makeInbound("unknown-request"),
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

/** The address of the current client, behind the trusted proxies. */
export const addressOf = ({ remoteAddress }: HttpServerRequest.HttpServerRequest): string =>
  Option.getOrElse(remoteAddress, () => "unknown")

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

/** Returns the answer to GET of this URL, prepared or read from the store. */
export type Source = (url: string) => RouteResult | Promise<RouteResult>

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

/** POST of one of the agents' protocols, whose every answer is in its own format. */
export interface AgentRoute {
  readonly handle: (body: Body) => Handler<never>
  /** Converts a refusal made before the body was read to this format. */
  readonly refusal: (refusal: PreparedRefusal) => PreparedRefusal
}

export interface Route {
  /** A path; `*` at its end stands for any rest. */
  readonly path: `/${string}`
  /** Its name in metrics. */
  readonly name: string
  /** Absent on a path that accepts only POST. It answers HEAD as well. */
  readonly get?: Handler
  readonly post?: Handler
}

export const readMethods = ["GET", "HEAD", "OPTIONS"]

/** The methods of a path. */
function methodsOf(route: Pick<Route, "get" | "post">): ReadonlyArray<string> {
  if (route.post === undefined) return readMethods
  return route.get === undefined ? ["OPTIONS", "POST"] : [...readMethods, "POST"]
}

/** Adds a route to the router. */
export const addRoute = Effect.fnUntraced(function* addRoute(route: Route) {
  const router = yield* HttpRouter.HttpRouter
  const { path, name, get, post } = route
  const own = (handler: Handler) => onOwnPath(path, name, handler)
  if (get !== undefined) yield* router.add("GET", path, own(get))
  if (post !== undefined) yield* router.add("POST", path, own(post))
  yield* router.add("OPTIONS", path, own(Effect.succeed(preflight(methodsOf(route)))))
})

/** A route that answers only where the path of the URL is spelled as its own. */
function onOwnPath(path: string, name: string, handler: Handler): Handler {
  const isPrefix = path.endsWith("*")
  const own = isPrefix ? path.slice(0, -1) : path
  const ends = isPrefix ? ["", "?", "/"] : ["", "?"]
  return byRequest(({ url }, inbound) => {
    const isOwn = url.startsWith(own) &&
      (own.endsWith("/") && isPrefix || ends.includes(url.charAt(own.length)))
    if (!isOwn) return refuse(notFound)
    inbound.route = name
    return handler
  })
}

/** The handler of a path of a route with this prefix, chosen by the rest; null is a 404. */
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
    const result = current(web.url)
    return result instanceof Promise
      ? Effect.flatMap(Effect.promise(() => result), (result) => send(web, result))
      : send(web, result)
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
