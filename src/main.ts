/**
 * The service's process: `main.ts dev` runs everything embedded and simulated by default; `main.ts
 * start` has production defaults.
 *
 * @module
 */
import "./core/fiberContext.ts"
import { startStoreWorker } from "./postgres/storeWorker.ts"

const get = (name: string) => Deno.env.get(name)

// The embedded store loads in its worker while the service's modules load here.
if ((get("DATABASE_URL") ?? "") === "") startStoreWorker()
const { runService } = await import("./app/runService.ts")
Deno.exit(await runService(Deno.args[0] === "dev" ? "dev" : "start", get))
