/**
 * `deno task verify`: reads what a service publishes about its history, and judges it.
 *
 * Exit code 0: no fault was found. 1: a fault. 2: the arguments are wrong, or the service or a file
 * cannot be read.
 *
 * @module
 */
import "../src/core/fiberContext.ts"
import { Clock, Console, Duration, Effect, Exit, Option, Schema } from "effect"
import { Argument, Flag } from "effect/cli"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { readArguments } from "../src/app/commandLine.ts"
import { fail, hasFailed, ok, type Row, tableOf } from "../src/app/rows.ts"
import { untilSignal } from "../src/app/untilSignal.ts"
import { freeRows } from "../src/catalog/domain/freeRow.ts"
import { products } from "../src/catalog/domain/product.ts"
import { excerpt } from "../src/core/domain/untrusted.ts"
import { readAnswer } from "../src/core/httpReading.ts"
import { paths } from "../src/http/documents/addresses.ts"
import { type Finding, judge, JwkSet, noneSeen, Seen, seenOf } from "./history.ts"

const spec = {
  name: "deno task verify",
  description:
    "Reads the free answers of a service, and checks that its history was not changed: the " +
    "chain of the feed, signed daily heads, offers and receipts. Buys nothing.\n" +
    "Exit code 0: no fault was found, 1: a fault, 2: the service or a file cannot be read.",
  config: {
    base: Argument.String("url").pipe(
      Argument.filterMap(
        (text) => Option.fromNullishOr(URL.parse(text)),
        (text) => `an address such as https://bellwether.example, not ${text}`,
      ),
      Argument.withDescription("The service"),
    ),
    items: Flag.String("items").pipe(
      Flag.optional,
      Flag.withDescription("JSON file with what you bought: items, answers, receipts"),
    ),
    seen: Flag.String("seen").pipe(
      Flag.optional,
      Flag.withDescription("File of what was seen before; it is compared and written again"),
    ),
    proofs: Flag.Int("proofs").pipe(
      Flag.filter((count) => count >= 0, (count) => `0 or more, not ${count}`),
      Flag.withDefault(2),
      Flag.withDescription("Proofs of signed days, 2 by default; each of your items has its own"),
    ),
    json: Flag.Boolean("json").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Print one JSON object"),
    ),
  },
}

/** More would take longer than a day under the free limit. */
const itemsMax = 2_000
const outcomePagesMax = 20

/** The service, or a file, cannot be read. */
class CannotVerify extends Schema.TaggedError<CannotVerify>()("CannotVerify", {
  message: Schema.String,
}) {}

/** The exit code. */
export const verifyService = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const read = yield* readArguments(spec, args)
  if (read === null) return 0
  const { base, proofs, json } = read
  const [items, seen] = [Option.getOrNull(read.items), Option.getOrNull(read.seen)]
  const evidence = yield* collect({ base, items, seen, proofs })
  const rows = judge(evidence).map(rowOf)
  if (seen !== null && !hasFailed(rows)) {
    yield* write(seen, JSON.stringify(seenOf(evidence)))
  }
  yield* Console.log(
    json
      ? JSON.stringify({ ok: !hasFailed(rows), rows })
      : tableOf(`The history of ${base.origin}`, rows),
  )
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

interface Options {
  readonly base: URL
  readonly items: string | null
  readonly seen: string | null
  readonly proofs: number
}

const collect = Effect.fnUntraced(function* (options: Options) {
  const read = reader(options.base)
  const bought = options.items === null ? null : yield* readJson(options.items)
  const items = itemsOf(bought)
  if (items.length > itemsMax) {
    return yield* new CannotVerify({ message: `More than ${itemsMax} items` })
  }
  const earlier = options.seen === null ? noneSeen : yield* readSeen(options.seen)
  const index = yield* read(freeRows.index.path, freeRows.index.body)
  const heads = yield* read(freeRows.feed_heads.path, freeRows.feed_heads.body)
  const keys = yield* read(paths.jwks, JwkSet)
  const challenge = yield* challengeOf(options.base)
  const ofItems = items.flatMap(({ feedIndex }) => typeof feedIndex === "number" ? feedIndex : [])
  const outcomes = []
  for (
    let page = 0, since = Math.min(...ofItems) - 1;
    page < outcomePagesMax && since < Math.max(...ofItems);
    page++
  ) {
    const { data } = yield* read(`${freeRows.outcomes.path}?since=${since}`, freeRows.outcomes.body)
    outcomes.push(...data)
    since = data.at(-1)?.feedIndex ?? Infinity
  }
  // The last head that was seen must be in the chain still.
  const seenHead = earlier.heads.at(-1)?.index ?? 0
  // The newest and the oldest day first: between them lies everything that was signed.
  const days = [...new Set([heads.days[0], heads.days.at(-1), ...heads.days])]
    .flatMap((day) => day === undefined || day.index === 0 ? [] : [day.index])
  const proofs = []
  const unproven = []
  for (const wanted of new Set([...ofItems, seenHead, ...days.slice(0, options.proofs)])) {
    if (wanted === 0) continue
    const { path, body } = freeRows.feed_proof
    const proof = yield* read(`${path}?index=${wanted}`, Schema.NullOr(body))
    if (proof !== null) proofs.push(proof)
    else unproven.push(wanted)
  }
  return {
    readAt: yield* Clock.currentTimeMillis,
    index,
    heads,
    keys,
    proofs,
    unproven,
    outcomes,
    items,
    statements: [...statementsOf(challenge), ...statementsOf(bought)],
    earlier,
  }
})

const tries = 4
const waitSecondsMax = 70
const limits = { timeoutMs: 8_000, bodyBytesMax: 1024 * 1024 }

const answerOf = (base: URL, path: string) =>
  Effect.flatMap(
    HttpClient.HttpClient,
    (client) => readAnswer(client, HttpClientRequest.get(new URL(path, base)), limits),
  ).pipe(
    Effect.mapError(({ reason }) => new CannotVerify({ message: `${path}: ${reason}` })),
    Effect.provide(FetchHttpClient.layer),
    Effect.provideService(FetchHttpClient.RequestInit, { redirect: "error" }),
  )

/** Reads an answer, and waits when the service says so; null for 404. */
const reader = (base: URL) =>
  Effect.fnUntraced(function* <A>(path: string, schema: Schema.Codec<A, unknown>) {
    for (let n = 0; n < tries; n++) {
      const { status, headers, body } = yield* answerOf(base, path)
      if (status === 429 || status === 503) {
        const seconds = Math.min(Number(headers["retry-after"] ?? 1) || 1, waitSecondsMax)
        yield* Console.error(`${path}: waits ${seconds} s for the limit of the service`)
        yield* Effect.sleep(Duration.seconds(seconds))
        continue
      }
      const text = status === 404 ? "null" : new TextDecoder().decode(body)
      return yield* Schema.decodeUnknownEffect(Schema.fromJsonString(schema))(text).pipe(
        Effect.mapError(() =>
          new CannotVerify({ message: `${path}: status ${status}, or another shape` })
        ),
      )
    }
    return yield* new CannotVerify({ message: `${path}: the service has no answer now` })
  })

/** The terms of a paid path: they are in a header. */
const challengeOf = Effect.fnUntraced(function* (base: URL) {
  const { path } = products.latest
  const { headers } = yield* answerOf(base, path)
  return yield* Effect.try({
    try: (): unknown => JSON.parse(atob(headers["payment-required"] ?? "")),
    catch: () => new CannotVerify({ message: `${path}: it has no terms` }),
  })
})

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The signed offers and receipts in what was received. */
function statementsOf(value: unknown): ReadonlyArray<string> {
  if (typeof value === "string") return /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/.test(value) ? [value] : []
  return typeof value === "object" && value !== null
    ? Object.values(value).flatMap(statementsOf)
    : []
}

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

if (import.meta.main) {
  const cannotVerify = 2
  const exit = await untilSignal(
    verifyService(Deno.args).pipe(
      Effect.catch(({ message }) => Effect.as(Console.error(message), cannotVerify)),
    ),
  )
  Deno.exit(Exit.isSuccess(exit) ? exit.value : cannotVerify)
}
