/**
 * Where the paths of the predecessor went: a table, and one successor for all that are not in it.
 *
 * @module
 */
import { Schema } from "effect"
import { freeRows } from "./freeRow.ts"
import { products } from "./product.ts"

/** What the predecessor's paths begin with. */
export const legacyPrefix = "/api"
/** The successor of a path that has none of its own: where an agent finds out what there is. */
export const successorOfAll: string = freeRows.index.path
/** Most entries of a table. */
const legacyRoutesMax = 1_000
/** When the predecessor's paths were deprecated, in seconds: the day this interface took over. */
export const deprecatedAt = 1_793_491_200

const rows: ReadonlyArray<{ readonly path: string }> = [
  ...Object.values(products),
  ...Object.values(freeRows),
]
/** Every path that may be a successor. */
const successors = [...rows.map(({ path }) => path), "/openapi.json"]

/** Successors by the predecessor's path. */
export type LegacyRoutes = ReadonlyMap<string, string>

const legacyPath = /^\/api(\/[A-Za-z0-9_.-]{1,100}){1,10}$/

/** A table, as a file has it. */
export const LegacyRoutes = Schema.Record(Schema.String, Schema.Literals(successors)).check(
  Schema.makeFilter((routes) => {
    const wrong = Object.keys(routes).find((path) => !legacyPath.test(path))
    return wrong === undefined
      ? undefined
      : { path: [wrong], issue: "Expected a path beneath /api/, without a query" }
  }),
  Schema.isMaxProperties(legacyRoutesMax, { expected: `at most ${legacyRoutesMax} routes` }),
)

/** The predecessor called what it had as we do, beneath `/api/` instead of `/v1/`. */
export const usualLegacyRoutes: LegacyRoutes = new Map(
  successors.map((path) => [`${legacyPrefix}${path.replace(/^\/v1\//, "/")}`, path]),
)

/** Where a path of the predecessor went, by what follows its prefix. */
export function successorOf(routes: LegacyRoutes, rest: string): string {
  return routes.get(`${legacyPrefix}${rest.replace(/\/$/, "")}`) ?? successorOfAll
}
