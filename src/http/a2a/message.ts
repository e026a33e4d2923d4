/**
 * What a client says in message/send: which skill it means, and what it says of a payment.
 *
 * @module
 */
import { Result } from "effect"
import type { TaskMessage } from "./domain/task.ts"
import { type Skill, skillOf, skills } from "../../catalog/domain/skill.ts"
import { type Fault, fault, invalid, type Violation } from "./errors.ts"
import { isObject, type Json, objectOf } from "../server/jsonRpc.ts"

/** Where x402 stands in the metadata of a message. */
export const x402Keys = {
  status: "x402.payment.status",
  required: "x402.payment.required",
  payload: "x402.payment.payload",
  receipts: "x402.payment.receipts",
  error: "x402.payment.error",
} as const

/** Longest id of a message or a context, in characters. */
const idLengthMax = 128
const idPattern = /^[\x21-\x7e]+$/
const idExpected = `must be 1 to ${idLengthMax} printable characters of ASCII, without spaces`
const partsMax = 20
/** Longest text that is looked at for a skill's name. */
const textLengthMax = 4_096
const historyLengthMax = 1_000_000

/** The skill a message names, with its parameters as they were given. */
export interface SkillCall {
  readonly skill: Skill
  readonly params: unknown
  /** Where the parameters stand. */
  readonly field: string
}

type SaidOfPayment =
  | { readonly kind: "nothing" }
  | { readonly kind: "submitted"; readonly payload: unknown }
  | { readonly kind: "rejected" }

/** A message that was understood. */
export interface Said {
  readonly taskId: string | null
  readonly contextId: string | null
  /** Null when none is named. */
  readonly call: SkillCall | null
  readonly payment: SaidOfPayment
  /** As the history keeps it. */
  readonly kept: TaskMessage
  /** Most messages of the history that are wanted; null for all. */
  readonly historyLength: number | null
}

/** Reads the parameters of message/send. */
export function readMessage(params: unknown): Result.Result<Said, Fault> {
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
    kept: { role: "user", messageId: messageId ?? "", parts: parts.map(keptPart) },
  })
}

/** How many messages of a history are wanted; null for all of them. */
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

function keptPart(part: Part): TaskMessage["parts"][number] {
  // Read from JSON, so it is JSON.
  return part as TaskMessage["parts"][number]
}

function readPayment(given: unknown, wrong: Wrong): SaidOfPayment {
  if (given === undefined || given === null) return { kind: "nothing" }
  if (!isObject(given)) {
    wrong("message.metadata", "must be an object")
    return { kind: "nothing" }
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
  return { kind: "nothing" }
}

/** Whether a message holds something in the place of a payment, however wrong it is besides. */
export function showsPayment(params: unknown): boolean {
  const payload = objectOf(objectOf(objectOf(params)["message"])["metadata"])[x402Keys.payload]
  return payload !== undefined && payload !== null
}

/** What an answer may be made of. */
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
    : isStrings(modes) && modes.length > 0 && !modes.some(isTaken)
    ? fault("contentType", { supported: ["application/json"] })
    : null
  return { historyLength: Result.isSuccess(historyLength) ? historyLength.success : null, refused }
}

function isStrings(given: unknown): given is ReadonlyArray<string> {
  return Array.isArray(given) && given.every((item) => typeof item === "string")
}

/** Whether a media type is one of ours, whatever its parameters. */
function isTaken(mode: string): boolean {
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
