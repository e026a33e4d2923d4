/**
 * `bench/growth.md` says for every table that grows how fast it does, how long its rows are kept, and
 * which job deletes them.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { embeddedStore } from "../support/stores.ts"

const read = (path: string) => Deno.readTextFileSync(new URL(`../../${path}`, import.meta.url))
const number = (cell: string) => Number(cell.split(" ")[0]?.replaceAll(",", ""))

/** The days in "9 days" and "2 hours"; a year for "ever". */
function daysOf(kept: string): number {
  if (kept === "ever") return 365
  return number(kept) / (/ hours?$/.test(kept) ? 24 : 1)
}

const document = read("bench/growth.md")

/** The lines of the table of growth, cell by cell. */
const lines = [...document.matchAll(/^\| `(\w+)` \| (.+) \|$/gm)]
  .map(([, table = "", rest = ""]) => [table, ...rest.split(" | ")])
  .filter(({ length }) => length === 8)
const rows = lines.map(([table = "", , perDay = "", bytes = "", ...cells]) => {
  const [mbPerDay = "", kept = "", mbAtEnd = "", deletedBy = ""] = cells
  return { table, perDay, bytes, mbPerDay, kept, mbAtEnd, deletedBy }
})

const isNear = (stated: string, exact: number) =>
  Math.abs(number(stated) - exact) <= 0.05 + 0.02 * exact

Deno.test("bench/growth.md has every table of the schema and no other", async () => {
  const tables = await Effect.runPromise(
    Effect.flatMap(SqlClient, (sql) =>
      sql<{ name: string }>`
        SELECT relname AS name FROM pg_class
        WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace
        ORDER BY relname COLLATE "C"`).pipe(Effect.provide(embeddedStore)),
  )
  const [, bounded = ""] = /^These tables stay small.*: (.+)\.$/m.exec(document) ?? []
  const named = [...bounded.matchAll(/`(\w+)`/g)].map(([, table = ""]) => table)
  equal(
    [...new Set([...rows.map(({ table }) => table), ...named])].sort(),
    tables.map(({ name }) => name),
  )
})

Deno.test("the sizes in bench/growth.md follow from rows, bytes and times", () => {
  const wrong = rows.filter(({ perDay, bytes, mbPerDay, kept, mbAtEnd }) => {
    const exact = number(perDay) * number(bytes) / 1e6
    return !isNear(mbPerDay, exact) || !isNear(mbAtEnd, exact * daysOf(kept))
  })
  equal(wrong, [])
})

Deno.test("a table that grows is kept for ever, or a job of the service deletes its rows", () => {
  const jobs = new Set(
    [...read("src/app/jobs.ts").matchAll(/name: "([\w-]+)"/g)].map(([, name = ""]) => name),
  ).add("predetermined").add("scores").add("/status")
  for (const { table, kept, deletedBy } of rows) {
    const [, job = ""] = /^`([\w/-]+)`$/.exec(deletedBy) ?? []
    ok(kept === "ever" ? deletedBy === "-" : jobs.has(job), table)
  }
})
