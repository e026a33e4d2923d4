/**
 * `deno task verify`: reads what a service publishes about its history, and judges it.
 *
 * @module
 */
import { parseArgs } from "node:util"
import { Clock, Console, Duration, Effect, Schema } from "effect"
import { excerpt } from "../core/domain/untrusted.ts"
import { freeRows } from "../catalog/domain/freeRow.ts"
import { paths } from "../http/documents/addresses.ts"
import {
  type Evidence,
  type Finding,
  judge,
  JwkSet,
  noneSeen,
  Seen,
  seenOf,
} from "../verify/history.ts"
import { get } from "./check/http.ts"
import { fail, hasFailed, jsonOf, ok, type Row, tableOf } from "./check/rows.ts"
import { InvalidArguments } from "./restoreArguments.ts"

const usage = `Use: deno task verify URL [--items FILE] [--seen FILE] [--proofs N] [--all] [--json]

  --items FILE  JSON with items that you bought: an item, an answer of /v1/signal(s), or a list of them
  --seen FILE   what was seen before; it is read if it exists, compared and written again
  --proofs N    proofs of signed days, the newest and oldest first (default 2); each item has its own
  --all         every outcome and every day, and the counts of the feed's items against them; waits
                for the free limit of the service
  --json        one JSON object

Buys nothing. Exit code 0: no fault was found, 1: a fault, 2: the service or a file cannot be read.`

/** More would take longer than a day under the free limit. */
const itemsMax = 2_000
const outcomePagesMax = 1_000
const proofsDefault = 2

interface Options {
  readonly base: URL
  readonly items: string | null
  readonly seen: string | null
  readonly proofs: number
  readonly all: boolean
  readonly json: boolean
}

/** The service, or a file, cannot be read. */
class CannotVerify extends Schema.TaggedError<CannotVerify>()("CannotVerify", {
  message: Schema.String,
}) {}

const parse = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const options = {
    items: { type: "string" },
    seen: { type: "string" },
    proofs: { type: "string" },
    all: { type: "boolean" },
    json: { type: "boolean" },
  } as const
  const { values, positionals } = yield* Effect.try({
    try: () => parseArgs({ args: [...args], options, allowPositionals: true }),
    catch: () => new InvalidArguments({ message: usage }),
  })
  const base = URL.parse(positionals[0] ?? "")
  const { items = null, seen = null, all = false, json = false } = values
  const proofs = values.proofs === undefined ? proofsDefault : Number(values.proofs)
  if (base === null || positionals.length !== 1 || !Number.isSafeInteger(proofs) || proofs < 0) {
    return yield* new InvalidArguments({ message: usage })
  }
  return { base, items, seen, proofs: all ? Infinity : proofs, all, json } satisfies Options
})

/** The exit code. */
export const verifyService = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const options = yield* parse(args)
  const { base, seen, json } = options
  const evidence = yield* collect(options)
  const rows = judge(evidence).map(rowOf)
  if (seen !== null && !hasFailed(rows)) {
    yield* write(seen, JSON.stringify(seenOf(evidence)))
  }
  yield* Console.log(json ? jsonOf(rows) : tableOf(`The history of ${base.origin}`, rows))
  return hasFailed(rows) ? 1 : 0
})

const faultsShown = 3
const faultsLengthMax = 500

function rowOf({ check, checked, faults }: Finding): Row {
  if (faults.length === 0) return ok(check, checked)
  const more = faults.length > faultsShown ? ` and ${faults.length - faultsShown} more` : ""
  return fail(
    check,
    // A fault may contain text of the service.
    excerpt(faults.slice(0, faultsShown).join("; "), faultsLengthMax) + more,
    "Keep the answers and your items: they prove it to others",
  )
}

const collect = Effect.fnUntraced(function* (options: Options) {
  const read = reader(options.base)
  const items = options.items === null ? [] : itemsOf(yield* readJson(options.items))
  if (items.length > itemsMax) {
    return yield* new CannotVerify({ message: `More than ${itemsMax} items` })
  }
  const earlier = options.seen === null ? noneSeen : yield* readSeen(options.seen)
  const { index, feed_heads, outcomes, feed_proof } = freeRows
  const head = yield* read(index.path, index.body)
  const heads = yield* read(feed_heads.path, feed_heads.body)
  const keys = yield* read(paths.jwks, JwkSet)
  const published = []
  for (let page = 0, since = 0; page < (options.all ? outcomePagesMax : 1); page++) {
    const { data } = yield* read(`${outcomes.path}?since=${since}`, outcomes.body)
    published.push(...data)
    const last = data.at(-1)
    if (last === undefined) break
    since = last.feedIndex
  }
  const { track_record } = freeRows
  const trackRecord = yield* read(track_record.path, track_record.body)
  const ofItems = items.flatMap((item) => {
    const { feedIndex } = item
    return typeof feedIndex === "number" ? [feedIndex] : []
  })
  // The last head that was seen must be in the chain still.
  const seenHead = earlier.heads.at(-1)?.index ?? 0
  // The newest and the oldest day first: between them lies everything that was signed.
  const days = [...new Set([heads.days[0], heads.days.at(-1), ...heads.days])]
    .flatMap((day) => day === undefined || day.index === 0 ? [] : [day.index])
  const proofs = []
  const unproven = []
  for (const wanted of new Set([...ofItems, seenHead, ...days.slice(0, options.proofs)])) {
    if (wanted === 0) continue
    const proof = yield* read(`${feed_proof.path}?index=${wanted}`, Schema.NullOr(feed_proof.body))
    if (proof !== null) proofs.push(proof)
    else unproven.push(wanted)
  }
  return {
    readAt: yield* Clock.currentTimeMillis,
    ...{ index: head, heads, keys, proofs, unproven, outcomes: published, items, earlier },
    ...{ trackRecord, isWhole: options.all },
  } satisfies Evidence
})

const tries = 4
const waitSecondsMax = 70

/** Reads an answer, and waits when the service says so; null for 404. */
const reader = (base: URL) =>
  Effect.fnUntraced(function* <A>(path: string, schema: Schema.Codec<A, unknown>) {
    for (let n = 0; n < tries; n++) {
      const { status, body } = yield* get(base.host, new URL(path, base).href).pipe(
        Effect.mapError(({ reason }) => new CannotVerify({ message: `${path}: ${reason}` })),
      )
      if (status === 429 || status === 503) {
        const seconds = Math.min(waitSeconds(body), waitSecondsMax)
        yield* Console.error(`${path}: waits ${seconds} s for the limit of the service`)
        yield* Effect.sleep(Duration.seconds(seconds))
        continue
      }
      return yield* Schema.decodeUnknownEffect(schema)(status === 404 ? null : body).pipe(
        Effect.mapError(() =>
          new CannotVerify({ message: `${path}: status ${status}, or another shape` })
        ),
      )
    }
    return yield* new CannotVerify({ message: `${path}: the service has no answer now` })
  })

const decodeWait = Schema.decodeUnknownOption(
  Schema.Struct({ error: Schema.Struct({ retryAfterSeconds: Schema.Finite }) }),
)

function waitSeconds(body: unknown): number {
  const decoded = decodeWait(body)
  return decoded._tag === "Some" ? decoded.value.error.retryAfterSeconds : 1
}

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The items in a list, in an answer, in what `deno task buy --json` prints, or in a list of these. */
function itemsOf(value: unknown): ReadonlyArray<Json> {
  if (Array.isArray(value)) return value.flatMap(itemsOf)
  if (!isObject(value)) return []
  return "feedIndex" in value ? [value] : itemsOf(value["data"] ?? value["body"])
}

const readJson = (file: string) =>
  Effect.tryPromise({
    try: async (): Promise<unknown> => JSON.parse(await Deno.readTextFile(file)),
    catch: () => new CannotVerify({ message: `Cannot read ${file} as JSON` }),
  })

const readSeen = Effect.fnUntraced(function* (file: string) {
  const exists = yield* Effect.promise(() => Deno.stat(file).then(() => true, () => false))
  if (!exists) return noneSeen
  return yield* Schema.decodeUnknownEffect(Seen)(yield* readJson(file)).pipe(
    Effect.mapError(() => new CannotVerify({ message: `${file} is no record of this task` })),
  )
})

const write = (file: string, text: string) =>
  Effect.tryPromise({
    try: () => Deno.writeTextFile(file, text),
    catch: () => new CannotVerify({ message: `Cannot write ${file}` }),
  })
