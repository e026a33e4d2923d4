/**
 * Prints what a check found; the exit code is 1 if a part failed.
 *
 * @module
 */
import { Console, Effect } from "effect"
import { hasFailed, jsonOf, type Row, tableOf } from "./rows.ts"

/** Prints the rows of a role, and returns the exit code. */
export const printCheck = (role: string, json: boolean, rows: ReadonlyArray<Row>) =>
  Effect.as(
    Console.log(json ? jsonOf(rows) : tableOf(`Bellwether, check of ${role}`, rows)),
    hasFailed(rows) ? 1 : 0,
  )
