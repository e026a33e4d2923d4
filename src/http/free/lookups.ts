/**
 * Free answers that are read from the store for the parameters of a request.
 *
 * @module
 */
import { Effect, Option, Result } from "effect"
import { type FreeId, freeRows } from "../../catalog/domain/freeRow.ts"
import { type InputOf, type Parameter, queryReader } from "../../catalog/domain/parameter.ts"
import { noItemsYet } from "../../catalog/domain/refusal.ts"
import { Feed } from "../../feed/Feed.ts"
import { TrackRecord } from "../../track-record/TrackRecord.ts"
import { answer } from "../server/answer.ts"
import { type FreeRoute, queryIn } from "../server/route.ts"
import { overloaded, prepare, type PreparedRefusal, refuse, wrongQuery } from "../server/errors.ts"
import type { RateLimiter } from "../server/limits.ts"
import { makeStoreReads } from "./reads.ts"

/** The free rows with parameters. */
type LookupId = {
  [Id in FreeId]: typeof freeRows[Id] extends { readonly parameters: unknown } ? Id : never
}[FreeId]
type Parameters<Id extends LookupId> = typeof freeRows[Id]["parameters"]
type Body<Id extends LookupId> = typeof freeRows[Id]["body"]["Type"]

type LookupRoutes = Readonly<Record<LookupId, FreeRoute>>

export const makeLookups = Effect.fnUntraced(function* (limiter: RateLimiter) {
  const feed = yield* Feed
  const { outcomes } = yield* TrackRecord
  const inTime = makeStoreReads("Cannot read a free answer")

  const routeOf = <const Id extends LookupId>(
    id: Id,
    read: (input: InputOf<Parameters<Id>>) => Effect.Effect<Body<Id> | PreparedRefusal>,
  ): FreeRoute => {
    const parameters: Parameters<Id> & ReadonlyArray<Parameter> = freeRows[id].parameters
    const inputOf = queryReader(parameters)
    return {
      limiter,
      current: (url) => {
        const input = inputOf(queryIn(url))
        if (Result.isFailure(input)) return refuse(wrongQuery(input.failure))
        return Effect.flatMap(inTime(read(input.success)), (found) => {
          if (found === null) return refuse(overloaded)
          return "headers" in found
            ? refuse(found)
            : Effect.sync(() => answer({ body: JSON.stringify(found), cache: "polled" }))
        })
      },
    }
  }

  const routes: LookupRoutes = {
    outcomes: routeOf("outcomes", ({ since }) =>
      Effect.map(outcomes(since ?? 0), (data) => ({
        success: true,
        since: since ?? 0,
        count: data.length,
        data,
      }))),
    feed_proof: routeOf("feed_proof", ({ index }) =>
      Effect.map(
        feed.proof(index),
        Option.match({
          onNone: () => noProof(index),
          onSome: ({ head, path }) => ({
            success: true,
            feedIndex: index ?? head.index,
            head,
            path,
          }),
        }),
      )),
  }
  return routes
})

const noProof = (index: number | null) =>
  prepare({
    code: "signal_not_found",
    ...index === null ? noItemsYet : { message: `The chain has no item with index ${index}` },
    hint: `Read ${freeRows.index.path}: \`head.index\` is the newest. Items are kept 90 days.`,
  })
