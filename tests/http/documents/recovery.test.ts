/**
 * Every published text says the same about recovery, so that a reader who does exactly what it says
 * never pays twice: documents, tools, the agent card, payment terms, and the body of every error.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Arbitrary, Effect, Schema } from "effect"
import {
  codeOfError,
  errorRules,
  RefusalCode,
  resend,
} from "../../../src/catalog/domain/refusal.ts"
import { type Product, products } from "../../../src/catalog/domain/product.ts"
import { skillName } from "../../../src/catalog/domain/skill.ts"
import { exampleOf } from "../../../src/catalog/domain/parameter.ts"
import {
  NotCharged,
  notCharged,
  RefundQueued,
  Unresolved,
} from "../../../src/payments/domain/failedSale.ts"
import { PaymentId } from "../../../src/payments/domain/payment.ts"
import * as responses from "../../../src/payments/sale/responses.ts"
import * as errors from "../../../src/http/server/errors.ts"
import { law, test } from "../../support/effect.ts"
import { dataPart, send } from "../../support/http/a2a.ts"
import { documentPaths, openDocumentService, read } from "../../support/http/documents.ts"
import { currentRequest, earlierRequest } from "../../support/http/mcp.ts"

/** One text, as its reader gets it. */
interface Text {
  readonly from: string
  readonly text: string
}

/** Text that speaks of an outcome that is not clear. */
const unclear = new RegExp(
  [
    "\\b50[34]\\b",
    "\\btime-?outs?\\b",
    "\\btimed out\\b",
    "\\b(?:answers?|responses?) (?:that )?(?:is|was|are|were) lost\\b",
    "\\blost (?:answer|response)",
    "\\bcharged`?: `?null\\b",
    "\\bnull: not known\\b",
    "\\bnot known (?:yet )?whether\\b",
  ].join("|"),
  "i",
)

/** Sentences that lead their reader to a further payment, signature or key. */
const further = new RegExp(
  "[^.!?\\n|]*\\b(?:sign|make|create|choose|use|send|generate|try)\\b[^.!?\\n|]{0,40}" +
    "\\b(?:new|another|second|fresh)\\b[^.!?\\n|]*",
  "gi",
)

/** The sentences of that form that are right: each says that the purchase is over or another one. */
const reviewed: ReadonlyArray<RegExp> = [
  /^send the same payment again with the same key; a new signature may pay twice$/,
  /^Your payment was not used, but it is bound to this request\. For another request sign/,
  /^For another request sign a new authorization$/,
  /^This purchase has ended: to buy again, sign a new authorization$/,
  /^To buy again, sign a new one$/,
  /(?:paid nothing here|cancelled on the chain): sign a new one, with the same key$/,
  /send it again if it is still valid; if not, sign a new one, with the same key$/,
  /^(?:409: )?the payment is in use, was already used, or was sent for another request$/,
  /can no longer be taken returns 402; only then sign a new one, with the same key$/,
  /Only if it then gets 402, sign a new one, with the same key/,
  // A test trigger that cancels the payment: then it is clear.
  /then gets 402, which says to sign a new one with the same key/,
]

const inlineKey = /["']?Idempotency-Key["']?\s*:\s*[^,}\n]*random/i

/** The prose of a value: text in JSON is read, an error is one text, names are left out. */
function prose(value: unknown, from: string): ReadonlyArray<Text> {
  if (typeof value === "string") {
    if (/^[{[]/.test(value)) return prose(JSON.parse(value), from)
    return /\s/.test(value) ? value.split(/\n{2,}/).map((text) => ({ from, text })) : []
  }
  if (typeof value !== "object" || value === null) return []
  if ("code" in value && "message" in value) {
    return [{
      from,
      text: Object.values(value).filter((member) => /\s/.test(String(member))).join(". "),
    }]
  }
  return Object.entries(value).flatMap(([name, member]) => prose(member, `${from}/${name}`))
}

const withoutRule = (texts: ReadonlyArray<Text>) =>
  texts.filter(({ text }) => unclear.test(text) && !text.includes(resend))
    .map(({ from, text }) => `${from}: ${text.slice(0, 200)}`)

const unreviewed = (texts: ReadonlyArray<Text>) =>
  [...new Set(texts.flatMap(({ text }) => text.match(further) ?? []).map((text) => text.trim()))]
    .filter((text) => !reviewed.some((known) => known.test(text)))

/** The texts of every document, tool, skill and offer of a running service. */
const publishedTexts = Effect.gen(function* () {
  const service = yield* openDocumentService
  const { text, headers } = yield* read(service)
  const documents = documentPaths.flatMap((path): ReadonlyArray<Text> =>
    /json/.test(headers(path).get("content-type") ?? "")
      ? prose(JSON.parse(text(path)), path)
      : prose(text(path), path)
  )
  const post = (init: RequestInit) =>
    Effect.gen(function* () {
      const response = yield* service.get("/mcp", init)
      return yield* Effect.promise(() => response.json())
    })
  const mcp = [
    yield* post(currentRequest("tools/list")),
    yield* post(currentRequest("server/discover")),
    yield* post(earlierRequest("tools/call", { name: "get_rich" })),
  ]
  const offers: Array<Text> = []
  for (const product of Object.values(products)) {
    const name = skillName(product)
    const params = exampleOf(product.parameters)
    const page = yield* service.get(product.path)
    const { task } = yield* send(service, [dataPart(name, params)])
    offers.push(
      ...prose(yield* Effect.promise(() => page.json()), product.path),
      ...prose(
        yield* post(currentRequest("tools/call", { name, arguments: params })),
        `tool ${name}`,
      ),
      ...prose(task, `task ${name}`),
    )
  }
  return [...documents, ...mcp.flatMap((answer) => prose(answer, "/mcp")), ...offers]
})

test("every published text that speaks of an unclear outcome carries the rule", function* () {
  const texts = yield* publishedTexts
  ok(texts.length > 300 && texts.filter(({ text }) => unclear.test(text)).length > 10)
  equal(withoutRule(texts), [])
})

test("no published text leads to another payment, signature or key for the same purchase", function* () {
  equal(unreviewed(yield* publishedTexts), [])
})

test("no published text makes a key where it is sent", function* () {
  const texts = yield* publishedTexts
  equal(texts.filter(({ text }) => inlineKey.test(text)), [])
  ok(texts.some(({ text }) => text.includes('"Idempotency-Key": key')))
})

/** The body of an error. */
const bodyOf = (error: NotCharged | RefundQueued | Unresolved) =>
  JSON.parse(errors.toRefusal(error).body("a-request")).error

const anyHint = Schema.optionalKey(Schema.Literals(["Look at the index.", `Wait, then ${resend}.`]))
const AnyError = Schema.Struct({
  code: Schema.Literals(RefusalCode.literals.filter((code) => code !== "payment_required")),
  hint: anyHint,
  taken: Schema.NullOr(Schema.Boolean),
})

law(
  "an error that may have taken the payment, or is a 5xx without a charge, carries the rule",
  Arbitrary.schema(AnyError),
  ({ code, hint, taken }) => {
    const { status, charged, hint: said } = bodyOf(
      new NotCharged({ code, message: "Why", taken, ...(hint === undefined ? {} : { hint }) }),
    )
    ok((charged !== null && status < 500) || String(said).includes(resend), String(said))
  },
)

Deno.test("every error that the code can return is right about recovery", () => {
  const first = PaymentId.make(`0x${"5a".repeat(32)}`)
  const prepared = [
    ...Object.values(errors).filter((value) => typeof value === "object" && "body" in value),
    errors.rateLimited(22),
    errors.rateLimitedBeforeReading(22),
    errors.methodNotAllowed(["GET"], "/v1/latest"),
  ].map((refusal) => JSON.parse((refusal as errors.PreparedRefusal).body("a-request")).error)
  const thrown = Object.values(responses).filter((value) =>
    value instanceof NotCharged || value instanceof Unresolved
  )
  const named = thrown.map((error) => responses.firstPaymentNamed(first)(error))
  const conflicts = (["answered", "released", "settling"] as const).map((state) =>
    Effect.flip(responses.paymentConflict({ state, productId: "latest" }))
  )
  const failed = [
    ...conflicts,
    ...[responses.neverPaid, responses.unavailable].map(Effect.flip),
  ]
    .map((failure) => Effect.runSync(failure))
  const receipt = { payer: "0x01", transaction: "0x02", network: "eip155:8453" }
  const refund = { id: "0x03", state: "queued", amountUsd: "1.00", to: "0x01" }
  const queued = { ...refund, paymentTransaction: "0x02" }
  const withReceipt = [
    ...[true, false].map((isStored) => responses.paymentAlreadyUsed(receipt, isStored)),
    responses.paymentRefunded(queued),
    Effect.runSync(Effect.flip(responses.unresolved)),
    new RefundQueued({ code: "venue_error", message: "No report", refund: queued }),
  ]
  const bodies = [
    ...prepared,
    ...[...thrown, ...named, ...failed, ...withReceipt].map(bodyOf),
  ]
  ok(bodies.length > 30, String(bodies.length))
  const texts = bodies.flatMap((body) => prose(body, body.code))
  equal(withoutRule(texts), [])
  equal(unreviewed(texts), [])
  equal(
    bodies.filter(({ charged, hint }) => charged === null && !String(hint).includes(resend)),
    [],
  )
  equal(bodies.filter(({ code, charged }) => !chargedOf(code).includes(charged)), [])
})

const chargedOf = (code: string) =>
  Object.entries(errorRules)
    .flatMap(([of, { charged }]) => of === code ? charged : [])

law(
  "an error says that its request may be repeated only if its payment is not taken",
  Arbitrary.schema(AnyError),
  ({ code, taken }) => {
    const refund = { id: "0x03", state: "queued", amountUsd: "1.00", to: "0x01" }
    const spent = { code, message: "Why", refund: { ...refund, paymentTransaction: "0x02" } }
    for (
      const error of [new NotCharged({ code, message: "Why", taken }), new RefundQueued(spent)]
    ) {
      const { charged, retryable } = bodyOf(error)
      strictEqual(retryable, errorRules[code].retryable && charged !== true)
    }
  },
)

law(
  "every error of a product is right about recovery, and has the code of its name",
  Arbitrary.schema(Schema.Union(Object.values(products).flatMap((row: Product) => row.errors))),
  (error) => {
    const body = bodyOf(notCharged(error))
    const isOwnLimit = error._tag === "LookupsExhausted" && error.ofClient
    const code = isOwnLimit ? "rate_limited" : codeOfError.get(error._tag)
    equal([body.code, body.charged], [code, false])
    const isEmptyFeed = error._tag === "SignalNotFound" && error.index === null
    if (isEmptyFeed) equal([body.retryable, body.retryAfterSeconds], [true, 10])
    // Its own text, without what was asked for.
    equal(unreviewed(prose({ ...body, message: "" }, body.code)), [])
  },
)

Deno.test("every rule of the table of errors is right about recovery", () => {
  const texts = Object.entries(errorRules).map(([from, { meaning }]) => ({
    from,
    text: meaning,
  }))
  equal(withoutRule(texts), [])
  equal(unreviewed(texts), [])
})
