/**
 * Student's quantile against a table.
 *
 * @module
 */
import { ok } from "node:assert/strict"
import { studentQuantile } from "../../../src/core/domain/student.ts"

Deno.test("studentQuantile() is close to the table, and to the normal quantile for many degrees", () => {
  const table = [[1, 12.7062], [2, 4.3027], [9, 2.2622], [19, 2.093], [29, 2.0452], [1e9, 1.96]]
  for (const [degrees = 0, value = 0] of table) {
    ok(Math.abs(studentQuantile(degrees) - value) < 0.001, `${degrees}`)
  }
  for (const [degrees, value] of [[3, 3.1824], [5, 2.5706]] as const) {
    ok(Math.abs(studentQuantile(degrees) / value - 1) < 0.011, `${degrees}`)
  }
})
