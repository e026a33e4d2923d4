/**
 * Decodes what a client sends to /a2a: the JSON-RPC call, and in message/send the skill with its
 * parameters and the payment that is submitted or declined. And the errors of A2A 0.3.0: its codes and
 * messages; `data` has the details of this call.
 *
 * @module
 */
import { Effect, Result, Schema, SchemaIssue } from "effect"
import type { HttpServerRequest } from "effect/http"
import { type Skill, skillOf, unknownSkill } from "../../catalog/domain/skill.ts"
import {
  isObject,
  type Json,
  type MessageId,
  objectOf,
  parse,
  rpcCodes,
  type RpcError,
} from "../server/jsonRpc.ts"
import { x402Keys } from "./task.ts"

export const a2aErrors = {
  parse: { code: rpcCodes.parse, message: "Invalid JSON payload" },
  request: { code: rpcCodes.request, message: "Request payload validation error" },
  method: { code: rpcCodes.method, message: "Method not found" },
  params: { code: rpcCodes.params, message: "Invalid parameters" },
  internal: { code: rpcCodes.internal, message: "Internal error" },
  taskNotFound: { code: -32001, message: "Task not found" },
  taskNotCancelable: { code: -32002, message: "Task cannot be canceled" },
  pushNotSupported: { code: -32003, message: "Push Notification is not supported" },
  unsupported: { code: -32004, message: "This operation is not supported" },
  contentType: { code: -32005, message: "Incompatible content types" },
  noExtendedCard: { code: -32007, message: "Authenticated Extended Card is not configured" },
  version: { code: -32009, message: "Protocol version not supported" },
} as const

/** A protocol error; its HTTP status is 200. */
export function a2aError(name: keyof typeof a2aErrors, data?: unknown): RpcError {
  return { status: 200, ...a2aErrors[name], ...(data === undefined ? {} : { data }) }
}

/** One invalid field, and what is expected. */
export interface FieldViolation {
  readonly field: string
  readonly description: string
}

/** The error for invalid parameters. Nothing was charged. */
export function invalid(violations: ReadonlyArray<FieldViolation>): RpcError {
  return a2aError("params", { violations })
}

/** A JSON-RPC call. */
export interface RpcCall {
  readonly method: string
  readonly params: unknown
}

/** The supported versions of A2A in its header. */
const versions = /^0\.3(?:\.\d+)?$/

/** Reads a call: checks JSON, then JSON-RPC, then the version of A2A. */
export const readCall = Effect.fnUntraced(function* readCall(
  read: Effect.Effect<unknown, RpcError>,
  request: HttpServerRequest.HttpServerRequest,
  id: MessageId,
): Effect.fn.Return<RpcCall, RpcError> {
  const json = yield* Effect.mapError(read, asParseError)
  const refuse = (reason: string) => Effect.fail(a2aError("request", { reason }))
  if (!isObject(json)) return yield* refuse("Send one JSON object; batches are not supported")
  const { jsonrpc, id: rawId, method, params } = json
  if (rawId !== undefined && rawId !== id) {
    return yield* refuse("id must be text, an integer or null")
  }
  if (jsonrpc !== "2.0") return yield* refuse('jsonrpc must be "2.0"')
  if (typeof method !== "string") return yield* refuse("method must be text")
  const version = request.headers["a2a-version"]?.trim() ?? ""
  if (version !== "" && !versions.test(version)) {
    return yield* Effect.fail(a2aError("version", { supported: ["0.3"] }))
  }
  return { method, params }
})

/** A body that is not JSON is a protocol error, with HTTP status 200. */
function asParseError(error: RpcError): RpcError {
  if (error.status !== 400) return error
  return a2aError("parse", { reason: error.message })
}

/** The skill that a message names, with its raw parameters. */
export interface SkillCall {
  readonly skill: Skill
  readonly params: unknown
  /** The field that contains the parameters. */
  readonly field: string
}

/** The payment of a message: none, one that is submitted, or the refusal to pay. */
type MessagePayment =
  | { readonly kind: "none" }
  | { readonly kind: "submitted"; readonly payload: unknown }
  | { readonly kind: "rejected" }

/** A valid message. */
export interface ClientMessage {
  readonly taskId: string | null
  readonly contextId: string | null
  /** Null when no skill is named. */
  readonly skillCall: SkillCall | null
  readonly payment: MessagePayment
}

/** A member that may be absent or null. */
const optional = <S extends Schema.Top>(schema: S) => Schema.optional(Schema.NullOr(schema))

/** Printable ASCII without spaces. The id of a task says what the task is about, so it is long. */
const id = (lengthMax: number) =>
  Schema.String.check(Schema.isPattern(/^[\x21-\x7e]+$/), Schema.isMaxLength(lengthMax))
const object = Schema.Record(Schema.String, Schema.Unknown)
const partsMax = 20

const Part = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("text"), text: Schema.String }),
  Schema.Struct({ kind: Schema.Literal("data"), data: object }),
  Schema.Struct({ kind: Schema.Literal("file"), file: object }),
]).annotate({ message: 'must have the kind "text" or "data"' })
type Part = typeof Part.Type

/** It changes nothing, because no history is kept. */
const historyLength = optional(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)))

const MessageParams = Schema.Struct({
  message: Schema.Struct({
    kind: optional(Schema.Literal("message")),
    role: Schema.Literal("user"),
    messageId: id(2_048),
    taskId: optional(id(2_048)),
    contextId: optional(id(128)),
    parts: Schema.Array(Part).check(Schema.isMinLength(1), Schema.isMaxLength(partsMax)),
    metadata: optional(Schema.Struct({
      [x402Keys.status]: optional(Schema.Literals(["payment-submitted", "payment-rejected"])),
      [x402Keys.payload]: Schema.optional(Schema.Unknown),
    })),
  }),
  configuration: optional(Schema.Struct({
    historyLength,
    acceptedOutputModes: optional(Schema.Array(Schema.String)),
    pushNotificationConfig: Schema.optional(Schema.Unknown),
  })),
})

const TaskParams = Schema.Struct({ id: Schema.String, historyLength })

/** Decodes parameters, or fails with every invalid field. */
function readerOf<S extends Schema.Decoder<unknown>>(schema: S) {
  const decode = Schema.decodeUnknownResult(schema, { errors: "all" })
  return (params: unknown): Result.Result<S["Type"], RpcError> =>
    Result.mapError(decode(params ?? {}), ({ issue }) =>
      invalid(
        issuesOf(issue).issues.map(({ path = [], message }) => ({
          field: path.map(fieldPart).join("").slice(1),
          description: message,
        })),
      ))
}

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

const fieldPart = (part: unknown) =>
  typeof part === "number" ? `[${part}]` : /\./.test(String(part)) ? `["${part}"]` : `.${part}`

const readMessageParams = readerOf(MessageParams)
const readTaskId = readerOf(TaskParams)

/** The id of a task in the parameters of a method. */
export const readTaskParams = (params: unknown): Result.Result<string, RpcError> =>
  Result.map(readTaskId(params), ({ id }) => id)

/** Reads the parameters of message/send. */
export function readMessage(params: unknown): Result.Result<ClientMessage, RpcError> {
  return Result.gen(function* () {
    const { message, configuration } = yield* readMessageParams(params)
    const { taskId = null, contextId = null, parts, metadata } = message
    const payment = yield* paymentIn(metadata ?? {})
    const modes = configuration?.acceptedOutputModes ?? []
    if ((configuration?.pushNotificationConfig ?? null) !== null) {
      return yield* Result.fail(a2aError("pushNotSupported"))
    }
    if (
      modes.length > 0 &&
      !modes.some((mode) => outputModes.includes(mode.split(";")[0]?.trim().toLowerCase() ?? ""))
    ) {
      return yield* Result.fail(a2aError("contentType", { supported: ["application/json"] }))
    }
    if (parts.some(({ kind }) => kind === "file")) {
      return yield* Result.fail(a2aError("contentType", { taken: ["text", "data"] }))
    }
    return { taskId, contextId, skillCall: yield* callIn(parts), payment }
  })
}

type Metadata = NonNullable<typeof MessageParams.Type["message"]["metadata"]>

function paymentIn(metadata: Metadata): Result.Result<MessagePayment, RpcError> {
  const { [x402Keys.status]: status = null, [x402Keys.payload]: payload = null } = metadata
  if (status === "payment-rejected") return Result.succeed({ kind: "rejected" })
  if (payload !== null) return Result.succeed({ kind: "submitted", payload })
  return status === null ? Result.succeed({ kind: "none" }) : Result.fail(invalid([{
    field: `message.metadata["${x402Keys.payload}"]`,
    description: "must be the payment, an x402 payload",
  }]))
}

/** Whether a message has a payment payload, even if the message is invalid. */
export function hasPayload(params: unknown): boolean {
  const payload = objectOf(objectOf(objectOf(params)["message"])["metadata"])[x402Keys.payload]
  return payload !== undefined && payload !== null
}

/** The accepted output modes that an answer satisfies, whatever their parameters. */
const outputModes = ["application/json", "text/plain", "application/*", "text/*", "*/*"]

/** Longest text that is searched for the name of a skill. */
const textLengthMax = 4_096

/**
 * The skill that a message names: data parts first, then text parts, in order. A member next to its
 * `params` is refused, and so is a parameter in another part: without it the default would be sold.
 */
function callIn(parts: ReadonlyArray<Part>): Result.Result<SkillCall | null, RpcError> {
  const violation = (field: string, description: string) => invalid([{ field, description }])
  const data = parts.map((part) => part.kind === "data" ? part.data : {})
  const named = data.findIndex(({ skill }) => skill !== undefined)
  const texts = parts.map((part) => named < 0 && part.kind === "text" ? textCall(part.text) : null)
  const at = named < 0 ? texts.findIndex((call) => call !== null) : named
  if (at < 0) return Result.succeed(null)
  const { skill: name, params, ...strays } = texts[at] ?? data[at] ?? {}
  const field = `message.parts[${at}].${named < 0 ? "text" : "data"}`
  const skill = skillOf(name)
  if (skill === undefined) return Result.fail(violation(`${field}.skill`, unknownSkill(name)))
  const isElsewhere = (name: string) => data.some((one) => !("skill" in one) && name in one)
  const stray = Object.keys(strays)[0] ??
    skill.parameters.find(({ name }) => isElsewhere(name))?.name
  return stray === undefined
    ? Result.succeed({ skill, params, field: named < 0 ? field : `${field}.params` })
    : Result.fail(violation(`${field}.${stray.slice(0, 40)}`, "must be inside params"))
}

/** The call in a text: JSON, or a skill name followed by parameters. */
function textCall(text: string): Json | null {
  if (text.length > textLengthMax) return null
  const trimmed = text.trim()
  if (trimmed.startsWith("{")) {
    const call = objectOf(jsonIn(trimmed))
    return skillOf(call["skill"]) === undefined ? null : call
  }
  const [, skill = "", rest = ""] = /^(\w+)\s*([^]*)$/.exec(trimmed) ?? []
  const params = rest.startsWith("{") ? jsonIn(rest) : pairsIn(rest)
  return skillOf(skill) === undefined || params === undefined ? null : { skill, params }
}

/** Parses `since=41 count=5`; undefined for any other form. */
function pairsIn(text: string): Json | undefined {
  const pairs = text.split(/[\s,&]+/).filter((pair) => pair !== "")
    .map((pair) => /^(\w+)=([^=]*)$/.exec(pair))
  return pairs.every((pair) => pair !== null)
    ? Object.fromEntries(pairs.map(([, name = "", value = ""]) => [name, value]))
    : undefined
}

const jsonIn = (text: string) => parse(new TextEncoder().encode(text).buffer)
