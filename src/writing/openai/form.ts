/**
 * The forms of a request, and the reading of JSON out of an answer.
 *
 * @module
 */

interface Form {
  /** Structured outputs, JSON mode, or null: words in the prompt only. */
  readonly format: "json_schema" | "json_object" | null
  /** The parameter that limits the answer; null for none, then our time and byte limits hold. */
  readonly tokens: "max_completion_tokens" | "max_tokens" | null
}

/** From the strictest form to one that every compatible server takes. */
export const forms: readonly [Form, ...ReadonlyArray<Form>] = [
  { format: "json_schema", tokens: "max_completion_tokens" },
  { format: "json_object", tokens: "max_tokens" },
  { format: null, tokens: null },
]

/**
 * Part of every request: some servers ignore the format, and JSON mode requires the word JSON in the
 * prompt.
 */
export function shapeInWords(jsonSchema: Record<string, unknown>): string {
  return `Answer with one JSON object that this JSON schema accepts, and with nothing before or after it: ${
    JSON.stringify(jsonSchema)
  }`
}

/** Places at which the object may begin. */
const beginningsMax = 20

/**
 * The JSON of an answer, which may stand after the model's reasoning, inside a code block, between
 * sentences or in a JSON string. Undefined without one: no shape accepts undefined.
 */
export function jsonIn(text: string): unknown {
  const whole = parsed(text)
  if (whole !== undefined) return typeof whole === "string" ? parsed(whole) : whole
  const answer = text.slice(text.lastIndexOf("</think>") + 1)
  let begin = answer.indexOf("{")
  for (let n = 0; n < beginningsMax && begin !== -1; n++) {
    const value = parsed(answer.slice(begin, endOfObject(answer, begin)))
    if (value !== undefined) return value
    begin = answer.indexOf("{", begin + 1)
  }
  return undefined
}

/** Behind the brace that closes the one at `begin`; braces in strings do not count. */
function endOfObject(text: string, begin: number): number {
  let depth = 0
  for (const { 0: token, index } of text.slice(begin).matchAll(/"(?:[^"\\]|\\.)*"|[{}]/gs)) {
    if (token === "{") depth++
    if (token === "}" && --depth === 0) return begin + index + 1
  }
  return text.length
}

/** The text of a message's content: some servers send a list of parts. */
export function textOf(content: unknown): string {
  if (!Array.isArray(content)) return typeof content === "string" ? content : ""
  return content.map((part) => typeof part?.text === "string" ? part.text : "").join("")
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
