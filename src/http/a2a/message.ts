/**
 * What a client sends to /a2a: a call of JSON-RPC, and in message/send the skill it names and the
 * payment it submits or declines.
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
import type { TaskMessage } from "./domain/task.ts"
import { x402Keys } from "./domain/taskView.ts"
import { type A2aError, type Fault, fault, invalid, type Violation } from "./errors.ts"

/** A call of JSON-RPC. */
interface Call {
  readonly id: MessageId
  readonly method: string
  readonly params: unknown
}

/** The versions of A2A that are spoken, as its header names them. */
const versions = /^0\.3(?:\.\d+)?$/

/** Reads a call: JSON first, then JSON-RPC, then the version of A2A it is meant in. */
export const readCall = (
  request: HttpServerRequest.HttpServerRequest,
): Effect.Effect<Call, RpcError> =>
  Effect.gen(function* () {
    const json = yield* Effect.mapError(readJson(request), asParseError)
    if (!isObject(json)) return yield* refusal("request", null, "Send one object: no batches")
    const { jsonrpc, id: given, method, params } = json
    const id = idOf(given)
    if (given !== undefined && given !== id) {
      return yield* refusal("request", null, "id must be text, an integer or null")
    }
    if (jsonrpc !== "2.0") return yield* refusal("request", id, 'jsonrpc must be "2.0"')
    if (typeof method !== "string") return yield* refusal("request", id, "method must be text")
    const version = request.headers["a2a-version"]?.trim() ?? ""
    if (version !== "" && !versions.test(version)) {
      return yield* Effect.fail({ ...fault("version", { supported: ["0.3"] }), id })
    }
    return { id, method, params }
  })

const refusal = (name: A2aError, id: MessageId, reason: string): Effect.Effect<never, RpcError> =>
  Effect.fail({ ...fault(name, { reason }), id })

/** A body that is not JSON is an error of the protocol, with HTTP's 200. */
function asParseError(error: RpcError): RpcError {
  if (error.status !== 400) return error
  return { ...fault("parse", { reason: error.message }), id: error.id }
}

/** Longest id of a message or a context, in characters. */
const idLengthMax = 128
const idPattern = /^[\x21-\x7e]+$/
const idExpected = `must be 1 to ${idLengthMax} printable characters of ASCII, without spaces`
const partsMax = 20
/** Longest text that is searched for the name of a skill. */
const textLengthMax = 4_096
const historyLengthMax = 1_000_000

/** The skill a message names, with its parameters as they were given. */
export interface SkillCall {
  readonly skill: Skill
  readonly params: unknown
  /** Where the parameters stand. */
  readonly field: string
}

/** The payment of a message: none, one that is submitted, or the refusal to pay. */
type MessagePayment =
  | { readonly kind: "none" }
  | { readonly kind: "submitted"; readonly payload: unknown }
  | { readonly kind: "rejected" }

/** A message that was understood. */
export interface ClientMessage {
  readonly taskId: string | null
  readonly contextId: string | null
  /** Null when no skill is named. */
  readonly call: SkillCall | null
  readonly payment: MessagePayment
  /** The message as the history of its task stores it. */
  readonly stored: TaskMessage
  /** Most messages of the history to return; null for all. */
  readonly historyLength: number | null
}

/** Reads the parameters of message/send. */
export function readMessage(params: unknown): Result.Result<ClientMessage, Fault> {
  const faults: Array<Violation> = []
  const wrong = (field: string, description: string) => faults.push({ field, description })
  const given = objectOf(params)["message"]
  if (!isObject(given)) return failed("message", "must be a message: an object")
  const message = given
  if (message["kind"] !== undefined && message["kind"] !== "message") {
    wrong("message.kind", 'must be "message"')
  }
  if (message["role"] !== "user") wrong("message.role", 'must be "user"')
  const messageId = idIn(message, "messageId")
  if (messageId === null) wrong("message.messageId", idExpected)
  const [taskId, contextId] = (["taskId", "contextId"] as const).map((name) => {
    if (message[name] === undefined || message[name] === null) return null
    const id = idIn(message, name)
    if (id === null) wrong(`message.${name}`, idExpected)
    return id
  })
  const parts = readParts(message["parts"], wrong)
  const payment = readPayment(message["metadata"], wrong)
  const { historyLength, refused } = readConfiguration(objectOf(params)["configuration"], wrong)
  if (faults.length > 0) return Result.fail(invalid(faults))
  if (refused !== null) return Result.fail(refused)
  if (parts.some(({ kind }) => kind === "file")) {
    return Result.fail(fault("contentType", { taken: ["text", "data"] }))
  }
  const call = callIn(parts, wrong)
  if (faults.length > 0) return Result.fail(invalid(faults))
  return Result.succeed({
    ...{ taskId: taskId ?? null, contextId: contextId ?? null, call, payment, historyLength },
    stored: { role: "user", messageId: messageId ?? "", parts: parts.map(storedPart) },
  })
}

/** How many messages of a history to return; null for all. */
export function readHistoryLength(given: unknown): Result.Result<number | null, string> {
  if (given === undefined || given === null) return Result.succeed(null)
  return typeof given === "number" && Number.isInteger(given) && given >= 0
    ? Result.succeed(Math.min(given, historyLengthMax))
    : Result.fail("must be an integer of at least 0")
}

type Wrong = (field: string, description: string) => void

function failed(field: string, description: string): Result.Result<never, Fault> {
  return Result.fail(invalid([{ field, description }]))
}

function idIn(message: Json, name: string): string | null {
  const id = message[name]
  return typeof id === "string" && id.length <= idLengthMax && idPattern.test(id) ? id : null
}

/** A part, its kind read. */
type Part =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "data"; readonly data: Json }
  | { readonly kind: "file" }

function readParts(given: unknown, wrong: Wrong): ReadonlyArray<Part> {
  if (!Array.isArray(given) || given.length === 0 || given.length > partsMax) {
    wrong("message.parts", `must be an array of 1 to ${partsMax} parts`)
    return []
  }
  return given.flatMap((part: unknown, at): ReadonlyArray<Part> => {
    const field = `message.parts[${at}]`
    const { kind, text, data, file } = objectOf(part)
    if (kind === "text" && typeof text === "string") return [{ kind, text }]
    if (kind === "data" && isObject(data)) return [{ kind, data }]
    if (kind === "file" && isObject(file)) return [{ kind }]
    if (kind === "text") wrong(`${field}.text`, "must be text")
    else if (kind === "data") wrong(`${field}.data`, "must be an object")
    else if (kind === "file") wrong(`${field}.file`, "must be an object")
    else wrong(`${field}.kind`, 'must be "text" or "data"')
    return []
  })
}

function storedPart(part: Part): TaskMessage["parts"][number] {
  // Read from JSON, so it is JSON.
  return part as TaskMessage["parts"][number]
}

function readPayment(given: unknown, wrong: Wrong): MessagePayment {
  if (given === undefined || given === null) return { kind: "none" }
  if (!isObject(given)) {
    wrong("message.metadata", "must be an object")
    return { kind: "none" }
  }
  const status = given[x402Keys.status]
  const payload = given[x402Keys.payload]
  if (status === "payment-rejected") return { kind: "rejected" }
  if (status !== undefined && status !== "payment-submitted") {
    wrong(
      `message.metadata["${x402Keys.status}"]`,
      'must be "payment-submitted" or "payment-rejected"',
    )
  } else if (payload !== undefined && payload !== null) return { kind: "submitted", payload }
  else if (status !== undefined) {
    wrong(`message.metadata["${x402Keys.payload}"]`, "must be the payment: an x402 payload")
  }
  return { kind: "none" }
}

/** Whether a message has a payment payload, also where the message is invalid. */
export function hasPayload(params: unknown): boolean {
  const payload = objectOf(objectOf(objectOf(params)["message"])["metadata"])[x402Keys.payload]
  return payload !== undefined && payload !== null
}

/** The media types of an answer. */
const outputModes = ["application/json", "text/plain", "application/*", "text/*", "*/*"]

function readConfiguration(given: unknown, wrong: Wrong): {
  readonly historyLength: number | null
  readonly refused: Fault | null
} {
  const configuration = objectOf(given)
  if (given !== undefined && given !== null && !isObject(given)) {
    wrong("configuration", "must be an object")
  }
  const historyLength = readHistoryLength(configuration["historyLength"])
  if (Result.isFailure(historyLength)) wrong("configuration.historyLength", historyLength.failure)
  const { acceptedOutputModes: modes, pushNotificationConfig: push } = configuration
  if (modes !== undefined && modes !== null && !isStrings(modes)) {
    wrong("configuration.acceptedOutputModes", "must be an array of media types")
  }
  const refused = push !== undefined && push !== null
    ? fault("pushNotSupported")
    : isStrings(modes) && modes.length > 0 && !modes.some(isOffered)
    ? fault("contentType", { supported: ["application/json"] })
    : null
  return { historyLength: Result.isSuccess(historyLength) ? historyLength.success : null, refused }
}

function isStrings(given: unknown): given is ReadonlyArray<string> {
  return Array.isArray(given) && given.every((item) => typeof item === "string")
}

/** Whether a media type is one of ours; its parameters do not matter. */
function isOffered(mode: string): boolean {
  return outputModes.includes(mode.split(";")[0]?.trim().toLowerCase() ?? "")
}

/** The skill that is named: data goes before text, and the first part before the next. */
function callIn(parts: ReadonlyArray<Part>, wrong: Wrong): SkillCall | null {
  for (const [at, part] of parts.entries()) {
    if (part.kind !== "data" || part.data["skill"] === undefined) continue
    const { skill: name, params } = part.data
    const field = `message.parts[${at}].data`
    const skill = typeof name === "string" ? skillOf(name) : undefined
    if (skill !== undefined) return { skill, params, field: `${field}.params` }
    wrong(`${field}.skill`, `must be one of ${skills.map(({ name }) => name).join(", ")}`)
    return null
  }
  for (const [at, part] of parts.entries()) {
    const found = part.kind === "text" ? textCall(part.text) : null
    if (found !== null) return { ...found, field: `message.parts[${at}].text` }
  }
  return null
}

/** The skill that a text names: as JSON, or by its name with parameters after it. */
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

/** `since=41 count=5`: undefined when it is anything else. */
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
