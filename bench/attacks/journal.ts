/**
 * Attack 1: the delivery journal is on a full disk. Needs root, to mount a small disk.
 *
 * @module
 */
import { Effect } from "effect"
import { fundedBuyers, newPurchase, send } from "./buyers.ts"
import { type Drill, sleep } from "./drill.ts"
import { startEnvironment } from "./environment.ts"

const purchases = 3
/** Short, so that an answer that is not marked as delivered is refunded within the drill. */
const timing = { LEASE: "40 seconds", HOLD: "45 seconds" } as const
/** HOLD, a sweep and the time of a sale. */
const refundedWithinMs = 65_000

const run = (command: string, ...args: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const { success, stderr } = await new Deno.Command(command, { args: [...args] }).output()
    if (!success) throw new Error(new TextDecoder().decode(stderr))
  })

/** Mounts a disk of 64 kB where the service keeps its journal. */
const smallDisk = (dir: string) =>
  Effect.promise(() => Deno.mkdir(`${dir}/.data`)).pipe(
    Effect.andThen(Effect.acquireRelease(
      run("mount", "-t", "tmpfs", "-o", "size=64k", "none", `${dir}/.data`),
      () => run("umount", "-l", `${dir}/.data`),
    )),
  )

/** Writes until the disk is full. */
function fill(folder: string): void {
  const file = Deno.openSync(`${folder}/filler`, { write: true, create: true })
  try {
    for (;;) file.writeSync(new Uint8Array(1_024))
  } catch {
    // The disk is full.
  } finally {
    file.close()
  }
}

export const attack1: Drill = Effect.fnUntraced(function* ({ print }) {
  if (Deno.uid() !== 0) {
    return { attack: "1", figures: {}, faults: ["not run: only root can mount a small disk"] }
  }
  const environment = yield* startEnvironment({ settings: timing, prepare: smallDisk })
  const { replicas: [replica], query } = environment
  if (replica === undefined) return yield* Effect.die("no replica")
  return yield* Effect.promise(async () => {
    fill(`${replica.dir}/.data`)
    const [buyer] = await fundedBuyers(environment, 1)
    if (buyer === undefined) throw new Error("no buyer")
    const answers = await Promise.all(
      Array.from(
        { length: purchases },
        () => send(newPurchase(environment, buyer, "latest"), replica.port),
      ),
    )
    const delivered = answers.filter(({ status }) => status === 200).length
    print(`attack 1: ${delivered} answers delivered; waiting for refunds`)
    await sleep(refundedWithinMs)
    const [row] = await query(
      "SELECT count(*) FILTER (WHERE state IN ('refund_due', 'refunded'))::int AS refunded, " +
        "count(*) FILTER (WHERE sent_at IS NOT NULL)::int AS marked FROM payment",
    )
    const refunded = Number(row?.["refunded"])
    const log = await Deno.readTextFile(`${replica.dir}/log`)
    const warnings = log.split("\n").filter((line) => /journal/i.test(line)).length
    return {
      attack: "1",
      figures: {
        delivered,
        "marked as delivered": Number(row?.["marked"]),
        "refunded as well": refunded,
        "log lines about the journal": warnings,
      },
      faults: [
        ...delivered === purchases ? [] : [`only ${delivered} of ${purchases} were delivered`],
        ...refunded === 0 ? [] : [`${refunded} delivered answers were refunded as well`],
        ...warnings > 0 ? [] : ["the log says nothing about the journal"],
      ],
    }
  })
})
