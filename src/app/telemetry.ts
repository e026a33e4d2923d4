/**
 * Traces for an OpenTelemetry collector (OTLP over HTTP, JSON). Without a collector there is no tracer.
 *
 * Effect's exporter sends batches of the ended spans, and pauses for a minute when a collector fails: a
 * slow or dead one never slows or fails a sale, and its spans are dropped. A trace is exported or not as
 * a whole, by a limit of traces per second.
 *
 * A span has a name and attributes of `core/tracing.ts` only, or is a statement of a request. An
 * error is exported by its type alone: its message may be text from outside.
 *
 * @module
 */
import {
  Clock,
  ConfigProvider,
  Context,
  Duration,
  Effect,
  Exit,
  Layer,
  Metric,
  Option,
  Predicate,
  Redacted,
  Tracer,
} from "effect"
import {
  HttpClient,
  HttpClientError,
  type HttpClientRequest,
  HttpClientResponse,
} from "effect/http"
import { OtlpExporter, OtlpSerialization, OtlpTracer } from "effect/observability"
import { attributeKeys, rootNames, stepNames } from "../core/tracing.ts"

interface TelemetryOptions {
  /** The address that traces are posted to. */
  readonly url: string
  readonly headers: Redacted.Redacted<Readonly<Record<string, string>>>
  readonly commit: string | null
}

/** Traces of requests that begin in one second; later ones of that second are not exported. */
export const tracesPerSecondMax = 50
/** Spans of one trace; later ones are not exported. */
export const spansPerTraceMax = 200
/** Longest value of an attribute, in characters. */
export const valueLengthMax = 120
/** Spans of a batch, and how often a smaller one is made. */
const batchSpans = 256
const batchEvery = Duration.seconds(2)
/** Batches on their way at once: a collector that hangs holds no more. */
const sendingMax = 16
/** One request to the collector. */
const requestMax = Duration.seconds(5)
/** How long a closing service waits for the last batches. */
const drainMax = Duration.seconds(3)

const notTracedTotal = Metric.counter("traces_left_out_total", {
  description: "Requests without a trace, because a second had too many",
  incremental: true,
})

/** The tracer; nothing when no collector is set. */
export const layer = (options: TelemetryOptions | null): Layer.Layer<never> =>
  options === null ? Layer.empty : Layer.mergeAll(
    Layer.effect(Tracer.Tracer, makeTracer(options)),
    // Ids of ours are of no use to others, and would let them join requests.
    Layer.succeed(HttpClient.TracerPropagationEnabled, false),
    // Its spans have addresses with keys in them; the ports have spans of their own.
    Layer.succeed(HttpClient.TracerDisabledWhen, () => true),
  )

const makeTracer = Effect.fnUntraced(function* ({ url, headers, commit }: TelemetryOptions) {
  const otlp = yield* OtlpTracer.make({
    url,
    headers: Redacted.value(headers),
    resource: { serviceName: "bellwether", ...(commit === null ? {} : { serviceVersion: commit }) },
    exportInterval: batchEvery,
    maxBatchSize: batchSpans,
    shutdownTimeout: drainMax,
  }).pipe(
    Effect.provide(OtlpSerialization.layerJson),
    Effect.provideService(HttpClient.HttpClient, collectorClient()),
    Effect.provide(OtlpExporter.layerFlusher),
    // The default provider would enumerate the environment.
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env: {} })),
  )
  return limited(otlp, yield* Effect.context<never>())
})

/** Posts a batch within a time limit. The answer's body is not read: it may be anything. */
function collectorClient(): HttpClient.HttpClient {
  let failing = false
  let sending = 0
  const judged = Effect.fnUntraced(function* (isGood: boolean, reason: string) {
    if (isGood !== failing) return
    failing = !isGood
    yield* failing
      ? Effect.logWarning(`Cannot deliver traces: ${reason}`)
      : Effect.logInfo("Traces are delivered again")
  })
  const post = (request: HttpClientRequest.HttpClientRequest, url: URL) =>
    Effect.tryPromise({
      try: async (signal) => {
        const { method, headers, body } = request
        const sent = body._tag === "Uint8Array" ? new Uint8Array(body.body) : null
        sending += 1
        try {
          const response = await fetch(url, {
            method,
            headers: { ...headers, "content-type": "application/json" },
            body: sent,
            signal,
            redirect: "manual",
          })
          await response.body?.cancel()
          const wait = response.headers.get("retry-after")
          return { status: response.status, headers: wait === null ? {} : { "retry-after": wait } }
        } finally {
          sending -= 1
        }
      },
      catch: () => "no connection",
    })
  return HttpClient.make((request, url) =>
    Effect.suspend(() =>
      sending < sendingMax ? post(request, url) : Effect.fail("too many batches under way")
    ).pipe(
      Effect.timeoutOrElse({
        duration: requestMax,
        orElse: () => Effect.fail("no answer in time"),
      }),
      Effect.tap(({ status }) => judged(status >= 200 && status < 300, `status ${status}`)),
      Effect.tapError((reason) => judged(false, reason)),
      Effect.map((answer) => HttpClientResponse.fromWeb(request, new Response(null, answer))),
      Effect.mapError((description) =>
        new HttpClientError.HttpClientError({
          reason: new HttpClientError.TransportError({ request, description }),
        })
      ),
    )
  )
}

const roots: ReadonlySet<string> = new Set(rootNames)
const steps: ReadonlySet<string> = new Set(stepNames)
const keys: ReadonlySet<string> = new Set(attributeKeys)

/**
 * A statement of the SQL client: the only client spans, because those of HTTP are off. Its own name
 * would be the address of the database.
 */
const statementName = "sql"

/** What the spans of a trace share. */
interface Trace {
  readonly isRequest: boolean
  spans: number
}

/** A tracer that exports only what `core/tracing.ts` names, within the limits. */
function limited(otlp: Tracer.Tracer, context: Context.Context<never>): Tracer.Tracer {
  const clock = Context.get(context, Clock.Clock)
  const traces = new WeakMap<Tracer.AnySpan, Trace>()
  let second = 0
  let requests = 0
  const begins = (name: string) => {
    if (name !== "request") return roots.has(name)
    const now = Math.floor(clock.currentTimeMillisUnsafe() / 1_000)
    if (now !== second) {
      second = now
      requests = 0
    }
    requests += 1
    if (requests <= tracesPerSecondMax) return true
    notTracedTotal.updateUnsafe(1, context)
    return false
  }
  return Tracer.make({
    span: (options) => {
      const parent = Option.getOrUndefined(options.parent)
      const isRoot = parent === undefined && options.root && begins(options.name)
      const trace = parent !== undefined
        ? traces.get(parent)
        : isRoot
        ? { isRequest: options.name === "request", spans: 0 }
        : undefined
      if (trace === undefined) return otlp.span({ ...options, sampled: false })
      const name = isRoot || steps.has(options.name)
        ? options.name
        : trace.isRequest && options.kind === "client"
        ? statementName
        : null
      const left = name === null || trace.spans >= spansPerTraceMax
      if (!left) trace.spans += 1
      const span = parent !== undefined && left
        ? passed(parent)
        : guarded(otlp.span({ ...options, name: name ?? options.name }))
      traces.set(span, trace)
      return span
    },
  })
}

/** The span, which takes the attributes of the list and the type of an error alone. */
function guarded(span: Tracer.Span): Tracer.Span {
  const { attribute, end } = span
  return Object.assign(span, {
    ...ignored,
    attribute(key: string, value: unknown) {
      if (!keys.has(key)) return
      if (typeof value === "string") attribute.call(span, key, shortened(value))
      if (typeof value === "number" || typeof value === "boolean") attribute.call(span, key, value)
    },
    end(endTime: bigint, exit: Exit.Exit<unknown, unknown>) {
      end.call(span, endTime, withoutText(exit))
    },
  })
}

/** A span that is not exported, in a trace that is: its children belong to its parent. */
function passed(parent: Tracer.AnySpan): Tracer.Span {
  const ids = { traceId: { value: parent.traceId }, spanId: { value: parent.spanId } }
  return Object.assign(Object.create(parent, ids), ignored)
}

const ignored = { attribute() {}, event() {}, addLinks() {}, end() {} }

const shortened = (value: string) => value.replaceAll(/\s+/g, " ").trim().slice(0, valueLengthMax)

/** The exit with the type of its error alone. An interruption stays one. */
function withoutText(exit: Exit.Exit<unknown, unknown>): Exit.Exit<unknown, unknown> {
  if (Exit.isSuccess(exit)) return Exit.void
  const reason = exit.cause.reasons.find(({ _tag }) => _tag !== "Interrupt")
  if (reason === undefined || reason._tag === "Interrupt") return exit
  const error = reason._tag === "Fail" ? reason.error : reason.defect
  return Exit.fail({ name: typeOf(error), message: "" })
}

function typeOf(error: unknown): string {
  const name = Predicate.hasProperty(error, "_tag")
    ? error._tag
    : Predicate.hasProperty(error, "name")
    ? error.name
    : "defect"
  return typeof name === "string" && /^[\w./-]{1,60}$/.test(name) ? name : "error"
}
