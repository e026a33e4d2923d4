/**
 * A model behind OpenAI's chat completions API, or any compatible server.
 *
 * The client gets every option explicitly, so it reads nothing from the environment. Retries, timeouts
 * and limits are ours. A request begins in the strictest form. A server that refuses it, or answers as if
 * it had not read it, is asked in a simpler one (form.ts). The form of a good answer is remembered.
 *
 * @module
 */
import { Array, Clock, Duration, Effect, Exit, Layer, Option, Random, type Redacted } from "effect"
import { Ref, Result, Schedule, Schema, Stream } from "effect"
import { toCodecOpenAI } from "effect/ai/OpenAiStructuredOutput"
import { CircuitBreaker } from "effect/persistence"
import OpenAI from "openai"
import { makePlaces, publishDepth } from "../../core/places.ts"
import type { Prompt } from "../domain/prompt.ts"
import { Model, ModelFailed, type ModelRequest, type ModelUse } from "../Model.ts"
import { type CallFailed, failed, failureOf, failureOfStatus, isTransient } from "./failures.ts"
import { type Form, jsonIn, shapeInWords, simplerForm, strictForm, textOf } from "./form.ts"
import {
  attemptsMax,
  attemptTimeout,
  circuitOpenDuration,
  circuitOpenDurationMax,
  concurrentRequestsMax,
  failuresMax,
  requestTimeout,
  retryAfterMax,
  retryDelay,
  tokensMax,
  waitingRequestsMax,
} from "./limits.ts"
import { type Price, recordCall, recordTokens } from "./spending.ts"
import { transport } from "./transport.ts"

export interface ModelOptions {
  readonly apiKey: Redacted.Redacted
  readonly baseUrl: URL
  readonly model: string
  /** The model that judges claims; null for the same one. */
  readonly checkModel: string | null
  /** Sent to `model` as it is; null for the server's default. */
  readonly reasoningEffort: OpenAI.ReasoningEffort
  /** The most tokens of any answer, reasoning included; null for the limits by use. */
  readonly tokensMax: number | null
  /** Null when the price is not configured; then no cost is counted. */
  readonly price: Price | null
}

/** A request ready to be sent. */
interface Call<A> {
  readonly use: ModelUse
  readonly prompt: Prompt
  readonly jsonSchema: Record<string, unknown>
  /** Ignores keys that the shape does not have: without structured outputs models add some. */
  readonly decode: (answer: unknown) => Result.Result<A, Schema.SchemaError>
}

/** 256 random bits: enough against authors who never see a prompt. */
const boundary: Effect.Effect<string> = Effect.map(
  Effect.all(Array.makeBy(8, () => Random.nextIntBetween(0, 0xffff_ffff))),
  (parts) => `BLOCK-${parts.map((part) => part.toString(16).padStart(8, "0")).join("")}`,
)

/** One schema gives both the JSON schema for the server and the decoder. */
const callOf = <A, E>({ use, prompt, shape }: ModelRequest<A, E>): Effect.Effect<Call<A>> =>
  Effect.map(boundary, (boundary) => {
    const { codec, jsonSchema } = toCodecOpenAI(shape)
    return {
      use,
      prompt: prompt(boundary),
      jsonSchema,
      decode: Schema.decodeUnknownResult(codec),
    }
  })

/** The client requires a key; the transport adds the real one. */
const noKey = "none"

/** The fields that are read of an answer; others are ignored. */
const Completion = Schema.Struct({
  choices: Schema.NonEmptyArray(Schema.Struct({
    finish_reason: Schema.optionalKey(Schema.NullOr(Schema.String)),
    message: Schema.Struct({
      content: Schema.optionalKey(Schema.Unknown),
      refusal: Schema.optionalKey(Schema.NullOr(Schema.String)),
    }),
  })),
})
const decodeCompletion = Schema.decodeUnknownOption(Completion)

/** The body of an error that some servers send with status 200. */
const decodeError = Schema.decodeUnknownOption(Schema.Struct({
  error: Schema.Struct({ message: Schema.String, code: Schema.optionalKey(Schema.Unknown) }),
}))
/** The status of such an error, unless its code is one. */
const errorStatus = 400

/** `send` performs the HTTP requests; a stand-in answers them itself. */
export const layer = (
  options: ModelOptions,
  send: typeof fetch = transport(options.apiKey),
): Layer.Layer<Model> =>
  Layer.effect(
    Model,
    Effect.gen(function* () {
      const client = clientOf(options, send)
      const places = makePlaces({
        places: concurrentRequestsMax,
        waiting: waitingRequestsMax,
        waitMax: requestTimeout.digest,
      })
      yield* publishDepth("model", places)
      const circuit = yield* CircuitBreaker.make({
        tripPolicy: CircuitBreaker.consecutive(failuresMax),
        openDuration: circuitOpenDuration,
        maxOpenDuration: circuitOpenDurationMax,
      })
      yield* circuit.transitions.pipe(
        Stream.runForEach(({ key, to }) =>
          Effect.logWarning(`The model's circuit breaker for ${key} is ${to}`)
        ),
        Effect.forkScoped,
      )

      /** End of the pause that the server asked for. */
      const pausedUntil = yield* Ref.make(0)

      const attempt = yield* attempts(client, options)
      const timed = <A>(call: Call<A>) =>
        attempt(call).pipe(
          Effect.timeoutOrElse({ duration: attemptTimeout[call.use], orElse: () => late }),
          recordCall(call.use),
        )

      const unlessPaused = <A>(use: ModelUse, work: Effect.Effect<A, CallFailed>) =>
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          if (now < (yield* Ref.get(pausedUntil))) return yield* notAsked(use)
          return yield* work
        })
      const notePause = Effect.fnUntraced(function* ({ retryAfterMs }: CallFailed) {
        if (retryAfterMs === null) return
        const now = yield* Clock.currentTimeMillis
        const until = now + Math.min(retryAfterMs, Duration.toMillis(circuitOpenDurationMax))
        yield* Ref.update(pausedUntil, (before) => Math.max(before, until))
      })

      const answered = <A>(call: Call<A>) =>
        timed(call).pipe(
          Effect.retry({ while: isWorthRetrying, schedule: retrySchedule, times: attemptsMax - 1 }),
          Effect.tapError(notePause),
          // One circuit per use: a model that fails at reading may still write digests.
          (work) => circuit.execute(work, { key: call.use, classify }),
          Effect.catchTag("CircuitBreakerError", () => notAsked(call.use)),
          (work) => unlessPaused(call.use, work),
          places.run(noAnswerInTime),
          Effect.timeoutOrElse({ duration: requestTimeout[call.use], orElse: () => late }),
        )

      return Model.of({
        name: options.model,
        generate: (request) =>
          callOf(request).pipe(
            Effect.flatMap(answered),
            Effect.mapError(({ reason }) => new ModelFailed({ reason })),
          ),
      })
    }),
  ).pipe(Layer.provide(CircuitBreaker.layerStoreMemory()))

/** A form, and whether its last answer had the shape that was asked for. */
interface KnownForm {
  readonly form: Form
  readonly isProven: boolean
}

/** One HTTP request for a call in the form that is known of its model, or more in simpler ones. */
const attempts = Effect.fnUntraced(function* (client: OpenAI, options: ModelOptions) {
  const forms = yield* Ref.make<ReadonlyMap<string, KnownForm>>(new Map())

  const inForm = <A>(call: Call<A>, { form, isProven }: KnownForm): Effect.Effect<A, CallFailed> =>
    Effect.gen(function* () {
      const body = requestOf(options, call, form)
      const remember = (known: KnownForm) =>
        Ref.update(forms, (all) => new Map(all).set(body.model, known))
      return yield* Effect.tryPromise({
        try: (signal) => client.chat.completions.create(body, { signal }),
        catch: failureOf,
      }).pipe(
        Effect.tap((answer) => recordTokens(call.use, answer, options.price)),
        Effect.flatMap((answer) => answerOf(answer, call)),
        Effect.tap(() => remember({ form, isProven: true })),
        Effect.catch(Effect.fnUntraced(function* (failure) {
          // A proven form is doubted from the next request on: a good server pays no second one.
          const isIgnored = failure.outcome === "malformed" && !isProven
          const simpler = simplerForm(form, isIgnored ? "format" : failure.unsupported)
          if (failure.outcome === "malformed") {
            // Before it is tried: the time of this request may end.
            yield* remember({ form: isProven ? form : simpler ?? strictForm, isProven: false })
          }
          if (simpler === null) return yield* failure
          return yield* inForm(call, { form: simpler, isProven: false })
        })),
      )
    })

  return <A>(call: Call<A>): Effect.Effect<A, CallFailed> =>
    Effect.flatMap(
      Ref.get(forms),
      (known) =>
        inForm(
          call,
          known.get(modelOf(options, call.use)) ?? { form: strictForm, isProven: false },
        ),
    )
})

/** All options are explicit: the client reads nothing from the environment and logs nothing. */
function clientOf({ baseUrl }: ModelOptions, send: typeof fetch): OpenAI {
  return new OpenAI({
    apiKey: noKey,
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    baseURL: baseUrl.href,
    logLevel: "off",
    maxRetries: 0,
    // Our own timeout fires first; without this one the client would use its default.
    timeout: 2 * Duration.toMillis(attemptTimeout.digest),
    fetch: send,
  })
}

function modelOf({ model, checkModel }: ModelOptions, use: ModelUse): string {
  return use === "judge" ? checkModel ?? model : model
}

/** Sends nothing that a plain server may refuse, unless it is configured or can be left out. */
function requestOf<A>(
  options: ModelOptions,
  { use, prompt: { system, user }, jsonSchema }: Call<A>,
  { format, tokens }: Form,
): OpenAI.ChatCompletionCreateParamsNonStreaming {
  const model = modelOf(options, use)
  const systemText = format === "json_schema" ? system : `${system}\n\n${shapeInWords(jsonSchema)}`
  return {
    model,
    messages: [{ role: "system", content: systemText }, { role: "user", content: user }],
    ...tokens === null ? {} : { [tokens]: options.tokensMax ?? tokensMax[use] },
    ...options.reasoningEffort === null || model !== options.model
      ? {}
      : { reasoning_effort: options.reasoningEffort },
    ...format === "json_schema"
      ? {
        response_format: {
          type: "json_schema",
          json_schema: { name: use, strict: true, schema: jsonSchema },
        },
      }
      : format === "json_object"
      ? { response_format: { type: "json_object" } }
      : {},
  }
}

function answerOf<A>(answer: unknown, { decode }: Call<A>): Effect.Effect<A, CallFailed> {
  const error = Option.getOrNull(decodeError(answer))?.error
  if (error !== undefined) {
    const code = Number(error.code)
    return Effect.fail(failureOfStatus(code >= 400 ? code : errorStatus, error.message))
  }
  const completion = Option.getOrNull(decodeCompletion(answer))
  if (completion === null) return malformed("no completion")
  const [{ finish_reason, message: { content, refusal } }] = completion.choices
  if (typeof refusal === "string" && refusal !== "") return refused
  if (finish_reason === "content_filter") return refused
  if (finish_reason === "length") return Effect.fail(failed("cut_off", "it ran out of tokens"))
  const text = textOf(content)
  if (text === "") return malformed("an empty answer")
  return Result.match(decode(jsonIn(text)), {
    onFailure: () => malformed("an answer of another shape"),
    onSuccess: Effect.succeed,
  })
}

const noAnswerInTime = failed("timed_out", "no answer in time")
const late = Effect.fail(noAnswerInTime)
const refused = Effect.fail(failed("refused", "the model refused"))
const malformed = (what: string) => Effect.fail(failed("malformed", what))
const notAsked = (use: ModelUse) =>
  recordCall(use)(Effect.fail(failed("not_asked", "requests are paused for now")))

function isWorthRetrying(failure: CallFailed): boolean {
  return isTransient(failure) && (failure.retryAfterMs ?? 0) <= Duration.toMillis(retryAfterMax)
}

/** A refusal is neither a success nor a failure of the server. */
function classify(exit: Exit.Exit<unknown, CallFailed>): CircuitBreaker.Outcome {
  if (Exit.isSuccess(exit)) return CircuitBreaker.success
  const failure = Option.getOrNull(Exit.findErrorOption(exit))
  return failure?.outcome === "refused" ? CircuitBreaker.ignored : CircuitBreaker.failure()
}

/** Waits as long as the server asks, else with exponential backoff. */
const retrySchedule = Schedule.exponential(retryDelay).pipe(
  Schedule.jittered,
  Schedule.setInputType<CallFailed>(),
  Schedule.modifyDelay(({ duration, input }) =>
    Effect.succeed(
      input.retryAfterMs === null ? duration : Duration.millis(input.retryAfterMs),
    )
  ),
)
