/**
 * What a task looks like to its client: A2A's own shape, with x402 in the metadata of its status.
 *
 * @module
 */
import { Duration } from "effect"
import { usd } from "../../core/domain/money.ts"
import type { PaymentFault } from "../../payments/domain/paymentFault.ts"
import type { Receipt } from "../../payments/domain/failedSale.ts"
import { type PaidSkill, type Skill, skillOf, skills } from "../../catalog/domain/skill.ts"
import { type Task, taskLife, type TaskMessage, type TaskNote } from "./domain/task.ts"
import { isoTime } from "../../core/domain/time.ts"
import { paymentRequired } from "../../payments/domain/x402/challenge.ts"
import type { PaymentTerms } from "../../payments/domain/x402/terms.ts"
import type { Delivery } from "../../payments/sale/responses.ts"
import { x402Keys } from "./message.ts"

/** The states of A2A that a task of ours may show. */
type A2aState = "working" | "input-required" | "completed" | "failed" | "canceled"

type JsonObject = TaskNote["metadata"]

/** What is shown of a task, beside its names: how it stands, and what it brought. */
export interface Sight {
  readonly state: A2aState
  readonly text: string
  /** Said beside the text: an error, or the skills there are. */
  readonly data: JsonObject | null
  /** The answer: the very object that HTTP gives. */
  readonly artifact: JsonObject | null
  readonly metadata: JsonObject
}

/** The words of a2a-x402 for what became of a payment. */
type PaymentStatus =
  | "payment-required"
  | "payment-submitted"
  /** Good, and not taken: the answer was given away. */
  | "payment-verified"
  | "payment-completed"
  | "payment-failed"
  | "payment-rejected"

function paymentMetadata(status: PaymentStatus, more: JsonObject = {}): JsonObject {
  return { [x402Keys.status]: status, ...more }
}

/** Why a payment failed, in the words of a2a-x402, which has fewer of them. */
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

/** A payment that bought nothing: the code, and the receipt of what was not settled. */
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

/** A payment that was taken. */
export function paymentCompleted(receipt: typeof Receipt.Type | null): JsonObject {
  return paymentMetadata(
    "payment-completed",
    receipt === null ? {} : { [x402Keys.receipts]: [{ success: true, ...receipt }] },
  )
}

const utf8 = new TextDecoder()

/** A task whose answer is on its way. */
export function delivered(task: Task, { body, receipt }: Delivery): Sight {
  return {
    state: "completed",
    text: receipt === null ? givenAway(nameOf(task)) : completedText(nameOf(task)),
    data: null,
    artifact: JSON.parse(utf8.decode(body)),
    metadata: receipt === null ? paymentMetadata("payment-verified") : paymentCompleted(receipt),
  }
}

export const completedText = (skill: string) => `${skill} completed.`
const givenAway = (skill: string) =>
  `${skill} completed. The answer was not worth its price: nothing was charged.`

/** A task whose payment may be taken now, or was, or was let go: only asking again tells. */
export const underway: Sight = {
  state: "working",
  text: "The payment is being worked on, or was let go untaken: send the same message again, or " +
    "call tasks/get. It is never taken twice.",
  data: null,
  artifact: null,
  metadata: paymentMetadata("payment-submitted"),
}

/** What a task's row tells alone; a payment that goes with it may tell more. */
export function sightOf(task: Task, terms: PaymentTerms): Sight {
  const { state, note } = task
  const said = { data: note?.data ?? null, artifact: null, metadata: note?.metadata ?? {} }
  switch (state) {
    case "asked":
      return {
        state: "input-required",
        text: whichSkill,
        data: skillList,
        artifact: null,
        metadata: {},
      }
    case "offered":
      return offer(task, terms)
    case "paying":
      return underway
    case "completed":
      return {
        ...said,
        ...{ state: "completed", data: null, artifact: note?.data ?? null },
        text: note?.text ?? completedText(nameOf(task)),
      }
    case "failed":
      return { ...said, state: "failed", text: note?.text ?? "The task failed." }
    case "canceled":
      return { ...said, state: "canceled", text: "Canceled by its client. Nothing was charged." }
    case "declined":
      return {
        ...{ state: "canceled", data: null, artifact: null },
        text: "The payment was declined by the client. Nothing was charged.",
        metadata: paymentMetadata("payment-rejected"),
      }
  }
}

/** A paid skill, waiting for its payment; after a failure that may pass, with the error. */
function offer(task: Task, terms: PaymentTerms): Sight {
  const skill = skillOf(nameOf(task))
  const { note } = task
  if (skill?.kind !== "paid") return { ...underway, state: "failed", text: "This is not sold." }
  return {
    state: "input-required",
    text: note?.text ?? offerText(skill, task, terms),
    data: note?.data ?? null,
    artifact: null,
    metadata: paymentMetadata("payment-required", {
      // Made of text, numbers and lists alone, though its type leaves the extensions open.
      [x402Keys.required]: paymentRequired(skill.product, terms) as unknown as JsonObject,
    }),
  }
}

function offerText({ name, path, product }: PaidSkill, { subject }: Task, terms: PaymentTerms) {
  const query = subject === null || subject.parameters === "" ? "" : `?${subject.parameters}`
  return `${name} costs $${usd(product.price)} in USDC. Reply on this task with the payment in ` +
    `${x402Keys.payload}, or call GET ${terms.publicBaseUrl}${path}${query} over x402. ` +
    `The task can be paid for until ${Duration.toMinutes(taskLife)} minutes after it was opened.`
}

const nameOf = ({ subject }: Task) => subject?.skill ?? ""

const costOf = (skill: Skill) => skill.kind === "free" ? "free" : `$${usd(skill.product.price)}`

const whichSkill =
  'Name a skill, in data ({"skill": "get_signals", "params": {"since": 41}}) or in text ' +
  `(get_signals since=41). There are: ${
    skills.map((skill) => `${skill.name} (${costOf(skill)})`).join(", ")
  }.`

const skillList: JsonObject = {
  skills: skills.map((skill) => ({
    ...{ name: skill.name, title: skill.title, price: costOf(skill) },
    parameters: skill.parameters.map(({ name }) => name),
  })),
}

/** A task as it goes on the wire; at most `historyLength` messages of its history, all when null. */
export function wireTask(task: Task, sight: Sight, historyLength: number | null) {
  const { id, contextId, history } = task
  const named = { taskId: id, contextId }
  const { state, text, data, artifact, metadata } = sight
  return {
    ...{ kind: "task", id, contextId },
    status: {
      state,
      timestamp: isoTime(task.movedAt),
      message: {
        ...{ kind: "message", role: "agent", messageId: `${id}-${state}`, ...named },
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
