/**
 * Drills of failures and upgrades under paying clients, each with a reconciliation at the end.
 *
 * deno run -A tests/kill/drill.ts backup [--seconds 15] [--seed 1] [--clients 12]
 *
 * Several drills run one after another on one store: `pitr` before others, which end the archive of
 * WAL, and `upgrade --from COMMIT` alone.
 *
 * @module
 */
import { Console, Effect, type Scope } from "effect"
import { Argument, Flag } from "effect/cli"
import { hasAnvil } from "../support/payments/anvil.ts"
import { hasPostgres } from "../support/postgresCluster.ts"
import { hasNginx } from "../support/nginx.ts"
import { runProgram, taskArguments, whole } from "../support/program.ts"
import { makeLogDir } from "./environment.ts"
import { backup } from "./drills/backup.ts"
import { pitr } from "./drills/pitr.ts"
import { standby } from "./drills/standby.ts"
import { type Drill, type DrillOptions, startDrill } from "./drills/drill.ts"
import { checkOut, upgrade } from "./drills/upgrade.ts"
import { finalReconciliation, report } from "./report.ts"
import { startTraffic } from "./traffic.ts"

const drills: Readonly<
  Record<string, (drill: Drill, older: URL) => Effect.Effect<void, unknown, Scope.Scope>>
> = { backup, pitr, standby, upgrade }

const { names, from, ...sizes } = await taskArguments("drill", {
  names: Argument.Literals("drill", Object.keys(drills)).pipe(
    Argument.variadic(),
    Argument.filter((names) => names.length > 0, () => "the name of a drill"),
  ),
  from: Flag.String("from").pipe(
    Flag.withDefault("HEAD"),
    Flag.withDescription("The commit that is upgraded"),
  ),
  seconds: whole("seconds", 15),
  seed: whole("seed", 1),
  clients: whole("clients", 12),
})
const options: DrillOptions = { replicas: 3, workers: 2, ...sizes }

/** Few enough for the connections that nginx allows one address. */
const openPurchasesMax = 40

const program = Effect.gen(function* () {
  const dir = yield* Effect.promise(() => makeLogDir("drill-"))
  yield* Console.log(
    `drill: ${names.join(", ")}; seed ${options.seed}, ${options.replicas} replicas, ` +
      `${options.workers} refund workers, ${options.clients} clients; load average ${
        Deno.loadavg().map((load) => load.toFixed(1)).join(", ")
      }; logs in ${dir}`,
  )
  const isUpgrade = names.includes("upgrade")
  const older = isUpgrade
    ? yield* Effect.promise(() => checkOut(from, `${dir}/older`))
    : new URL("../..", import.meta.url)
  const drill = yield* startDrill(dir, isUpgrade ? calm(options, older) : options)
  yield* drill.say("all processes are ready")
  const { environment, context } = drill
  const traffic = yield* startTraffic(environment, context, { ...options, openPurchasesMax })
  yield* Effect.forEach(names, (name) => drills[name]?.(drill, older) ?? Effect.void)
  yield* drill.say(`no new payments; ${yield* traffic.open} purchases continue`)
  yield* traffic.finish
  const finished = {
    ...options,
    context,
    environment: { ...environment, cluster: drill.cluster() },
    killLog: null,
  }
  const reconciliation = yield* finalReconciliation(finished)
  yield* drill.say("reconciled")
  const isReconciled = yield* report(finished, {
    ...reconciliation,
    faults: [...drill.faults, ...reconciliation.faults],
  })
  return isReconciled && reconciliation.both === 0
}).pipe(Effect.scoped)

/** In an upgrade every failed request is a fault, so the facilitator and the clients make none. */
const calm = (options: DrillOptions, root: URL): DrillOptions => ({
  ...options,
  root,
  scenario: "steady",
  faultShares: { settleShare: 0, verifyShare: 0 },
})

if (!hasAnvil) throw new Error("No anvil: npm ci --prefix tests/anvil")
if (!hasPostgres) throw new Error("PostgreSQL is not installed on this machine")
if (!hasNginx) throw new Error("No nginx: apt-get install nginx-light")
await runProgram("drill", program)
