/**
 * Ways to break the protocol, one switch each, and the nets that have to be off so that each shows.
 *
 * Some ways to break it change nothing that anybody could see, so they are not counted here:
 * - leases on an edge's own clock: a lease only decides who works, the compare-and-set who wins;
 * - two workers at one refund, or none of their leases kept: the nonce is the payment's own;
 * - a refund signed again before it has expired: it is the same transfer under the same nonce;
 * - a refund relayed before its signature is stored: whoever signs it again signs the same.
 * And one is too rare for a gate, about one seed in 10,000: a refusal that is told although its release
 * was not heard of, while another copy of the payment is already being settled (I9).
 *
 * @module
 */
export type Mutant =
  | "no unique key"
  | "no compare-and-set"
  | "no request binding"
  | "no sweeper"
  | "no refund of the unsent"
  | "refund what was sent"
  | "mark the refund, keep selling"
  | "replay from memory"
  | "refund row in another transaction"
  | "no chain scan"
  | "released is final"
  | "released hidden from the scan"
  | "scan what is not yet safe"
  | "scan every block once"
  | "cursor before rows"
  | "trust authorizationState"
  | "trust facilitator success"
  | "trust facilitator failure"
  | "another amount is spent elsewhere"
  | "402 on unknown"
  | "times before identity"
  | "void before expiry"
  | "void on the local clock"
  | "void before safe"
  | "settle before intent"
  | "bytes only with the answer"
  | "join without the secret"
  | "redeliver without the secret"
  | "sell what was public before"
  | "refund before safe"
  | "refund the agreed amount"
  | "refund from the current key"
  | "treasury kept in the row alone"
  | "random refund nonce"
  | "nonce kept in the row alone"
  | "confirm a refund before safe"
  | "trust the facilitator's refund"

/** Not a mutant: a world with fewer ways to go wrong, so that what is left shows the mutant alone. */
export type Tame =
  /** Nobody pays past us or copies payments, and nothing is restored. */
  | "only facilitators cheat"
  /** Nor does a facilitator settle what it was only shown, nor do logs go missing. */
  | "only settlements go wrong"
  /** No node answers with fewer logs than its head promises. */
  | "logs are complete"

export interface Breakage {
  readonly name: Mutant
  /** What else is switched off, since it would catch what this breaks. */
  readonly without: ReadonlyArray<Mutant | Tame>
  /** How many seeds it may take. */
  readonly seedsMax: number
}

const breakage = (name: Mutant, seedsMax: number, without: ReadonlyArray<Mutant | Tame> = []) => ({
  name,
  without,
  seedsMax,
})

/** With nobody there to catch what falls, only what the facilitator does to settlements may happen. */
const bare = ["no chain scan", "released is final", "only settlements go wrong"] as const

export const breakages: ReadonlyArray<Breakage> = [
  breakage("no unique key", 25_000),
  breakage("no compare-and-set", 25_000),
  breakage("no request binding", 25_000),
  breakage("no sweeper", 25_000),
  breakage("no refund of the unsent", 25_000),
  breakage("refund what was sent", 25_000),
  breakage("mark the refund, keep selling", 25_000),
  breakage("replay from memory", 25_000),
  breakage("refund row in another transaction", 25_000),
  breakage("no chain scan", 25_000),
  breakage("released is final", 25_000, [
    "no chain scan",
    "only facilitators cheat",
    "logs are complete",
  ]),
  breakage("released hidden from the scan", 25_000, ["released is final"]),
  breakage("scan what is not yet safe", 25_000, ["scan every block once", "logs are complete"]),
  breakage("scan every block once", 25_000),
  breakage("cursor before rows", 25_000, ["scan every block once", "logs are complete"]),
  breakage("trust authorizationState", 25_000),
  breakage("trust facilitator success", 25_000),
  breakage("trust facilitator failure", 25_000, bare),
  breakage("another amount is spent elsewhere", 25_000),
  breakage("402 on unknown", 25_000),
  breakage("times before identity", 25_000),
  breakage("void before expiry", 25_000, bare),
  breakage("void on the local clock", 25_000, bare),
  breakage("void before safe", 25_000, bare),
  breakage("settle before intent", 25_000, bare),
  breakage("bytes only with the answer", 25_000),
  breakage("join without the secret", 25_000),
  breakage("redeliver without the secret", 25_000),
  breakage("sell what was public before", 25_000),
  breakage("refund before safe", 25_000),
  breakage("refund the agreed amount", 25_000),
  breakage("refund from the current key", 25_000),
  breakage("treasury kept in the row alone", 25_000),
  breakage("random refund nonce", 25_000),
  breakage("nonce kept in the row alone", 25_000),
  breakage("confirm a refund before safe", 25_000),
  breakage("trust the facilitator's refund", 25_000),
]
