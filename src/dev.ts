/**
 * The process of `deno task dev`: the service, embedded and simulated by default. Where payments are
 * simulated it pays the refunds too.
 *
 * @module
 */
import "./core/fiberContext.ts"
import { startStoreWorker } from "./postgres/storeWorker.ts"

const get = (name: string) => Deno.env.get(name)

// The embedded store loads in its worker while the service's modules load here.
if ((get("DATABASE_URL") ?? "") === "") startStoreWorker()
const [{ runService }, { simulatedRefunds }] = await Promise.all([
  import("./app/service.ts"),
  import("./app/refundProcess.ts"),
])
Deno.exit(await runService("dev", get, simulatedRefunds))
