/**
 * Traces for an OpenTelemetry collector (OTLP over HTTP, JSON). Without a collector there is no tracer.
 *
 * Effect's exporter makes batches of the ended spans; here they are limited and delivered. A slow or
 * dead collector never slows or fails a sale: the queue has a limit, and what does not fit is
 * dropped and counted. A trace is exported or not as a whole, by a limit of traces per second.
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
  Queue,
  Redacted,
  Schedule,
  Schema,
  Tracer,
} from "effect"
import { HttpBody, HttpClient, HttpClientResponse } from "effect/http"
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
/** Batches that wait while one is sent: with their spans, the most memory that traces use. */
export const batchesMax = 16
/** One request to the collector, its tries, and the pause between them. */
const requestMax = Duration.seconds(5)
const retriesMax = 2
const retryPause = Duration.seconds(1)
/** How long a closing service waits for the last batches. */
const drainMax = Duration.seconds(3)

const sentTotal = Metric.counter("trace_spans_sent_total", {
  description: "Spans that the collector accepted",
  incremental: true,
})
const droppedTotal = Metric.counter("trace_spans_dropped_total", {
  description: "Spans that were not exported: the queue was full, the collector refused them or " +
    "did not answer, or their trace was too long",
  incremental: true,
})
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
  const offer = yield* makeDelivery(url, Redacted.value(headers))
  const otlp = yield* OtlpTracer.make({
    url,
    resource: { serviceName: "bellwether", ...(commit === null ? {} : { serviceVersion: commit }) },
    exportInterval: batchEvery,
    maxBatchSize: batchSpans,
  }).pipe(
    Effect.provideService(OtlpSerialization.OtlpSerialization, passedTo(offer)),
    Effect.provideService(HttpClient.HttpClient, alwaysAccepting),
    Effect.provide(OtlpExporter.layerFlusher),
    // The default provider would enumerate the environment.
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env: {} })),
  )
  return limited(otlp, yield* Effect.context<never>())
})

/** Effect's exporter drops a batch uncounted and pauses for a minute when a request fails. */
const alwaysAccepting = HttpClient.make((request) =>
  Effect.succeed(HttpClientResponse.fromWeb(request, new Response(null)))
)

const passedTo = (
  offer: (data: OtlpTracer.TraceData) => void,
): OtlpSerialization.OtlpSerialization["Service"] => ({
  traces: (data) => {
    offer(data)
    return HttpBody.empty
  },
  metrics: () => HttpBody.empty,
  logs: () => HttpBody.empty,
})

/** A request that the collector did not accept. `again`: the same batch may succeed later. */
class NotDelivered extends Schema.TaggedError<NotDelivered>()("NotDelivered", {
  again: Schema.Boolean,
  reason: Schema.String,
}) {}

const countOf = ({ resourceSpans }: OtlpTracer.TraceData) =>
  resourceSpans.reduce(
    (sum, { scopeSpans }) => scopeSpans.reduce((sum, { spans }) => sum + spans.length, sum),
    0,
  )

/** Sends one batch after the other. Returns the function that adds one; it does not wait. */
const makeDelivery = Effect.fnUntraced(function* (
  url: string,
  headers: Readonly<Record<string, string>>,
) {
  const context = yield* Effect.context<never>()
  const queue = yield* Queue.dropping<OtlpTracer.TraceData>(batchesMax)
  let failing = false
  let sending = false
  const deliver = Effect.fnUntraced(function* (data: OtlpTracer.TraceData) {
    const sent = yield* Effect.exit(Effect.retry(post(url, headers, JSON.stringify(data)), {
      while: ({ again }) => again,
      schedule: Schedule.spaced(retryPause),
      times: retriesMax,
    }))
    yield* Metric.update(
      Exit.isSuccess(sent) ? sentTotal : Metric.withAttributes(droppedTotal, { reason: "refused" }),
      countOf(data),
    )
    if (Exit.isFailure(sent) !== failing) {
      failing = !failing
      const reason = Option.match(Exit.findErrorOption(sent), {
        onNone: () => "",
        onSome: ({ reason }) => `: ${reason}`,
      })
      yield* failing
        ? Effect.logWarning(`Cannot deliver traces${reason}`)
        : Effect.logInfo("Traces are delivered again")
    }
  })
  const next = Effect.flatMap(Queue.take(queue), (data) => {
    sending = true
    return Effect.ensuring(deliver(data), Effect.sync(() => sending = false))
  })
  yield* Effect.forkScoped(Effect.withTracerEnabled(Effect.forever(next), false))
  // Runs before the fiber is interrupted.
  yield* Effect.addFinalizer(() =>
    Effect.suspend(() =>
      sending || Queue.sizeUnsafe(queue) > 0 ? Effect.fail("not yet") : Effect.void
    )
      .pipe(
        Effect.retry(Schedule.spaced("20 millis")),
        Effect.timeoutOption(drainMax),
        Effect.ignore,
      )
  )
  return (data: OtlpTracer.TraceData) => {
    if (Queue.offerUnsafe(queue, data)) return
    Metric.withAttributes(droppedTotal, { reason: "queue_full" }).updateUnsafe(
      countOf(data),
      context,
    )
  }
})

/** Statuses after which OTLP sends a batch again. */
const againStatuses = new Set([429, 502, 503, 504])

/** Posts a batch. The answer's body is not read: it may be anything. */
const post = (url: string, headers: Readonly<Record<string, string>>, body: string) =>
  Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch(url, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body,
        signal,
        redirect: "manual",
      })
      await response.body?.cancel()
      return response.status
    },
    catch: () => new NotDelivered({ again: true, reason: "no connection" }),
  }).pipe(
    Effect.timeoutOrElse({
      duration: requestMax,
      orElse: () => Effect.fail(new NotDelivered({ again: true, reason: "no answer in time" })),
    }),
    Effect.filterOrFail(
      (status) => status >= 200 && status < 300,
      (status) =>
        new NotDelivered({ again: againStatuses.has(status), reason: `status ${status}` }),
    ),
  )

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
      if (parent === undefined) {
        return options.root && begins(options.name)
          ? new ExportedSpan(otlp.span(options), {
            isRequest: options.name === "request",
            spans: 1,
          })
          : notTraced
      }
      if (!(parent instanceof ExportedSpan || parent instanceof PassedSpan)) return notTraced
      const { trace } = parent
      const name = steps.has(options.name)
        ? options.name
        : trace.isRequest && options.kind === "client"
        ? statementName
        : null
      if (name === null) return new PassedSpan(parent)
      if (trace.spans >= spansPerTraceMax) {
        Metric.withAttributes(droppedTotal, { reason: "trace_full" }).updateUnsafe(1, context)
        return new PassedSpan(parent)
      }
      trace.spans += 1
      return new ExportedSpan(otlp.span({ ...options, name }), trace)
    },
  })
}

/** A span that is exported, with the attributes of the list. */
class ExportedSpan implements Tracer.Span {
  readonly _tag = "Span"
  readonly #span: Tracer.Span
  readonly trace: Trace
  constructor(span: Tracer.Span, trace: Trace) {
    this.#span = span
    this.trace = trace
  }
  get name() {
    return this.#span.name
  }
  get spanId() {
    return this.#span.spanId
  }
  get traceId() {
    return this.#span.traceId
  }
  get parent() {
    return this.#span.parent
  }
  get annotations() {
    return this.#span.annotations
  }
  get status() {
    return this.#span.status
  }
  get attributes() {
    return this.#span.attributes
  }
  get links() {
    return this.#span.links
  }
  get sampled() {
    return this.#span.sampled
  }
  get kind() {
    return this.#span.kind
  }
  attribute(key: string, value: unknown) {
    if (!keys.has(key)) return
    if (typeof value === "string") this.#span.attribute(key, shortened(value))
    if (typeof value === "number" || typeof value === "boolean") this.#span.attribute(key, value)
  }
  event() {}
  addLinks() {}
  end(endTime: bigint, exit: Exit.Exit<unknown, unknown>) {
    this.#span.end(endTime, withoutText(exit))
  }
}

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

/** A span that is not exported, in a trace that is: its children belong to its parent. */
class PassedSpan implements Tracer.Span {
  readonly _tag = "Span"
  readonly name = "passed"
  readonly kind = "internal"
  readonly sampled = true
  readonly links = []
  readonly attributes = new Map<string, unknown>()
  readonly status: Tracer.SpanStatus = { _tag: "Started", startTime: 0n }
  readonly annotations = Context.empty()
  readonly parent: Option.Option<Tracer.AnySpan>
  readonly spanId: string
  readonly traceId: string
  readonly trace: Trace
  constructor(parent: ExportedSpan | PassedSpan) {
    this.parent = Option.some(parent)
    this.spanId = parent.spanId
    this.traceId = parent.traceId
    this.trace = parent.trace
  }
  attribute() {}
  event() {}
  addLinks() {}
  end() {}
}

/** Every span outside a trace that is exported. */
const notTraced: Tracer.Span = {
  _tag: "Span",
  name: "not traced",
  spanId: "0".repeat(16),
  traceId: "0".repeat(32),
  sampled: false,
  kind: "internal",
  parent: Option.none(),
  annotations: Context.empty(),
  links: [],
  attributes: new Map(),
  status: { _tag: "Started", startTime: 0n },
  attribute() {},
  event() {},
  addLinks() {},
  end() {},
}
