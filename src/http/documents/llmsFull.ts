/**
 * /llms-full.txt: everything an agent needs to use the service, in one Markdown text that needs no
 * other. Calls, bounds and prices come from the tables, examples from the sample, errors from theirs.
 *
 * @module
 */
import { Duration, Record } from "effect"
import { exampleOf } from "../../catalog/domain/parameter.ts"
import { freeRows } from "../../catalog/domain/freeRow.ts"
import { usd } from "../../core/domain/money.ts"
import { paymentIdFormula } from "../../payments/domain/payment.ts"
import { products } from "../../catalog/domain/product.ts"
import { operationId, type Skill, skillName, skills } from "../../catalog/domain/skill.ts"
import { paidTaskLife, taskLife } from "../a2a/domain/task.ts"
import type { PaymentTerms } from "../../payments/domain/x402/terms.ts"
import { x402Keys } from "../a2a/message.ts"
import { rules } from "../server/errors.ts"
import { examplesFor } from "../openapi/examples.ts"
import { type Budget, policyField } from "../server/limits.ts"
import { paymentKey } from "../mcp/message.ts"
import { receiptKey } from "../mcp/tools.ts"
import { paymentsPrefix } from "../paywall/paymentStatus.ts"
import { paymentLengthMax, targetLengthMax } from "../server/refusals.ts"
import { bodyBytesMax } from "../server/server.ts"
import { description, links, paths } from "./addresses.ts"
import { exampleCall, parameterLine } from "./calls.ts"
import { errorMeanings } from "./errorMeanings.ts"
import { modeNotes } from "./llms.ts"
import { payingSection } from "./paying.ts"

export interface LlmsFullOptions {
  readonly terms: PaymentTerms
  readonly version: string
  readonly paymentMode: "live" | "simulated"
  readonly limits: {
    readonly free: Budget
    readonly documents: Budget
    readonly invalidPayments: Budget
  }
}

/** The whole text. */
export function llmsFullText(options: LlmsFullOptions): string {
  const { terms, version, paymentMode } = options
  return [
    `# ${terms.serviceName} ${version}`,
    `> ${description}.`,
    `Base address: ${terms.publicBaseUrl}. ${modeNotes[paymentMode]} No account and no API key. ` +
    "Everything served is informational; it is not financial advice.",
    about,
    "## What is free and what it costs",
    priceTable(),
    payingSection(terms),
    "## Calls",
    callsNote,
    ...skills.map((skill) => callSection(skill, options)),
    "## Errors, and who is charged",
    errorsNote(),
    errorTable(),
    "## Limits",
    limitsSection(options),
    "## A2A and MCP",
    agentsSection(terms.publicBaseUrl),
    "## Other documents",
    links.map(({ rel, path, type }) => `- ${terms.publicBaseUrl}${path} (${rel}, ${type})`)
      .join("\n"),
    "",
  ].join("\n\n").replace(/\n+$/, "\n")
}

const about = [
  "## What it is",
  "The service watches a prediction-market venue and sells what it finds, one call at a time. " +
  "Its feed unifies three types of items, in one index that only grows:",
  [
    "- `mover`: a market whose price really moved. It has enough volume and depth, its move is large " +
    "against its own history, and trades or persistence confirm it. It carries the order book's " +
    "microstructure.",
    "- `whale_entry`: a position that a tracked wallet entered, with what that wallet's earlier " +
    "entries came to when held to resolution, as it was known before the entry.",
    "- `predetermined`: a market whose outcome already exists in definitive form while its price says " +
    "otherwise, with the evidence.",
  ].join("\n"),
  "The pattern of use: poll the index, which is free, about every 10 minutes; when it has moved, buy " +
  "the items after the last index you saw. Nothing is pushed and nothing is streamed. Prices and " +
  "rates are numbers from 0 to 1, sums in USD are numbers, times are ISO 8601 in UTC.",
].join("\n\n")

function priceTable(): string {
  const free = Object.values(freeRows).map(({ path, title }) =>
    `| \`${path}\` | free | | ${title} |`
  )
  const paid = Object.values(products).map(({ path, price, settlementOrder, title }) =>
    `| \`${path}\` | $${usd(price)} (${price} units) | ${settlementOrder} | ${title} |`
  )
  return ["| GET | price | settlement | what |", "|---|---|---|---|", ...free, ...paid].join("\n")
}

const callsNote = "Every call is a GET, and answers JSON with `success`. The name is that of the " +
  "skill over A2A and of the tool over MCP. The examples are made up: their shapes are real, the " +
  "markets are not. Answers may gain fields."

function callSection(skill: Skill, { terms }: LlmsFullOptions): string {
  const price = skill.kind === "free" ? "free" : `$${usd(skill.product.price)} a call`
  const example: unknown = examplesFor(terms)[skill.id]
  const call = exampleCall(skill)
  return [
    `### ${skill.name}`,
    `\`GET ${skill.path}\`, ${price} (operation \`${operationId(skill)}\`). ${skill.title}.`,
    skill.description,
    skill.parameters.length === 0
      ? "No parameters."
      : skill.parameters.map((parameter) =>
        `- \`${parameterLine(parameter)}\`: ${parameter.description}`
      ).join("\n"),
    `\`GET ${terms.publicBaseUrl}${call}\` answers`,
    skill.id === "sample" ? sampleNote : fenced("json", jsonText(example)),
  ].join("\n\n")
}

const sampleNote = "`success`, `_notice` (`type` and `message`, which say that all is made up), " +
  "`feedItems` (one item of each type), `whales`, `digest`, `resolving` and `research`, each as in " +
  "the examples here."

/** Beyond this many characters an example is one line: a model reads it as well, and pays for less. */
const spreadMax = 800

function jsonText(value: unknown): string {
  const line = JSON.stringify(value)
  return line.length > spreadMax ? line : JSON.stringify(value, null, 1)
}

function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``
}

const errorsNote = () =>
  'An error is JSON: `{"success":false,"error":{"code","message","status","retryable",' +
  '"charged","requestId"}}`, with `hint` where there is something to do, `details` (`param`, ' +
  "`in`, `message`) on a 400, `retryAfterSeconds` equal to Retry-After, `receipt` of a payment that " +
  "was used, and `refund` (`id`, `state`, `amountUsd`, `to`) of one that is given back. `charged` is " +
  "what counts: false, nothing was taken for this call; true, it was taken, and `refund` says how it " +
  "comes back; null, it is not known yet: send the same payment again after Retry-After, it is never " +
  "taken twice. Calls with the settlement `compute-first` are settled only when the answer is ready, " +
  "so their errors are never charged. Calls with `settle-early` check first all that can be known " +
  "beforehand, uncharged; what fails after settlement is refunded in full."

function errorTable(): string {
  const rows = Record.toEntries(rules).map(([code, { status, retryable }]) =>
    `| \`${code}\` | ${status} | ${retryable ? "yes" : "no"} | ${errorMeanings[code]} |`
  )
  return ["| code | status | worth a retry | what it means |", "|---|---|---|---|", ...rows]
    .join("\n")
}

function limitsSection({ limits }: LlmsFullOptions): string {
  const said = (name: string, budget: Budget) =>
    budget === "off" ? "no limit" : `\`${policyField({ name, ...budget })}\``
  return [
    `- Free paths: ${said("free", limits.free)}, one budget for each client address over all of ` +
    "them, whether they are asked for over HTTP, A2A or MCP.",
    `- Documents, unpaid calls of paid paths, lookups of payments, other messages of A2A and MCP: ` +
    `${said("documents", limits.documents)}.`,
    "- Calls that show a valid payment: none. Payments that turn out to be invalid: " +
    `${said("invalid_payments", limits.invalidPayments)}.`,
    "- Over a budget: 429 with Retry-After, RateLimit and RateLimit-Policy (`q` requests in `w` " +
    "seconds). IPv6 addresses count by network.",
    "- Free answers and documents carry an ETag; with If-None-Match an unchanged one is a 304.",
    `- Path and query: ${targetLengthMax} characters. A payment header: ${paymentLengthMax}. A body ` +
    `posted to ${paths.a2a} or ${paths.mcp}: ${bodyBytesMax} bytes.`,
    `- A task of A2A lives for ${Duration.format(taskLife)}, and from its payment on for ` +
    `${Duration.format(paidTaskLife)}: then it is not found any more.`,
    "- Unknown parameters are ignored over HTTP; repeated and empty ones are a 400.",
    "- `get_research` may take a minute: wait 90 seconds before you give up.",
  ].join("\n")
}

function agentsSection(publicBaseUrl: string): string {
  const params = exampleOf(products.signals.parameters)
  const skill = skillName(products.signals)
  const meta = (key: string) => `\`metadata["${key}"]\``
  return [
    `**A2A 0.3.0**: JSON-RPC, POST ${publicBaseUrl}${paths.a2a}; the card is ` +
    `${publicBaseUrl}${paths.agentCard}. Send \`message/send\` with a data part such as ` +
    `\`${
      JSON.stringify({ skill, params })
    }\`. A free skill gives a completed task with the answer ` +
    "as an artifact. A paid one gives a task in the state `input-required`, whose status message " +
    `has the x402 terms in ${meta(x402Keys.required)}; answer on the same task, with ` +
    `${meta(x402Keys.status)} = \`payment-submitted\` and the payment in ` +
    `${meta(x402Keys.payload)}. The receipt is in ${meta(x402Keys.receipts)}. No streaming, no ` +
    "push notifications.",
    `**MCP**: streamable HTTP, POST ${publicBaseUrl}${paths.mcp}, one tool a skill, no session ` +
    `needed. Call \`${skill}\` with \`${
      JSON.stringify(params)
    }\`. Without a payment the result is ` +
    "an error whose structured content has the x402 terms; call again with the payment in " +
    `\`_meta["${paymentKey}"]\`. The receipt is in \`_meta["${receiptKey}"]\`.`,
    "If the answer is lost on the way, send the same message with the same payment again. Over A2A the " +
    "task id is the secret that fetches the answer: tell it to nobody. Over MCP it is the header " +
    "Idempotency-Key, or the `payment-identifier` extension of the payment; without one of them a " +
    "payment that was used gives no answer twice.",
    "Prices, parameters, refunds and limits are the same by every way, and one payment buys one " +
    `answer, whichever way it goes. What became of a payment: GET ${publicBaseUrl}` +
    `${paymentsPrefix}{paymentId}, free, where paymentId is ${paymentIdFormula}.`,
  ].join("\n\n")
}
