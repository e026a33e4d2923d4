/**
 * Judges a run by the chain's log and by what its clients saw: was every payment answered or given
 * back, once?
 *
 * Delivered is a payment whose buyer has received the answer, or has fetched it again at the end. Where
 * a buyer without a secret was gone or cut off, the seller's own note that it handed the answer over
 * has to do: these are counted apart, for no transcript bears them out.
 *
 * @module
 */
import { isoTime } from "../../src/core/domain/time.ts"
import { type Ledger, type Moved, refundNonceOf } from "./ledger.ts"
import { type Exchange, keyOf, type Transcript } from "./transcript.ts"

export interface Verdict {
  readonly charged: number
  readonly delivered: number
  readonly refunded: number
  readonly both: number
  readonly open: number
  /** Of the delivered: by the seller's note alone. */
  readonly unheard: number
  /** What must never be. */
  readonly faults: ReadonlyArray<string>
  /** What is worth a look: our losses, and what no transcript bears out. */
  readonly remarks: ReadonlyArray<string>
}

export interface Evidence {
  readonly ledger: Ledger
  readonly transcripts: ReadonlyArray<Transcript>
  /** Payments whose answer the seller notes to have handed over, by `keyOf`. */
  readonly handedOver: ReadonlySet<string>
}

/** Everything about one authorization that paid. */
interface Case {
  readonly paid: Moved
  readonly repaid: ReadonlyArray<Moved>
  readonly record: Transcript | undefined
  readonly received: boolean
  readonly unheard: boolean
}

export function judge(evidence: Evidence): Verdict {
  const cases = casesOf(evidence)
  const known = new Set(cases.flatMap(({ repaid }) => repaid))
  const delivered = cases.filter(({ received, unheard }) => received || unheard)
  const refunded = cases.filter(({ repaid }) => repaid.length > 0)
  const both = delivered.filter(({ repaid }) => repaid.length > 0)
  const open = cases.filter(({ received, unheard, repaid }) =>
    !received && !unheard && repaid.length === 0
  )
  const unpaid = evidence.transcripts.filter((record) =>
    !cases.some(({ record: other }) => other === record)
  )
  return {
    charged: cases.length,
    delivered: delivered.length,
    refunded: refunded.length,
    both: both.length,
    open: open.length,
    unheard: delivered.filter(({ unheard }) => unheard).length,
    remarks: [
      ...both.map((one) => `both: ${nameOf(one)}`),
      ...cases.filter(({ unheard }) => unheard).map((one) => `unheard: ${nameOf(one)}`),
    ],
    faults: [
      ...open.map((one) => `neither answered nor refunded: ${nameOf(one)}`),
      ...evidence.ledger.repaid.filter((repaid) => !known.has(repaid)).map((repaid) =>
        `refund of no payment: ${repaid.transaction}`
      ),
      ...cases.flatMap((one) => faultsOf(one)),
      ...unpaid.flatMap((record) =>
        record.exchanges.filter(({ charged }) => charged === true).map(() =>
          `called charged, and never paid: ${keyOf(record)}`
        )
      ),
    ],
  }
}

function casesOf({ ledger, transcripts, handedOver }: Evidence): ReadonlyArray<Case> {
  const records = new Map(transcripts.map((record) => [keyOf(record), record]))
  const refunds = new Map<string, Array<Moved>>()
  for (const repaid of ledger.repaid) {
    refunds.set(repaid.nonce, [...refunds.get(repaid.nonce) ?? [], repaid])
  }
  return ledger.paid.map((paid) => {
    const key = keyOf({ payer: paid.from, nonce: paid.nonce })
    const record = records.get(key)
    const received = record !== undefined && record.exchanges.some(isAnswer)
    return {
      paid,
      repaid: refunds.get(refundNonceOf(paid.from, paid.nonce)) ?? [],
      record,
      received,
      // With a secret it can be fetched again, so then a note is not enough.
      unheard: !received && record?.secret === null && handedOver.has(key),
    }
  })
}

/** Its buyer holds what they paid for. */
function isAnswer({ by, status, charged, sound }: Exchange): boolean {
  return by === "buyer" && status === 200 && charged === true && sound
}

function faultsOf(one: Case): ReadonlyArray<string> {
  const { paid, repaid, record, received } = one
  if (record === undefined) return [`paid by nobody we know: ${paid.transaction}`]
  const { exchanges } = record
  const said = (status: number) => exchanges.filter((exchange) => exchange.status === status)
  const answers = exchanges.filter(({ status, charged }) => status === 200 && charged === true)
  const wrong: ReadonlyArray<readonly [boolean, string]> = [
    [repaid.length > 1, "refunded twice"],
    [
      repaid.some(({ to, value }) => to !== paid.from || value !== paid.value),
      "refunded to another, or another sum",
    ],
    [new Set(answers.map(({ bodyHash }) => bodyHash)).size > 1, "two answers for one payment"],
    [new Set(answers.map(({ product }) => product)).size > 1, "two products for one payment"],
    [answers.some(({ by }) => by === "thief"), "answered to a thief"],
    [answers.some(({ sound }) => !sound), "an answer that is none"],
    [answers.some(({ block }) => block !== null && block < paid.block), "answered before it paid"],
    [
      answers.some(({ transaction }) => transaction !== paid.transaction),
      "a receipt of another transaction",
    ],
    [
      said(402).some(({ by }) => by === "buyer") && repaid.length === 0 && !received,
      "asked for another payment, though this one was taken",
    ],
    [
      said(410).some(({ code }) => code === "payment_refunded") && repaid.length === 0,
      "called refunded, and never was",
    ],
  ]
  return wrong.filter(([is]) => is).map(([, what]) => `${what}: ${nameOf(one)}`)
}

function nameOf({ paid, record }: Case): string {
  const said = record?.exchanges.map(({ by, atMs, status, code }) =>
    `${isoTime(atMs).slice(14, -1)} ${by === "thief" ? "thief: " : ""}${status ?? ""} ${code ?? ""}`
      .trim()
  )
  return `${paid.from} ${paid.nonce} (${record?.story}, ${record?.product}, ${
    record?.secret === null ? "no secret" : "secret"
  }; ${said?.join(", ")})`
}
