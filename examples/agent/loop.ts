/**
 * The life of an agent: read the documents, poll what is free, buy what is new, say what it learned,
 * stop when the budget or the polls are used up.
 *
 * @module
 */
import { Duration, Effect, Ref, Result, Schema } from "effect"
import type { LocalAccount } from "viem/accounts"
import { named, quoted } from "../../src/core/domain/untrusted.ts"
import { type Bought, type Buyer, makeBuyer } from "./buying.ts"
import { type Contract, offerAt } from "./contract.ts"
import { discover, type Start } from "./discovery.ts"
import { Digest, Health, Index, Items, Report } from "./items.ts"
import type { Ledger, Limits } from "./ledger.ts"
import { readAllowance, waitAfter } from "./pace.ts"
import {
  blank,
  closed,
  decide,
  learned,
  type Memory,
  missed,
  missesMax,
  paths,
  type Want,
  wants,
} from "./plan.ts"
import { digestLines, itemLine, money, reportLines, summaryLines } from "./words.ts"
import { askPatiently, GaveUp, type Say } from "./wire.ts"

export interface AgentOptions {
  readonly base: URL
  readonly start: Start
  readonly account: LocalAccount
  /** The key holds nothing: it buys with play money only. */
  readonly throwAway: boolean
  readonly limits: Limits
  /** How often the index is polled before the agent ends; null for ever. */
  readonly polls: number | null
  /** How long between two polls at least. */
  readonly everyMs: number
  /** The last index of an earlier run. */
  readonly since: number | null
  readonly say: Say
}

/** Most purchases after one look at the index. */
const buysPerPollMax = 20

/** The agent, from its first look to its summary, which it gives however it ends. */
export const live = Effect.fnUntraced(function* (options: AgentOptions) {
  const ledger = yield* Ref.make<Ledger>([])
  const memory = yield* Ref.make<Memory>({ ...blank, seen: options.since })
  const { say, limits } = options
  const summary = Effect.gen(function* () {
    yield* say("")
    for (const line of summaryLines(yield* Ref.get(ledger), limits)) yield* say(line)
    const { seen } = yield* Ref.get(memory)
    if (seen !== null) yield* say(`goes on    with --since ${seen}`)
  })
  const buyer = makeBuyer({ ...options, ledger })
  return yield* lived(options, buyer, memory).pipe(
    Effect.andThen(clarified(buyer)),
    Effect.ensuring(summary),
  )
})

const lived = Effect.fnUntraced(function* (
  options: AgentOptions,
  buyer: Buyer,
  memory: Ref.Ref<Memory>,
) {
  const { base, account, limits, throwAway, start, say } = options
  yield* say(`buyer      ${account.address}${throwAway ? " (a throw-away key)" : ""}`)
  yield* say(`budget     ${money(limits.budget)}, at most ${money(limits.perCall)} a call`)
  const contract = yield* discover(base, start, say)
  if (offerAt(contract, paths.index) === undefined) {
    return yield* new GaveUp({ message: `There is no ${paths.index} to poll` })
  }
  const shopping = yield* mayBuy(options)
  return yield* polled(
    options,
    (index) =>
      shopping ? errands(index, { ...options, contract, buyer, memory }) : Effect.succeed(true),
  )
})

/** A key without money is not shown where payments are real. */
const mayBuy = Effect.fnUntraced(function* ({ base, throwAway, say }: AgentOptions) {
  const { body } = yield* askPatiently(new URL(paths.health, base), { say })
  const health = Schema.decodeUnknownResult(Health)(body)
  const mode = Result.isSuccess(health) ? health.success.paymentMode : "unknown"
  yield* say(`payments   ${named(mode, 20)}`)
  if (!throwAway || mode === "simulated") return true
  yield* say("           my key holds nothing: I only watch (BUYER_PRIVATE_KEY gives me another)")
  return false
})

/** Looks at the index as often as it may, and does what follows until that says to end. */
const polled = Effect.fnUntraced(function* <E>(
  { base, polls, everyMs, say }: AgentOptions,
  then: (index: Index) => Effect.Effect<boolean, E>,
) {
  const url = new URL(paths.index, base)
  let held: { readonly etag: string | null; readonly index: Index } | null = null
  for (let poll = 1; polls === null || poll <= polls; poll += 1) {
    const headers: Record<string, string> = held?.etag ? { "If-None-Match": held.etag } : {}
    const answer = yield* askPatiently(url, { say, headers })
    const index: Index = answer.status === 304 && held !== null
      ? held.index
      : yield* readIndex(answer.status, answer.body)
    held = { etag: answer.headers.get("etag"), index }
    yield* say(indexLine(index, poll))
    if (!(yield* then(index))) return
    if (polls !== null && poll === polls) return
    const waitMs = waitAfter(readAllowance(answer.headers.get("ratelimit")), everyMs)
    if (waitMs > everyMs) yield* say(`the free budget is used up: next look in ${waitMs / 1_000} s`)
    yield* Effect.sleep(Duration.millis(waitMs))
  }
})

const readIndex = (status: number, body: unknown) => {
  const index = Schema.decodeUnknownResult(Index)(body)
  return status === 200 && Result.isSuccess(index)
    ? Effect.succeed(index.success)
    : Effect.fail(new GaveUp({ message: `${paths.index} answers ${status}, and no index` }))
}

function indexLine({ index, status, totalToday, digest }: Index, poll: number): string {
  const news = digest === null ? "no digest yet" : `digest ${quoted(named(digest.title, 60))}`
  return `poll ${poll}     index ${index}, ${named(status, 20)}, ${totalToday} items today, ${news}`
}

interface Errand extends AgentOptions {
  readonly contract: Contract
  readonly buyer: Buyer
  readonly memory: Ref.Ref<Memory>
}

/** Buys what is wanted and can be afforded; false when there is nothing left to come for. */
const errands = Effect.fnUntraced(function* (index: Index, errand: Errand) {
  const { contract, limits, memory, buyer, say } = errand
  for (let buys = 0; buys < buysPerPollMax; buys += 1) {
    const [want] = wants(yield* Ref.get(memory), index)
    if (want === undefined) return true
    const decision = decide(want, contract, yield* Ref.get(buyer.ledger), limits)
    if (decision.kind === "stop") {
      yield* say(`stopping   ${decision.why}`)
      return false
    }
    if (decision.kind === "pass") {
      yield* say(`passing    ${decision.why}`)
      yield* Ref.update(memory, (known) => closed(known, want, index))
      continue
    }
    yield* say(`buying     ${decision.path} for ${money(decision.price)}`)
    const bought = yield* buyer.buy(decision.offer, decision.path)
    yield* took(want, bought, index, errand)
    const unclear = (yield* Ref.get(buyer.ledger)).some(({ standing }) => standing === "signed")
    if (unclear) {
      yield* say("stopping   what became of a payment is unclear: a second signature may pay twice")
      return false
    }
    const { misses } = yield* Ref.get(memory)
    if (misses >= missesMax) {
      yield* say(`stopping   the feed was not to be had ${misses} times in a row`)
      return false
    }
    if (misses > 0) return true
  }
  return true
})

/** Reads what was bought, says it, and remembers it. */
const took = Effect.fnUntraced(function* (
  want: Want,
  bought: Bought,
  index: Index,
  { memory, say }: Errand,
) {
  if (bought.kind === "missed") {
    yield* say(`  not had: ${named(bought.why, 300)}`)
    return yield* Ref.update(memory, (known) => missed(known, want, index))
  }
  if (!bought.charged) yield* say("  nothing was charged for it")
  const lines = yield* Ref.modify(memory, (known) => readBought(want, bought.body, index, known))
  for (const line of lines) yield* say(line)
})

/** What a body says, and what is remembered of it. */
function readBought(
  want: Want,
  body: unknown,
  index: Index,
  memory: Memory,
): [ReadonlyArray<string>, Memory] {
  const over = closed(memory, want, index)
  switch (want.kind) {
    case "items": {
      const items = readItems(body)
      if (Result.isFailure(items)) return [["  it cannot be read"], over]
      const { data } = items.success
      if (data.length === 0) return [["  no items"], over]
      return [data.map(itemLine), learned(memory, want.since, data)]
    }
    case "digest":
      return [linesOf(readDigest(body), digestLines), over]
    case "report":
      return [linesOf(readReport(body), reportLines), over]
  }
}

function linesOf<A>(read: Result.Result<A, unknown>, lines: (read: A) => ReadonlyArray<string>) {
  return Result.isSuccess(read) ? lines(read.success) : ["  it cannot be read"]
}

const readItems = Schema.decodeUnknownResult(Items)
const readDigest = Schema.decodeUnknownResult(Digest)
const readReport = Schema.decodeUnknownResult(Report)

/** Looks once more after the payments whose end is not known, and the refunds under way. */
const clarified = Effect.fnUntraced(function* ({ ledger, clarify }: Buyer) {
  for (const { paymentId, standing } of yield* Ref.get(ledger)) {
    if (standing === "signed" || standing === "refundQueued") yield* clarify(paymentId)
  }
})
