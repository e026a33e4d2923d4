/**
 * A task of A2A is its id: a text that says what the task is about, signed by this service, so that
 * any replica can read it and nothing is stored. What became of it is known from its payment: its view,
 * in the shape of A2A with x402 in the metadata of its status.
 *
 * @module
 */
import { Buffer } from "node:buffer"
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import { Option, Result, Schema } from "effect"
import type { Product } from "../../catalog/domain/product.ts"
import { resend, resendRule } from "../../catalog/domain/refusal.ts"
import {
  type FreeSkill,
  type PaidSkill,
  type Skill,
  skillOf,
  skills,
} from "../../catalog/domain/skill.ts"
import { usd } from "../../core/domain/money.ts"
import { type EpochMs, isoTime } from "../../core/domain/time.ts"
import type { PaymentFault, Receipt } from "../../payments/domain/failedSale.ts"
import { paymentRequired } from "../../payments/domain/x402/challenge.ts"
import type { SignedExtension } from "../../payments/domain/x402/offerReceipt.ts"
import type { PaymentTerms } from "../../payments/domain/x402/terms.ts"
import type { SigningKey } from "../../signing/SigningKey.ts"

/** The skill of a task with its parameters. */
export interface TaskSubject {
  readonly skill: Skill
  /** Its parameters, as a query. */
  readonly parameters: string
}

export interface Task {
  readonly id: string
  /**
   * The start of its id: the Idempotency-Key of its payment. Who has it may get the paid answer
   * again.
   */
  readonly secret: string
  /** The id of its conversation, chosen by the client or by the service. */
  readonly contextId: string
  /** Null when no skill was named. */
  readonly subject: TaskSubject | null
}

/** A task for a free skill, and one for a paid skill. */
export interface FreeTask extends Task {
  readonly subject: TaskSubject & { readonly skill: FreeSkill }
}
export interface PaidTask extends Task {
  readonly subject: TaskSubject & { readonly skill: PaidSkill }
}

export function isFree(task: Task): task is FreeTask {
  return task.subject?.skill.kind === "free"
}
export function isPaid(task: Task): task is PaidTask {
  return task.subject?.skill.kind === "paid"
}

/** Opens and reads tasks. */
export interface Tasks {
  readonly open: (
    contextId: string | null,
    subject: TaskSubject | null,
  ) => Task
  /** None for an id that this service did not sign, or whose skill it does not have any more. */
  readonly find: (id: string) => Option.Option<Task>
}

/** The signed part of an id: a random text, the context, and the skill with its parameters. */
const Content = Schema.fromJsonString(
  Schema.Tuple([Schema.String, Schema.String, Schema.NullOr(Schema.String), Schema.String]),
)
const encode = Schema.encodeSync(Content)
const decode = Schema.decodeUnknownResult(Content)

const nonceBytes = 12
const idPattern = /^([\w-]{43})\.([\w-]+)$/

/**
 * Tasks under a key that only this service can derive: its own signature of a fixed text, which it
 * signs for nothing else.
 */
export function makeTasks({ sign }: Pick<SigningKey["Service"], "sign">): Tasks {
  const key = sign({ type: "bellwether-a2a-tasks/v1" })
  const secretOf = (content: string) =>
    createHmac("sha256", key).update(content).digest("base64url")

  return {
    open: (contextId, subject) => {
      const context = contextId ?? crypto.randomUUID()
      const content = Buffer.from(encode([
        randomBytes(nonceBytes).toString("base64url"),
        context,
        subject?.skill.name ?? null,
        subject?.parameters ?? "",
      ])).toString("base64url")
      const secret = secretOf(content)
      return { id: `${secret}.${content}`, secret, contextId: context, subject }
    },
    find: (id) => {
      const [, secret = "", content = ""] = idPattern.exec(id) ?? []
      const isOurs = secret !== "" &&
        timingSafeEqual(Buffer.from(secret), Buffer.from(secretOf(content)))
      const read = isOurs ? decode(Buffer.from(content, "base64url").toString()) : null
      if (read === null || Result.isFailure(read)) return Option.none()
      const [, contextId, name, parameters] = read.success
      if (name === null) return Option.some({ id, secret, contextId, subject: null })
      return Option.map(
        Option.fromUndefinedOr(skillOf(name)),
        (skill) => ({ id, secret, contextId, subject: { skill, parameters } }),
      )
    },
  }
}

/** The x402 extension of A2A under both of its names: v0.2, and v0.1, which libraries use. */
export const x402Extensions = [
  "https://github.com/google-agentic-commerce/a2a-x402/blob/main/spec/v0.2",
  "https://github.com/google-a2a/a2a-x402/v0.1",
] as const

/** The x402 keys in the metadata of a message. */
export const x402Keys = {
  status: "x402.payment.status",
  required: "x402.payment.required",
  payload: "x402.payment.payload",
  receipts: "x402.payment.receipts",
  error: "x402.payment.error",
} as const

/** The A2A states that a task of this service can have. */
type A2aState = "working" | "input-required" | "completed" | "failed" | "canceled"

export type JsonObject = typeof Schema.JsonObject.Type

/** The state of a task for its client, with its answer or error. */
export interface TaskView {
  readonly state: A2aState
  readonly text: string
  /** Sent with the text: an error, or the list of skills. */
  readonly data: JsonObject | null
  /** The answer: the same object that HTTP returns. */
  readonly artifact: JsonObject | null
  readonly metadata: JsonObject
}

/** A task in this state, with nothing but a text where `more` says nothing. */
export const viewOf = (
  state: A2aState,
  text: string,
  more: Partial<Pick<TaskView, "data" | "artifact" | "metadata">> = {},
): TaskView => ({ state, text, data: null, artifact: null, metadata: {}, ...more })

/** The payment statuses of a2a-x402. */
type PaymentStatus =
  | "payment-required"
  | "payment-submitted"
  /** Valid but not taken, because the answer was not charged. */
  | "payment-verified"
  | "payment-completed"
  | "payment-failed"
  | "payment-rejected"

function paymentMetadata(status: PaymentStatus, more: JsonObject = {}): JsonObject {
  return { [x402Keys.status]: status, ...more }
}

/** The a2a-x402 error code of each fault; several faults share one code. */
const errorCodes: Readonly<Record<PaymentFault, string>> = {
  malformed: "SETTLEMENT_FAILED",
  invalid_network: "NETWORK_MISMATCH",
  invalid_amount: "INVALID_AMOUNT",
  invalid_terms: "SETTLEMENT_FAILED",
  invalid_signature: "INVALID_SIGNATURE",
  expired: "EXPIRED_PAYMENT",
  nonce_used: "DUPLICATE_NONCE",
  insufficient_funds: "INSUFFICIENT_FUNDS",
  refused: "SETTLEMENT_FAILED",
  not_settled: "SETTLEMENT_FAILED",
}

/**
 * The metadata of a payment that bought nothing: the error code and a receipt with `success:
 * false`.
 */
export function paymentFailed(
  fault: PaymentFault,
  errorReason: string,
  { chainId }: PaymentTerms,
): JsonObject {
  return paymentMetadata("payment-failed", {
    [x402Keys.error]: errorCodes[fault],
    [x402Keys.receipts]: [
      { success: false, errorReason, transaction: "", network: `eip155:${chainId}` },
    ],
  })
}

/** The metadata of a payment that was taken. */
export function paymentCompleted(receipt: typeof Receipt.Type | null): JsonObject {
  return paymentMetadata(
    "payment-completed",
    receipt === null
      ? {}
      : { [x402Keys.receipts]: [{ success: true, ...receipt } as unknown as JsonObject] },
  )
}

const utf8 = new TextDecoder()

/** A task with its paid answer; without a receipt the answer was not charged. */
export function viewOfAnswer({ name }: Skill, { body, receipt }: {
  readonly body: Uint8Array
  readonly receipt: typeof Receipt.Type | null
}): TaskView {
  const uncharged = receipt === null
    ? " The answer was not worth its price, so nothing was charged."
    : ""
  return viewOf("completed", `${name} completed.${uncharged}`, {
    artifact: JSON.parse(utf8.decode(body)),
    metadata: receipt === null ? paymentMetadata("payment-verified") : paymentCompleted(receipt),
  })
}

/** A free skill with its answer or its error. */
export function viewOfFree({ name }: Skill, data: JsonObject): TaskView {
  return data["success"] === true
    ? viewOf("completed", `${name} completed.`, { artifact: data })
    : viewOf("failed", `${name} failed.`, { data })
}

/** A task whose payment may be taken now, was taken, or was released; the client must poll. */
export const paymentUnderway = viewOf(
  "working",
  "The payment is in progress, or was released without a charge. Call tasks/get, or on this task " +
    `${resend}.`,
  { metadata: paymentMetadata("payment-submitted") },
)

/** The terms, and the signed offer of a product. */
interface Selling {
  readonly terms: PaymentTerms
  readonly offers: (product: Product) => SignedExtension
}

/** A paid skill that waits for its payment. */
export function viewOfOffer(
  { skill, parameters }: PaidTask["subject"],
  { terms, offers }: Selling,
): TaskView {
  const { name, title, path, product } = skill
  const query = parameters === "" ? "" : `?${parameters}`
  const text =
    `${name} costs $${usd(product.price)} in USDC on eip155:${terms.chainId}: ${title}. ` +
    `To buy it, sign the terms in ${x402Keys.required} once, and reply on this task with the ` +
    `payment in ${x402Keys.payload}, or call GET ${terms.publicBaseUrl}${path}${query} over x402. ` +
    resendRule
  // It contains only text, numbers and lists, although the type of its extensions is open.
  const required = paymentRequired(product, terms, { offer: offers(product) }) as unknown
  const metadata = paymentMetadata("payment-required", {
    [x402Keys.required]: required as JsonObject,
  })
  return viewOf("input-required", text, { metadata })
}

const costOf = (skill: Skill) => skill.kind === "free" ? "free" : `$${usd(skill.product.price)}`

/** A task without a skill. */
export const whichSkill = viewOf(
  "input-required",
  'Name a skill, as data ({"skill": "get_signals", "params": {"since": 41}}) or as text ' +
    `(get_signals since=41). The skills are: ${
      skills.map((skill) => `${skill.name} (${costOf(skill)})`).join(", ")
    }.`,
  {
    data: {
      skills: skills.map((skill) => ({
        name: skill.name,
        title: skill.title,
        price: costOf(skill),
        parameters: skill.parameters.map(({ name }) => name),
      })),
    },
  },
)

/** Ends of a task before a payment. The service keeps no record of them. */
export const canceled = viewOf("canceled", "Canceled by the client. Nothing was charged.")
export const declined = viewOf(
  "canceled",
  "The payment was declined by the client. Nothing was charged.",
  { metadata: paymentMetadata("payment-rejected") },
)

/** A task as A2A JSON. No messages are kept, so its history is empty. */
export function wireTask(
  { id, contextId, subject }: Task,
  { state, text, data, artifact, metadata }: TaskView,
  nowMs: EpochMs,
) {
  return {
    kind: "task",
    id,
    contextId,
    status: {
      state,
      timestamp: isoTime(nowMs),
      message: {
        kind: "message",
        role: "agent",
        messageId: `${id}-${state}`,
        taskId: id,
        contextId,
        parts: [
          { kind: "text", text },
          ...(data === null ? [] : [{ kind: "data", data }]),
        ],
        ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
      },
    },
    artifacts: artifact === null ? [] : [{
      artifactId: `${id}-answer`,
      name: subject?.skill.name ?? "",
      parts: [{ kind: "data", data: artifact }],
    }],
    history: [],
  }
}
