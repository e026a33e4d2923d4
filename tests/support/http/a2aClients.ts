/**
 * Unmodified clients of A2A: the last of 0.3, and the current one with its option for 0.3.
 *
 * @module
 */
import { x402Client } from "@x402/core/client"
import { ExactEvmScheme } from "@x402/evm"
import { ClientFactory as FactoryV03 } from "a2a-v03/client"
import * as sdkV1 from "a2a-v1/client"
import { buyer } from "../payments/buyers.ts"
import { type Json, objectIn, type TaskView, taskViewOf } from "./a2a.ts"

export const clientKinds = ["0.3.14", "1.3.0 with legacyCompat"] as const
export type ClientKind = typeof clientKinds[number]

export type MessagePart = { readonly text: string } | { readonly data: Json }

export interface SendOptions {
  readonly taskId?: string
  readonly metadata?: Record<string, unknown>
}

/** The part of a client that tests use; its errors pass through unchanged. */
export interface A2aClient {
  readonly card: { readonly name: string; readonly skills: ReadonlyArray<{ readonly id: string }> }
  readonly send: (parts: ReadonlyArray<MessagePart>, options?: SendOptions) => Promise<TaskView>
  readonly get: (id: string) => Promise<TaskView>
  readonly cancel: (id: string) => Promise<TaskView>
  readonly push: (taskId: string) => Promise<unknown>
}

export async function connect(kind: ClientKind, base: string): Promise<A2aClient> {
  return kind === "0.3.14" ? await connectV03(base) : await connectV1(base)
}

async function connectV03(base: string): Promise<A2aClient> {
  const client = await new FactoryV03().createFromUrl(base)
  const { name, skills } = await client.getAgentCard()
  return {
    card: { name, skills },
    send: async (parts, { taskId, metadata } = {}) =>
      taskViewOf(
        await client.sendMessage({
          message: {
            ...{ kind: "message", role: "user", messageId: crypto.randomUUID() },
            parts: parts.map((part) =>
              "text" in part
                ? { kind: "text", text: part.text }
                : { kind: "data", data: { ...part.data } }
            ),
            ...(taskId === undefined ? {} : { taskId }),
            ...(metadata === undefined ? {} : { metadata }),
          },
        }),
      ),
    get: async (id) => taskViewOf(await client.getTask({ id })),
    cancel: async (id) => taskViewOf(await client.cancelTask({ id })),
    push: async (taskId) =>
      await client.setTaskPushNotificationConfig({
        taskId,
        pushNotificationConfig: { url: "https://any.host/push" },
      }),
  }
}

const AsyncFunction: FunctionConstructor = Object.getPrototypeOf(async () => {}).constructor

/** Runs the lines of a document for the current SDK: their client, and the answer that they print. */
export async function runLines(
  document: string,
  base: string,
): Promise<{ readonly client: sdkV1.Client; readonly printed: ReadonlyArray<unknown> }> {
  const [, lines = ""] =
    /```js\n(import \{[^}]*\} from "@a2a-js\/sdk\/client"\n[^`]*)```/.exec(document) ?? []
  const body = lines
    .replace(/^import (.+) from .+$/m, "const $1 = sdk")
    .replace(/createFromUrl\(".*"\)/, "createFromUrl(base)")
  const printed: Array<unknown> = []
  const log = (value: unknown) => printed.push(value)
  const run = AsyncFunction("sdk", "base", "console", `${body}\nreturn client`)
  return { client: await run(sdkV1, base, { log }), printed }
}

/** Connects by the lines of /llms-full.txt, which is read from the service. */
async function connectV1(base: string): Promise<A2aClient> {
  const { client } = await runLines(await (await fetch(`${base}/llms-full.txt`)).text(), base)
  const { name, skills } = await client.getAgentCard()
  return {
    card: { name, skills },
    send: async (parts, { taskId = "", metadata } = {}) =>
      translated(
        await client.sendMessage({
          ...{ tenant: "", metadata: undefined, configuration: undefined },
          message: {
            ...{ messageId: crypto.randomUUID(), contextId: "", taskId, role: userRole },
            ...{ metadata, extensions: [], referenceTaskIds: [] },
            parts: parts.map((part) => ({
              ...{ metadata: undefined, filename: "", mediaType: "" },
              content: "text" in part
                ? { $case: "text", value: part.text }
                : { $case: "data", value: part.data },
            })),
          },
        }),
      ),
    get: async (id) => translated(await client.getTask({ tenant: "", id })),
    cancel: async (id) =>
      translated(await client.cancelTask({ tenant: "", id, metadata: undefined })),
    push: async (taskId) =>
      await client.createTaskPushNotificationConfig({
        ...{ tenant: "", id: "", taskId, token: "", authentication: undefined },
        url: "https://any.host/push",
      }),
  }
}

const userRole = 1
/** The state numbers of 1.0 and their names in 0.3. */
const states: Readonly<Record<number, string>> = {
  2: "working",
  3: "completed",
  4: "failed",
  5: "canceled",
  6: "input-required",
}

/** Reads a task in the shape of 1.0. */
function translated(task: unknown): TaskView {
  const { status, artifacts, ...rest } = objectIn(task)
  const { message, state } = objectIn(status)
  const parts = (from: unknown) =>
    (objectIn(from)["parts"] as ReadonlyArray<Json> ?? []).map(({ content }) => {
      const { $case, value } = objectIn(content)
      return { kind: $case, [String($case)]: value }
    })
  return taskViewOf({
    ...rest,
    status: {
      state: states[Number(state)],
      message: { ...objectIn(message), parts: parts(message) },
    },
    artifacts: (artifacts as ReadonlyArray<Json>).map((artifact) => ({
      ...artifact,
      parts: parts(artifact),
    })),
  })
}

/** The payment payload that the reference buyer signs for a task's payment requirements. */
export async function payFor({ metadata }: TaskView, payer = 0): Promise<Record<string, unknown>> {
  const client = new x402Client().register("eip155:*", new ExactEvmScheme(buyer(payer)))
  const required = metadata["x402.payment.required"] as Parameters<
    typeof client.createPaymentPayload
  >[0]
  return { ...await client.createPaymentPayload(required) }
}

/** The message metadata that submits a payment. */
export const submitted = (payload: unknown): Record<string, unknown> => ({
  "x402.payment.status": "payment-submitted",
  "x402.payment.payload": payload,
})
