/**
 * A client of a JSON-RPC endpoint. It accepts a response only when it is in time, small enough, has
 * the id of the request, and has the requested form. The endpoint's URL is never logged, because it
 * may contain a key.
 *
 * A quantity has at most 13 hexadecimal digits, so that it is always a safe integer.
 *
 * @module
 */
import {
  Clock,
  Duration,
  Effect,
  Predicate,
  Request,
  RequestResolver,
  Schedule,
  Schema,
  Semaphore,
} from "effect"
import { getHttpRpcClient } from "viem/utils"
import { leftMs } from "../../core/domain/time.ts"

export interface RpcOptions {
  readonly rpcUrl: string
  /** Time limit of a call, including its retry. */
  readonly callTimeout?: Duration.Duration
}

/** Maximum size of a response. `oneBlock` is for calls that return everything in one block. */
export const responseBytesMax = { usual: 1024 * 1024, oneBlock: 16 * 1024 * 1024 } as const

/** Concurrent requests. Further ones wait, within the time limit of their operation. */
const callsMax = 64
/** Calls in one request: public endpoints accept as many. */
const batchMax = 100
/** No batch is sent for this time after one without an answer: some endpoints accept none. */
const batchRestMs = 60_000
const retryDelay = Duration.millis(100)
const retriesMax = 1

/** Why a call has no usable response. */
export class RpcFailure extends Schema.TaggedError<RpcFailure>()("RpcFailure", {
  /**
   * `silent`: no response, or not in time. `refused`: a JSON-RPC error. `reverted`: that the
   * contract reverted. `too_large`: larger than the limit. `malformed`: not of the requested form.
   */
  kind: Schema.Literals(["silent", "refused", "reverted", "too_large", "malformed"]),
  reason: Schema.String,
}) {}

interface RpcRequest<A> {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
  readonly decode: (result: unknown) => Effect.Effect<A, Schema.SchemaError>
  readonly bytesMax?: number
}

export interface Rpc {
  readonly call: <A>(request: RpcRequest<A>) => Effect.Effect<A, RpcFailure>
  /**
   * A call that may share one JSON-RPC batch with the others of its moment. Where an endpoint accepts no
   * batch, or leaves a call out, each is made alone.
   */
  readonly callTogether: (request: RpcRequest<string>) => Effect.Effect<string, RpcFailure>
}

interface SharedCall extends Request.Request<string, RpcFailure> {
  readonly call: RpcRequest<string>
}
const sharedCall = Request.of<SharedCall>()

const Envelope = Schema.Union([
  Schema.Struct({
    id: Schema.Int,
    error: Schema.Struct({ code: Schema.Int, message: Schema.String }),
  }),
  Schema.Struct({ id: Schema.Int, result: Schema.Unknown }),
])
const decodeEnvelope = Schema.decodeUnknownEffect(Envelope)

export const connect = Effect.fnUntraced(function* (
  { rpcUrl, callTimeout = Duration.seconds(4) }: RpcOptions,
) {
  const calls = yield* Semaphore.make(callsMax)
  const client = getHttpRpcClient(rpcUrl, { fetchOptions: { redirect: "error" }, timeout: 0 })
  let lastId = 0
  const bodyOf = ({ method, params }: RpcRequest<unknown>) => ({ id: ++lastId, method, params })

  const send = (
    { method, bytesMax = responseBytesMax.usual }: Pick<RpcRequest<unknown>, "method" | "bytesMax">,
    body: Parameters<typeof client.request>[0]["body"],
  ) =>
    Effect.tryPromise({
      try: (signal): Promise<unknown> =>
        client.request({ body, fetchOptions: { signal }, maxResponseBodySize: bytesMax }),
      catch: (error) => requestFailure(method, error),
    })

  const inTime = <A>(method: string, attempt: Effect.Effect<A, RpcFailure>) =>
    attempt.pipe(
      Effect.timeoutOrElse({ duration: callTimeout, orElse: () => silent(method) }),
      calls.withPermit,
    )

  function call<A>(request: RpcRequest<A>): Effect.Effect<A, RpcFailure> {
    const attempt = Effect.suspend(() => {
      const body = bodyOf(request)
      return Effect.flatMap(send(request, body), (response) => read(request, body.id, response))
    })
    const retried = Effect.retry(attempt, {
      while: ({ kind }) => kind === "silent" || kind === "refused",
      schedule: Schedule.spaced(retryDelay),
      times: retriesMax,
    })
    return inTime(request.method, retried)
  }

  let batchFailedAtMs = -Infinity
  /** The responses to a batch of several calls; none when there is no answer. */
  const sendBatch = Effect.fnUntraced(function* (bodies: ReadonlyArray<ReturnType<typeof bodyOf>>) {
    const nowMs = yield* Clock.currentTimeMillis
    if (bodies.length === 1 || leftMs(batchFailedAtMs, batchRestMs, nowMs) > 0) return []
    const responses = yield* Effect.match(inTime("batch", send({ method: "batch" }, [...bodies])), {
      onFailure: () => [],
      onSuccess: (found) => Array.isArray(found) ? found.filter(hasRequest) : [],
    })
    if (responses.length === 0) batchFailedAtMs = nowMs
    return responses
  })

  const resolver = RequestResolver.make<SharedCall>((entries) => {
    const calls = entries.map((entry) => ({ entry, body: bodyOf(entry.request.call) }))
    return Effect.flatMap(
      sendBatch(calls.map(({ body }) => body)),
      (responses) =>
        Effect.forEach(calls, ({ entry, body: { id } }) => {
          const { request: { call: request } } = entry
          const own = responses.find((one) => one.id === id)
          const result = Effect.catch(read(request, id, own), () => call(request))
          return Request.completeEffect(entry, result)
        }, { concurrency: "unbounded", discard: true }),
    )
  }).pipe(RequestResolver.batchN(batchMax))

  return {
    call,
    callTogether: (call) => Effect.request(sharedCall({ call }), resolver),
  } satisfies Rpc
})

/** Whether a response is that of a request: a batch that is refused as a whole has one with the id null. */
const hasRequest = (response: unknown): response is { readonly id: number } =>
  Predicate.hasProperty(response, "id") && typeof response.id === "number"

/** The result in a response, when it is of the request with this id. */
const read = Effect.fnUntraced(
  function* <A>({ method, decode }: RpcRequest<A>, id: number, response: unknown) {
    const envelope = yield* malformedUnless(method, decodeEnvelope(response))
    if (envelope.id !== id) return yield* malformed(method, "the response of another request")
    if ("error" in envelope) {
      return yield* new RpcFailure({
        kind: method === "eth_call" && isRevert(envelope.error) ? "reverted" : "refused",
        reason: `${method} was refused with code ${envelope.error.code}`,
      })
    }
    return yield* malformedUnless(method, decode(envelope.result))
  },
)

/** Nodes name a revert by code 3 or, when the contract gave no reason, by the message alone. */
const isRevert = ({ code, message }: { readonly code: number; readonly message: string }) =>
  code === 3 || /\brevert/i.test(message)

/**
 * The failure of a request, with the name of the error or the HTTP status. The error itself is
 * dropped: it contains the endpoint's URL.
 */
function requestFailure(method: string, error: unknown): RpcFailure {
  const name = error instanceof Error ? error.name : "unknown"
  if (name === "ResponseBodyTooLargeError") {
    return new RpcFailure({ kind: "too_large", reason: `${method} returned too many bytes` })
  }
  const detail = Predicate.hasProperty(error, "status") && typeof error.status === "number"
    ? `status ${error.status}`
    : name
  return new RpcFailure({ kind: "silent", reason: `${method} did not respond (${detail})` })
}

const malformedUnless = <A>(method: string, decoded: Effect.Effect<A, Schema.SchemaError>) =>
  Effect.catch(decoded, () => malformed(method, "a result of another form"))

const malformed = (method: string, what: string) =>
  new RpcFailure({ kind: "malformed", reason: `${method} returned ${what}` })

const silent = (method: string) =>
  Effect.fail(new RpcFailure({ kind: "silent", reason: `${method} did not respond in time` }))

const hexOf = (pattern: string) =>
  Schema.String.check(Schema.isPattern(new RegExp(`^0x${pattern}$`)))
const Quantity = hexOf("[0-9a-fA-F]{1,13}")
const Word = hexOf("[0-9a-fA-F]{64}")
const Bytes = hexOf("(?:[0-9a-fA-F]{2})*")

const Log = Schema.Struct({
  address: hexOf("[0-9a-fA-F]{40}"),
  topics: Schema.Array(Word).check(Schema.isMaxLength(4)),
  data: Bytes,
  blockNumber: Quantity,
  blockHash: Word,
  transactionHash: Word,
  logIndex: Quantity,
  removed: Schema.optionalKey(Schema.Literal(false)),
})
export type Log = typeof Log.Type

const Block = Schema.Struct({ number: Quantity, hash: Word, timestamp: Quantity })

const Receipt = Schema.Struct({
  blockNumber: Quantity,
  blockHash: Word,
  status: Schema.Literals(["0x0", "0x1"]),
  from: Schema.optionalKey(hexOf("[0-9a-fA-F]{40}")),
  logs: Schema.Array(Log),
})
type Receipt = typeof Receipt.Type

export const decodeBlock = Schema.decodeUnknownEffect(Block)
export const decodeLogs = Schema.decodeUnknownEffect(Schema.Array(Log))
export const decodeReceipt = Schema.decodeUnknownEffect(Schema.NullOr(Receipt))
export const decodeQuantity = Schema.decodeUnknownEffect(Quantity)
export const decodeWord = Schema.decodeUnknownEffect(Word)
export const decodeBytes = Schema.decodeUnknownEffect(Bytes)

/** A block number as a JSON-RPC quantity. */
export function quantity(number: bigint): string {
  return `0x${number.toString(16)}`
}
