/**
 * Decodes what a client sends to /a2a: the JSON-RPC call, and in message/send the skill with its
 * parameters and the payment that is submitted or declined.
 *
 * @module
 */
import { Effect, Result } from "effect"
import type { HttpServerRequest } from "effect/http"
import { type Skill, skillOf, skills } from "../../catalog/domain/skill.ts"
import {
  idOf,
  isObject,
  type Json,
  type MessageId,
  objectOf,
  readJson,
  type RpcError,
} from "../server/jsonRpc.ts"
import {
  type A2aError,
  a2aError,
  type A2aErrorName,
  type FieldViolation,
  invalid,
} from "./errors.ts"
import { x402Keys } from "./taskView.ts"

/** A JSON-RPC call. */
interface Call {
  readonly id: MessageId
  readonly method: string
  readonly params: unknown
}

/** The supported versions of A2A in its header. */
const versions = /^0\.3(?:\.\d+)?$/

/** Reads a call: checks JSON, then JSON-RPC, then the version of A2A. */
export const readCall = (
  request: HttpServerRequest.HttpServerRequest,
): Effect.Effect<Call, RpcError> =>
  Effect.gen(function* () {
    const json = yield* Effect.mapError(readJson(request), asParseError)
    if (!isObject(json)) {
      return yield* refusal("request", null, "Send one JSON object; batches are not supported")
    }
    const { jsonrpc, id: rawId, method, params } = json
    const id = idOf(rawId)
    if (rawId !== undefined && rawId !== id) {
      return yield* refusal("request", null, "id must be text, an integer or null")
    }
    if (jsonrpc !== "2.0") {
      return yield* refusal("request", id, 'jsonrpc must be "2.0"')
    }
    if (typeof method !== "string") return yield* refusal("request", id, "method must be text")
    const version = request.headers["a2a-version"]?.trim() ?? ""
    if (version !== "" && !versions.test(version)) {
      return yield* Effect.fail({ ...a2aError("version", { supported: ["0.3"] }), id })
    }
    return { id, method, params }
  })

const refusal = (
  name: A2aErrorName,
  id: MessageId,
  reason: string,
): Effect.Effect<never, RpcError> => Effect.fail({ ...a2aError(name, { reason }), id })

/** A body that is not JSON is a protocol error, with HTTP status 200. */
function asParseError(error: RpcError): RpcError {
  if (error.status !== 400) return error
  return { ...a2aError("parse", { reason: error.message }), id: error.id }
}

/** Longest ids, in characters; the id of a task says what the task is about. */
const idLengthMax = { messageId: 2_048, contextId: 128, taskId: 2_048 }
type IdName = keyof typeof idLengthMax
const idPattern = /^[\x21-\x7e]+$/
const partsMax = 20
/** Longest text that is searched for the name of a skill. */
const textLengthMax = 4_096

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
  readonly call: SkillCall | null
  readonly payment: MessagePayment
}

/** Reads the parameters of message/send. */
export function readMessage(params: unknown): Result.Result<ClientMessage, A2aError> {
  const violations: Array<FieldViolation> = []
  const addViolation = (field: string, description: string) =>
    violations.push({ field, description })
  const message = objectOf(params)["message"]
  if (!isObject(message)) return invalidField("message", "must be an object")
  if (message["kind"] !== undefined && message["kind"] !== "message") {
    addViolation("message.kind", 'must be "message"')
  }
  if (message["role"] !== "user") addViolation("message.role", 'must be "user"')
  const idIn = (name: IdName) => {
    const id = message[name] ?? (name === "messageId" ? "" : null)
    const lengthMax = idLengthMax[name]
    if (id === null) return null
    if (typeof id === "string" && id.length <= lengthMax && idPattern.test(id)) return id
    addViolation(
      `message.${name}`,
      `must be 1 to ${lengthMax} printable ASCII characters without spaces`,
    )
    return null
  }
  idIn("messageId")
  const taskId = idIn("taskId")
  const contextId = idIn("contextId")
  const parts = readParts(message["parts"], addViolation)
  const payment = readPayment(message["metadata"], addViolation)
  const refused = readConfiguration(objectOf(params)["configuration"], addViolation)
  if (violations.length > 0) return Result.fail(invalid(violations))
  if (refused !== null) return Result.fail(refused)
  if (parts.some(({ kind }) => kind === "file")) {
    return Result.fail(a2aError("contentType", { taken: ["text", "data"] }))
  }
  const call = callIn(parts, addViolation)
  if (violations.length > 0) return Result.fail(invalid(violations))
  return Result.succeed({
    taskId,
    contextId,
    call,
    payment,
  })
}

/** Whether a `historyLength` is valid. It changes nothing, because no history is kept. */
export const isHistoryLength = (value: unknown) =>
  value === undefined || value === null || Number.isInteger(value) && Number(value) >= 0
export const historyLengthExpected = "must be an integer of at least 0"

type AddViolation = (field: string, description: string) => void

function invalidField(field: string, description: string): Result.Result<never, A2aError> {
  return Result.fail(invalid([{ field, description }]))
}

/** A decoded part. */
type Part =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "data"; readonly data: Json }
  | { readonly kind: "file" }

function readParts(value: unknown, addViolation: AddViolation): ReadonlyArray<Part> {
  if (!Array.isArray(value) || value.length === 0 || value.length > partsMax) {
    addViolation("message.parts", `must be an array of 1 to ${partsMax} parts`)
    return []
  }
  return value.flatMap((part: unknown, at): ReadonlyArray<Part> => {
    const field = `message.parts[${at}]`
    const { kind, text, data, file } = objectOf(part)
    if (kind === "text" && typeof text === "string") return [{ kind, text }]
    if (kind === "data" && isObject(data)) return [{ kind, data }]
    if (kind === "file" && isObject(file)) return [{ kind }]
    if (kind === "text") addViolation(`${field}.text`, "must be text")
    else if (kind === "data") addViolation(`${field}.data`, "must be an object")
    else if (kind === "file") addViolation(`${field}.file`, "must be an object")
    else addViolation(`${field}.kind`, 'must be "text" or "data"')
    return []
  })
}

function readPayment(value: unknown, addViolation: AddViolation): MessagePayment {
  if (value === undefined || value === null) return { kind: "none" }
  if (!isObject(value)) {
    addViolation("message.metadata", "must be an object")
    return { kind: "none" }
  }
  const status = value[x402Keys.status]
  const payload = value[x402Keys.payload]
  if (status === "payment-rejected") return { kind: "rejected" }
  if (status !== undefined && status !== "payment-submitted") {
    addViolation(
      `message.metadata["${x402Keys.status}"]`,
      'must be "payment-submitted" or "payment-rejected"',
    )
  } else if (payload !== undefined && payload !== null) return { kind: "submitted", payload }
  else if (status !== undefined) {
    addViolation(`message.metadata["${x402Keys.payload}"]`, "must be the payment, an x402 payload")
  }
  return { kind: "none" }
}

/** Whether a message has a payment payload, even if the message is invalid. */
export function hasPayload(params: unknown): boolean {
  const payload = objectOf(objectOf(objectOf(params)["message"])["metadata"])[x402Keys.payload]
  return payload !== undefined && payload !== null
}

/** The accepted output modes that an answer satisfies. */
const outputModes = ["application/json", "text/plain", "application/*", "text/*", "*/*"]

/** Why the message cannot be answered as it wants; null when it can. */
function readConfiguration(value: unknown, addViolation: AddViolation): A2aError | null {
  const configuration = objectOf(value)
  if (value !== undefined && value !== null && !isObject(value)) {
    addViolation("configuration", "must be an object")
  }
  if (!isHistoryLength(configuration["historyLength"])) {
    addViolation("configuration.historyLength", historyLengthExpected)
  }
  const { acceptedOutputModes: modes, pushNotificationConfig: push } = configuration
  if (modes !== undefined && modes !== null && !isStrings(modes)) {
    addViolation("configuration.acceptedOutputModes", "must be an array of media types")
  }
  return push !== undefined && push !== null
    ? a2aError("pushNotSupported")
    : isStrings(modes) && modes.length > 0 && !modes.some(isSupportedMode)
    ? a2aError("contentType", { supported: ["application/json"] })
    : null
}

function isStrings(value: unknown): value is ReadonlyArray<string> {
  return Array.isArray(value) && value.every((item) => typeof item === "string")
}

/** Whether an answer has this media type; its parameters are ignored. */
function isSupportedMode(mode: string): boolean {
  return outputModes.includes(mode.split(";")[0]?.trim().toLowerCase() ?? "")
}

/** The skill that a message names: data parts first, then text parts, in order. */
function callIn(parts: ReadonlyArray<Part>, addViolation: AddViolation): SkillCall | null {
  for (const [at, part] of parts.entries()) {
    if (part.kind !== "data" || part.data["skill"] === undefined) continue
    const { skill: name, params } = part.data
    const field = `message.parts[${at}].data`
    const skill = typeof name === "string" ? skillOf(name) : undefined
    if (skill !== undefined) return { skill, params, field: `${field}.params` }
    addViolation(`${field}.skill`, `must be one of ${skills.map(({ name }) => name).join(", ")}`)
    return null
  }
  for (const [at, part] of parts.entries()) {
    const found = part.kind === "text" ? textCall(part.text) : null
    if (found !== null) return { ...found, field: `message.parts[${at}].text` }
  }
  return null
}

/** The skill in a text: JSON, or a skill name followed by parameters. */
function textCall(text: string): Omit<SkillCall, "field"> | null {
  if (text.length > textLengthMax) return null
  const trimmed = text.trim()
  if (trimmed.startsWith("{")) {
    const { skill: name, params } = objectOf(jsonIn(trimmed))
    const skill = typeof name === "string" ? skillOf(name) : undefined
    return skill === undefined ? null : { skill, params }
  }
  const [, name = "", rest = ""] = /^(\w+)\s*([^]*)$/.exec(trimmed) ?? []
  const skill = skillOf(name)
  if (skill === undefined) return null
  const params = rest.startsWith("{") ? jsonIn(rest) : pairsIn(rest)
  return params === undefined ? null : { skill, params }
}

/** Parses `since=41 count=5`; undefined for any other form. */
function pairsIn(text: string): Json | undefined {
  const pairs = text.split(/[\s,&]+/).filter((pair) => pair !== "")
    .map((pair) => /^(\w+)=([^=]*)$/.exec(pair))
  return pairs.every((pair) => pair !== null)
    ? Object.fromEntries(pairs.map(([, name = "", value = ""]) => [name, value]))
    : undefined
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
