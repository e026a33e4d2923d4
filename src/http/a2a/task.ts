/**
 * A task of A2A is its id: a text that says what the task is about, signed by this service, so that
 * any replica can read it and nothing is stored. What became of it is known from its payment.
 *
 * @module
 */
import { Buffer } from "node:buffer"
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import { Option, Result, Schema } from "effect"
import { type FreeSkill, type PaidSkill, type Skill, skillOf } from "../../catalog/domain/skill.ts"
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
