/**
 * The arguments of `deno task check`.
 *
 * @module
 */
import { parseArgs } from "node:util"
import { Effect } from "effect"
import { InvalidArguments } from "../restoreArguments.ts"

const roles = ["service", "refunds", "migrate"] as const

const usage = "Use: deno task check [--role service|refunds|migrate] [--json]"

/** `role`: the process whose settings are checked. */
export const parseCheck = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const options = { role: { type: "string" }, json: { type: "boolean" } } as const
  const { role: name = "service", json = false } = yield* Effect.try({
    try: () => parseArgs({ args: [...args], options }).values,
    catch: (error) =>
      invalid(error instanceof Error ? error.message : "the arguments are not valid"),
  })
  const role = roles.find((role) => role === name)
  return role === undefined ? yield* invalid(`${name} is not a role`) : { role, json }
})

const invalid = (reason: string) =>
  new InvalidArguments({ message: `Cannot check: ${reason}. ${usage}` })
