/**
 * The service's process in production. `dev.ts` is that of `deno task dev`.
 *
 * @module
 */
import "./core/fiberContext.ts"
import { startStoreWorker } from "./postgres/storeWorker.ts"

const get = (name: string) => Deno.env.get(name)

// An embedded store loads in its worker while the service's modules load here.
if ((get("DATABASE_URL") ?? "") === "") startStoreWorker()
const { runService } = await import("./app/service.ts")
Deno.exit(await runService("start", get))
