/**
 * A task in the shape of A2A, with x402 in the metadata of its status.
 *
 * @module
 */
import { Duration } from "effect"
import { resend, resendRule } from "../../../catalog/domain/refusal.ts"
import { type PaidSkill, type Skill, skillOf, skills } from "../../../catalog/domain/skill.ts"
import { usd } from "../../../core/domain/money.ts"
import { isoTime } from "../../../core/domain/time.ts"
import type { Receipt } from "../../../payments/domain/failedSale.ts"
import type { PaymentFault } from "../../../payments/domain/paymentFault.ts"
import { paymentRequired } from "../../../payments/domain/x402/challenge.ts"
import type { Product } from "../../../catalog/domain/product.ts"
import type { SignedExtension } from "../../../payments/domain/x402/offerReceipt.ts"
import type { PaymentTerms } from "../../../payments/domain/x402/terms.ts"
import { type Task, taskLife, type TaskMessage, type TaskNote } from "./task.ts"

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

type JsonObject = TaskNote["metadata"]

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
export function viewOfAnswer(task: Task, { body, receipt }: {
  readonly body: Uint8Array
  readonly receipt: typeof Receipt.Type | null
}): TaskView {
  return {
    state: "completed",
    text: receipt === null ? notChargedText(nameOf(task)) : completedText(nameOf(task)),
    data: null,
    artifact: JSON.parse(utf8.decode(body)),
    metadata: receipt === null ? paymentMetadata("payment-verified") : paymentCompleted(receipt),
  }
}

export const completedText = (skill: string) => `${skill} completed.`
const notChargedText = (skill: string) =>
  `${skill} completed. The answer was not worth its price, so nothing was charged.`

/** A task whose payment may be taken now, was taken, or was released; the client must poll. */
export const paymentUnderway: TaskView = {
  state: "working",
  text:
    "The payment is in progress, or was released without a charge. Call tasks/get, or on this task " +
    `${resend}.`,
  data: null,
  artifact: null,
  metadata: paymentMetadata("payment-submitted"),
}

/** The terms, and the signed offer of a product. */
interface Selling {
  readonly terms: PaymentTerms
  readonly offers: (product: Product) => SignedExtension
}

/** A task from its row only; its payment may be ahead of the row. */
export function viewOf(task: Task, selling: Selling): TaskView {
  const { state, note } = task
  const noted = { data: note?.data ?? null, artifact: null, metadata: note?.metadata ?? {} }
  switch (state) {
    case "asked":
      return {
        state: "input-required",
        text: whichSkillText,
        data: skillList,
        artifact: null,
        metadata: {},
      }
    case "offered":
      return offer(task, selling)
    case "paying":
      return paymentUnderway
    case "completed":
      return {
        ...noted,
        state: "completed",
        data: null,
        artifact: note?.data ?? null,
        text: note?.text ?? completedText(nameOf(task)),
      }
    case "failed":
      return { ...noted, state: "failed", text: note?.text ?? "The task failed." }
    case "canceled":
      return { ...noted, state: "canceled", text: "Canceled by the client. Nothing was charged." }
    case "declined":
      return {
        state: "canceled",
        data: null,
        artifact: null,
        text: "The payment was declined by the client. Nothing was charged.",
        metadata: paymentMetadata("payment-rejected"),
      }
  }
}

/** A paid skill that waits for its payment, with the error after a temporary failure. */
function offer(task: Task, { terms, offers }: Selling): TaskView {
  const skill = skillOf(nameOf(task))
  const { note } = task
  if (skill?.kind !== "paid") {
    return { ...paymentUnderway, state: "failed", text: "This skill is not for sale." }
  }
  return {
    state: "input-required",
    text: note?.text ?? offerText(skill, task, terms),
    data: note?.data ?? null,
    artifact: null,
    metadata: paymentMetadata("payment-required", {
      // It contains only text, numbers and lists, although the type of its extensions is open.
      [x402Keys.required]: paymentRequired(skill.product, terms, {
        offer: offers(skill.product),
      }) as unknown as JsonObject,
    }),
  }
}

function offerText(
  { name, title, path, product }: PaidSkill,
  { subject }: Task,
  terms: PaymentTerms,
) {
  const query = subject === null || subject.parameters === "" ? "" : `?${subject.parameters}`
  return `${name} costs $${
    usd(product.price)
  } in USDC on eip155:${terms.chainId}: ${title}. To buy ` +
    `it, sign the terms in ${x402Keys.required} once, and reply on this task with the payment in ` +
    `${x402Keys.payload}, or call GET ${terms.publicBaseUrl}${path}${query} over x402. The task can ` +
    `be paid for ${Duration.toMinutes(taskLife)} minutes after it was opened. ${resendRule}`
}

const nameOf = ({ subject }: Task) => subject?.skill ?? ""

const costOf = (skill: Skill) => skill.kind === "free" ? "free" : `$${usd(skill.product.price)}`

const whichSkillText =
  'Name a skill, as data ({"skill": "get_signals", "params": {"since": 41}}) or as text ' +
  `(get_signals since=41). The skills are: ${
    skills.map((skill) => `${skill.name} (${costOf(skill)})`).join(", ")
  }.`

const skillList: JsonObject = {
  skills: skills.map((skill) => ({
    name: skill.name,
    title: skill.title,
    price: costOf(skill),
    parameters: skill.parameters.map(({ name }) => name),
  })),
}

/** A task as A2A JSON, with at most `historyLength` messages of its history; null for all. */
export function wireTask(task: Task, view: TaskView, historyLength: number | null) {
  const { id, contextId, history } = task
  const named = { taskId: id, contextId }
  const { state, text, data, artifact, metadata } = view
  return {
    kind: "task",
    id,
    contextId,
    status: {
      state,
      timestamp: isoTime(task.movedAt),
      message: {
        kind: "message",
        role: "agent",
        messageId: `${id}-${state}`,
        ...named,
        parts: [
          { kind: "text", text },
          ...(data === null ? [] : [{ kind: "data", data }]),
        ],
        ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
      },
    },
    artifacts: artifact === null ? [] : [{
      artifactId: `${id}-answer`,
      name: nameOf(task),
      parts: [{ kind: "data", data: artifact }],
    }],
    history: lastOf(history, historyLength).map((message) => ({
      kind: "message",
      ...message,
      ...named,
    })),
  }
}

function lastOf(history: ReadonlyArray<TaskMessage>, length: number | null) {
  return length === null ? history : length === 0 ? [] : history.slice(-length)
}
