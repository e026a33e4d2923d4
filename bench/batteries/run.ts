/**
 * Runs public batteries of attacks on x402 sellers, from folders outside of this repository, against
 * the service on loopback with a facilitator and a chain on sockets. Prints one row for each id, and
 * after each battery what the chain and the store say was sold. Ends with 1 when anything was sold
 * twice.
 *
 *     TEST_DATABASE_URL=postgres://postgres@127.0.0.1:5432/test \
 *       deno task bench:batteries --fabric FOLDER --assurance FOLDER
 *
 * `--fabric` is a copy of red-team-blue-team-agent-fabric, `--assurance` the folder
 * `transaction-assurance` of agoragentic-integrations.
 *
 * @module
 */
import { Console, Effect } from "effect"
import { type Environment, startEnvironment } from "../attacks/environment.ts"
import { runAssurance, type VectorResult } from "./assurance.ts"
import { runFabric } from "./fabric.ts"
import { countSales } from "./ledger.ts"

const folderOf = (name: string) => {
  const at = Deno.args.indexOf(`--${name}`)
  return at < 0 ? null : Deno.args[at + 1] ?? null
}

/** Prints what was sold so far; true when nothing was sold twice. */
const reportSales = Effect.fnUntraced(function* (environment: Environment, battery: string) {
  const sales = yield* Effect.promise(() => countSales(environment))
  yield* Console.log(`\nledger after ${battery}: ${JSON.stringify(sales)}\n`)
  return sales.doubleSales === 0
})

const textOf = (statuses: Readonly<Record<string, number>>) =>
  Object.entries(statuses).map(([status, count]) => `${count} x ${status}`).join(", ")

const fabric = Effect.fnUntraced(function* (environment: Environment, folder: string) {
  for (const pays of [false, true]) {
    for (const result of yield* runFabric(environment, folder, pays)) {
      const { id, name, passed, statuses, details } = result
      const how = pays ? "with money" : "as it is"
      const verdict = passed ? "pass" : "FAIL"
      yield* Console.log([id, how, verdict, textOf(statuses), name, details].join(" | "))
    }
  }
  return yield* reportSales(environment, "fabric")
})

/** A refusal where the suite asks for a review is stricter, and passes. */
function verdictOf({ expected, decision }: VectorResult): string {
  if (decision === null) return "not applicable"
  if (decision === expected) return "pass"
  return decision === "deny" && expected === "review" ? "pass, stricter" : "FAIL"
}

const assurance = Effect.fnUntraced(function* (environment: Environment, folder: string) {
  for (const result of yield* Effect.promise(() => runAssurance(environment, folder))) {
    const { id, expected, decision, seen } = result
    yield* Console.log([id, expected, decision, verdictOf(result), seen].join(" | "))
  }
  return yield* reportSales(environment, "assurance")
})

const program = Effect.gen(function* () {
  const environment = yield* startEnvironment({ worker: {} })
  let isGreen = true
  const fabricFolder = folderOf("fabric")
  if (fabricFolder !== null) isGreen = yield* fabric(environment, fabricFolder)
  const assuranceFolder = folderOf("assurance")
  if (assuranceFolder !== null) {
    isGreen = (yield* assurance(environment, assuranceFolder)) && isGreen
  }
  return isGreen
})

Deno.exit(await Effect.runPromise(Effect.scoped(program)) ? 0 : 1)
