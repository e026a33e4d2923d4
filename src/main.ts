/**
 * The service's process: `main.ts dev` runs everything embedded and simulated by default; `main.ts
 * start` has production defaults.
 *
 * @module
 */
import "./core/fiberContext.ts"
import { openStoreEarly } from "./postgres/storeDirectory.ts"

const get = (name: string) => Deno.env.get(name)

// The embedded store opens in its worker while the service's modules load here. The launcher always
// names the folder. The settings are checked after that.
const dataDir = get("DATA_DIR") ?? ""
if ((get("DATABASE_URL") ?? "") === "" && dataDir !== "") openStoreEarly(dataDir)
const { runService } = await import("./app/runService.ts")
Deno.exit(await runService(Deno.args[0] === "dev" ? "dev" : "start", get))
