/**
 * POST /a2a: the skills as an agent of A2A 0.3.0, over JSON-RPC.
 *
 * @module
 */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import type { TaskStore } from "../services/TaskStore.ts"
import type { EdgeRoute } from "./edge.ts"
import { overloaded } from "./refusals.ts"
import { toWebHandler } from "./server.ts"
import type { SkillPorts } from "./skills.ts"

/** What /a2a stands on, beside the skills. */
export interface A2aPorts {
  readonly skills: SkillPorts
  readonly tasks: TaskStore["Service"]
}

/** The route of /a2a; none of its methods is here yet. */
export const a2aRoute = Effect.fnUntraced(function* ({ skills }: Omit<A2aPorts, "tasks">) {
  const handle = yield* toWebHandler(Effect.sync(() =>
    HttpServerResponse.jsonUnsafe({
      jsonrpc: "2.0",
      id: null,
      error: { code: -32601, message: "Method not found" },
    })
  ))
  const route: EdgeRoute = {
    limiter: skills.documents,
    current: null,
    paid: null,
    post: { handle, overloaded },
  }
  return route
})
