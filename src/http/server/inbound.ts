/**
 * What is known about a request before its route: its id, its sender, and when its answer was sent.
 *
 * @module
 */
import { Context, Effect, Option } from "effect"
import { HttpServerRequest } from "effect/http"

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
