/**
 * Attack 6: more connections than file descriptors, and heads of requests that never end.
 *
 * @module
 */
import { Effect } from "effect"
import { type Drill, sleep } from "./drill.ts"
import { startEnvironment } from "./environment.ts"
import { type IdleConnection, openIdle, request } from "./http.ts"

const openFilesMax = 512
/** More than the process can open. */
const idleConnections = 700
const halfHeads = 5_000
const halfHead = "GET /v1/index HTTP/1.1\r\nhost: 127.0.0.1\r\nx-slow: "
const batch = 100
/** Every client with an unfinished head must have been disconnected after this time. */
const headSecondsMax = 40
const probes = 5
/** Open files above the start that are no leak: pools of connections, timers. */
const filesTolerance = 30
const logLineMax = 200
const honestClient = "203.0.113.1"

async function openMany(
  port: number,
  count: number,
  text: string,
): Promise<ReadonlyArray<IdleConnection>> {
  const open: Array<IdleConnection> = []
  for (let at = 0; at < count; at += batch) {
    const opened = await Promise.all(Array.from({ length: batch }, () => openIdle(port, text)))
    open.push(...opened.filter((connection) => connection !== null))
  }
  return open
}

/** How many of a few free requests were answered, one after the other. */
async function servedOf(port: number): Promise<number> {
  let served = 0
  for (let probe = 0; probe < probes; probe++) {
    const answer = await request({
      port,
      path: "/v1/index",
      client: honestClient,
      timeoutMs: 2_000,
    })
    if (answer.status === 200) served += 1
    else await sleep(500)
  }
  return served
}

/** Connections until no descriptor is left. */
const exhaustDescriptors = Effect.gen(function* () {
  const { replicas: [replica] } = yield* startEnvironment({ openFilesMax })
  if (replica === undefined) return yield* Effect.die("no replica")
  return yield* Effect.promise(async () => {
    const open = await openMany(replica.port, idleConnections, "")
    await sleep(3_000)
    const servedDuring = await servedOf(replica.port)
    for (const connection of open) connection.close()
    await sleep(3_000)
    const servedAfter = await servedOf(replica.port)
    const log = (await Deno.readTextFile(`${replica.dir}/log`)).trimEnd().split("\n")
    const lastLine = replica.hasEnded() ? log.at(-1)?.slice(0, logLineMax) ?? "" : "-"
    return { lives: !replica.hasEnded(), lastLine, servedDuring, servedAfter }
  })
}).pipe(Effect.scoped)

/** Heads that never end, and descriptors after their clients have left. */
const sendHalfHeads = Effect.fnUntraced(function* (seconds: number) {
  const { replicas: [replica] } = yield* startEnvironment({})
  if (replica === undefined) return yield* Effect.die("no replica")
  return yield* Effect.promise(async () => {
    const filesBefore = replica.openFiles()
    const open = await openMany(replica.port, halfHeads, halfHead)
    const served = await servedOf(replica.port)
    await sleep(seconds * 1_000)
    const stillOpen = open.filter(({ isOpen }) => isOpen()).length
    for (const connection of open) connection.close()
    await sleep(3_000)
    return {
      accepted: open.length,
      served,
      stillOpen,
      filesLeft: replica.openFiles() - filesBefore,
      lives: !replica.hasEnded(),
    }
  })
}, Effect.scoped)

export const attack6: Drill = Effect.fnUntraced(function* ({ print }) {
  print(`attack 6: ${idleConnections} connections, ${openFilesMax} open files at most`)
  const full = yield* exhaustDescriptors
  print(`attack 6: ${halfHeads} heads that never end`)
  const slow = yield* sendHalfHeads(headSecondsMax)
  return {
    attack: "6",
    figures: {
      "lives without descriptors": String(full.lives),
      "last log line of an ended process": full.lastLine,
      [`served during, of ${probes}`]: full.servedDuring,
      [`served after, of ${probes}`]: full.servedAfter,
      "half-sent heads": slow.accepted,
      [`open after ${headSecondsMax} s`]: slow.stillOpen,
      [`served next to them, of ${probes}`]: slow.served,
      "files left open": slow.filesLeft,
    },
    faults: [
      ...full.lives && slow.lives ? [] : ["the process ended"],
      ...full.servedAfter === probes ? [] : ["it does not serve after the attacker has left"],
      ...slow.stillOpen === 0 ? [] : [`${slow.stillOpen} heads that never end are still open`],
      ...slow.filesLeft <= filesTolerance ? [] : [`${slow.filesLeft} descriptors are not closed`],
    ],
  }
})
