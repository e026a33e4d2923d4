/**
 * The npm packages that the processes of `task dev` import, with what those depend on: a new one is
 * noticed, and the plan of a process stays small.
 *
 * @module
 */
import { ok } from "node:assert/strict"
import { locks, packagesOfEntry } from "../support/locks.ts"

/** The most packages that each process may need. */
const packagesMax = [
  { entry: "src/plan.ts", most: 3 },
  { entry: "src/refund-worker.ts", most: 22 },
  { entry: "src/main.ts", most: 128 },
]

for (const { entry, most } of packagesMax) {
  Deno.test(`${entry} needs at most ${most} npm packages`, async () => {
    const found = await packagesOfEntry(entry, locks.product.file)
    ok(found.size > 0 && found.size <= most, `${found.size}: ${[...found.keys()].join(", ")}`)
  })
}
