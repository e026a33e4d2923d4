/**
 * What a model reads before it calls: the tools and the instructions.
 *
 * @module
 */
import type { Tool } from "@modelcontextprotocol/server"
import { serviceTools } from "./serviceTools.ts"

export const budgetToolName = "get_budget"

const budgetTool: Tool = {
  name: budgetToolName,
  title: "Budget",
  description:
    "Returns what this server has paid today (UTC), what is left, the most it pays for a call, and " +
    "every payment whose outcome is unclear, with the call that fetches its answer. Reads the " +
    "server's own record: it does not call the service. Use it before a call that costs more than " +
    "expected, and after an error about a payment. Free.",
  inputSchema: { type: "object", properties: {}, required: [], additionalProperties: false },
  outputSchema: {
    type: "object",
    properties: {
      payer: { type: ["string", "null"] },
      budgetUsd: { type: "string" },
      leftUsd: { type: ["string", "null"] },
      maxPriceUsd: { type: "string" },
      unclear: {
        type: "array",
        items: {
          type: "object",
          properties: {
            paymentId: { type: "string" },
            amountUsd: { type: "string" },
            tool: { type: "string" },
            arguments: { type: "object" },
          },
          required: ["paymentId", "amountUsd", "tool", "arguments"],
        },
      },
    },
    required: ["payer", "budgetUsd", "leftUsd", "maxPriceUsd", "unclear"],
  },
  annotations: {
    title: "Budget",
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
}

/** Every tool, free ones first. */
export const tools: ReadonlyArray<Tool> = [budgetTool, ...serviceTools]

export const instructions =
  "Prediction-market intelligence. Poll the free get_index about every 10 minutes; when `index` has " +
  "increased, call get_signals with `since` set to the last feedIndex you got. This server pays for " +
  "paid tools from the user's budget; the first sentence of each answer says what was paid and what " +
  "is left, and get_budget says it at any time. When an answer is lost, call the same tool again with " +
  "the same arguments: the same payment is sent again, and nothing is paid twice."
