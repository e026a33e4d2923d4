/**
 * The embedded store: one process per directory, no data lost by a restart or a kill, and one session
 * that its connections use in turn.
 *
 * @module
 */
import { PgClient } from "@effect/sql-pg"
import assert from "node:assert/strict"
import { Effect, Exit, Fiber, Layer, Scope } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { SqlClient } from "effect/sql/SqlClient"
import { layerEmbedded } from "../../src/postgres/client.ts"
import { DataDirBusy, StoreUnreadable } from "../../src/postgres/embedded.ts"
import { EmbeddedConnection } from "../../src/postgres/embeddedConnection.ts"
import { layer as feedLayer } from "../../src/feed/postgres/feedStore.ts"
import { migrate, migrationFiles } from "../../src/postgres/migrate.ts"
import { FeedStore } from "../../src/feed/FeedStore.ts"
import { liveTest } from "../support/effect.ts"
import { registerSkipped } from "../support/venues/oracle.ts"
import { sampleItem } from "../support/feed/items.ts"
import { removeFolder } from "../support/process.ts"
import { openInMemory } from "../support/memoryStore.ts"
import { embeddedStore } from "../support/stores.ts"

const root = new URL("../..", import.meta.url)

const temporaryDirectory = Effect.acquireRelease(
  Effect.promise(() => Deno.makeTempDir()),
  removeFolder,
)

const onDirectory = (dataDir: string) =>
  Layer.provideMerge(
    feedLayer,
    Layer.provideMerge(
      Layer.effectDiscard(Effect.flatMap(migrationFiles, migrate)),
      layerEmbedded({ dataDir }),
    ),
  )

const append = (dedupeKey: string) =>
  Effect.flatMap(FeedStore, (feed) => {
    const { feedIndex: _, ...item } = sampleItem(1, 0)
    return feed.append([{ ...item, dedupeKey } as Parameters<typeof feed.append>[0][number]])
  })

const newest = Effect.flatMap(
  FeedStore,
  (feed) =>
    Effect.map(
      feed.page({ since: null, count: 1, type: null }),
      ([item]) => item?.feedIndex,
    ),
)

liveTest("an embedded store keeps everything through a restart", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryDirectory
    yield* append("a").pipe(Effect.provide(onDirectory(dataDir)))
    yield* append("b").pipe(Effect.provide(onDirectory(dataDir)))
    assert.equal(yield* newest.pipe(Effect.provide(onDirectory(dataDir))), 2)
  }))

liveTest("a creation that was interrupted starts again", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryDirectory
    yield* Effect.promise(async () => {
      await Deno.mkdir(`${dataDir}/postgres.new/base`, { recursive: true })
      await Deno.writeTextFile(`${dataDir}/postgres.new/PG_VERSION`, "18")
    })
    yield* append("a").pipe(Effect.provide(onDirectory(dataDir)))
    assert.equal(yield* newest.pipe(Effect.provide(onDirectory(dataDir))), 1)
  }))

/** Another process that opens the store, appends one item and keeps running. */
const otherProcess = (dataDir: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const script = `
        import { append, onDirectory } from ${JSON.stringify(import.meta.url)}
        import { Effect } from "effect"
        const ready = Effect.andThen(append("ready"), Effect.sync(() => console.log("ready")))
        await Effect.runPromise(Effect.provide(Effect.andThen(ready, Effect.never),
          onDirectory(${JSON.stringify(dataDir)})))`
      const child = new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--no-check", "--config", config, "-"],
        stdin: "piped",
        stdout: "piped",
      }).spawn()
      const writer = child.stdin.getWriter()
      await writer.write(new TextEncoder().encode(script))
      await writer.close()
      const reader = child.stdout.getReader()
      assert.match(new TextDecoder().decode((await reader.read()).value), /ready/)
      await reader.cancel()
      return child
    }),
    kill,
  )

const config = new URL("../../deno.json", import.meta.url).pathname

const kill = (child: Deno.ChildProcess) =>
  Effect.promise(async () => {
    try {
      child.kill("SIGKILL")
    } catch { /* It has ended. */ }
    await child.status
  })

export { append, onDirectory }

liveTest(
  "a second process fails with DataDirBusy, and takes over when the first is killed",
  () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryDirectory
      const child = yield* otherProcess(dataDir)
      const refusal = yield* Effect.flip(newest.pipe(Effect.provide(onDirectory(dataDir))))
      assert.ok(refusal instanceof DataDirBusy)
      assert.ok(refusal.message.includes(dataDir))
      assert.match(refusal.message, /DATA_DIR|DATABASE_URL/)
      yield* kill(child)
      assert.equal(yield* newest.pipe(Effect.provide(onDirectory(dataDir))), 1)
    }),
)

liveTest(
  "transactions of one backend do not mix, and an interrupted one is rolled back",
  () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* sql`CREATE TABLE counter (n integer)`
      yield* sql`INSERT INTO counter VALUES (0)`
      const increment = sql.withTransaction(Effect.gen(function* () {
        const [row] = yield* sql<{ n: number }>`SELECT n FROM counter`
        yield* Effect.yieldNow
        yield* sql`UPDATE counter SET n = ${(row?.n ?? 0) + 1}`
      }))
      const interrupted = yield* Effect.forkChild(
        sql.withTransaction(Effect.andThen(sql`UPDATE counter SET n = 1000`, Effect.never)),
      )
      const others = yield* Effect.forkChild(
        Effect.forEach(Array.from({ length: 30 }), () => increment, { concurrency: 6 }),
      )
      yield* Effect.sleep(20)
      yield* Fiber.interrupt(interrupted)
      yield* Fiber.join(others)
      assert.deepEqual(yield* sql`SELECT n FROM counter`, [{ n: 30 }])
    }).pipe(Effect.provide(embeddedStore)),
)

liveTest(
  "a closed connection leaves no transaction and no named statement on the backend",
  () =>
    Effect.gen(function* () {
      const backend = yield* openInMemory()
      const client = (scope: Scope.Scope) =>
        PgClient.make({
          stream: () => new EmbeddedConnection(backend),
          ssl: false,
          username: "postgres",
        }).pipe(
          Effect.provide(Reactivity.layer),
          Scope.provide(scope),
        )
      const scope = yield* Scope.make()
      const first = yield* client(scope)
      yield* first`CREATE TABLE kept (a integer)`
      const connection = yield* Scope.provide(first.reserve, scope)
      yield* connection.executeUnprepared("BEGIN", [], undefined)
      yield* connection.execute("INSERT INTO kept VALUES (1)", [], undefined)
      yield* Scope.close(scope, Exit.void)
      const second = yield* client(yield* Effect.scope)
      assert.deepEqual(yield* second`SELECT * FROM kept`, [])
      const [named] = yield* second<{ n: bigint }>`SELECT count(*) AS n FROM pg_prepared_statements
      WHERE statement LIKE '%kept%' AND statement NOT LIKE '%pg_prepared%'`
      assert.equal(named?.n, 1n)
    }),
)

/** Rewrites one row for ever: the tables stay small, the log of PostgreSQL grows. */
const fillDisk = `
  import { layerEmbedded } from "./src/postgres/client.ts"
  import { Effect } from "effect"
  import { SqlClient } from "effect/sql/SqlClient"
  const program = Effect.gen(function* () {
    const sql = yield* SqlClient
    yield* sql\`CREATE TABLE filling (text text)\`
    yield* sql\`INSERT INTO filling VALUES ('')\`
    const rewrite = sql\`UPDATE filling SET text = repeat(md5(random()::text), 40)\`
    yield* Effect.forever(Effect.ignore(rewrite))
  })
  await Effect.runPromise(Effect.provide(program, layerEmbedded({ dataDir: Deno.args[0] })))`

const fullDisk = "a full disk ends the process with a message"
const smallDisk = ["-t", "tmpfs", "-o", "size=48m", "tmpfs"]

/** Only root may mount a small disk. */
if (Deno.build.os !== "linux" || Deno.uid() !== 0) registerSkipped(fullDisk, "needs root on Linux")
else {
  liveTest(fullDisk, () =>
    Effect.gen(function* () {
      const dir = yield* temporaryDirectory
      const run = (command: string, args: ReadonlyArray<string>) =>
        Effect.promise(() =>
          new Deno.Command(command, { args: [...args], cwd: root, stdin: "null" }).output()
        )
      yield* Effect.acquireRelease(
        run("mount", [...smallDisk, dir]),
        () => run("umount", [dir]),
      )
      const { code, stderr } = yield* run(Deno.execPath(), ["eval", fillDisk, dir])
      const message = new TextDecoder().decode(stderr)
      assert.ok(message.includes(`the disk of ${dir}/postgres is full`), message)
      assert.equal(code, 1)
    }))
}

liveTest(
  "a folder that is no database fails with StoreUnreadable, and can be opened once mended",
  () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryDirectory
      yield* Effect.promise(() => Deno.mkdir(`${dataDir}/postgres`))
      yield* Effect.promise(() => Deno.writeTextFile(`${dataDir}/postgres/PG_VERSION`, "0"))
      const refusal = yield* Effect.flip(newest.pipe(Effect.provide(onDirectory(dataDir))))
      assert.ok(refusal instanceof StoreUnreadable)
      assert.ok(refusal.message.includes(dataDir))
      yield* Effect.promise(() => Deno.rename(`${dataDir}/postgres`, `${dataDir}/aside`))
      assert.equal(yield* newest.pipe(Effect.provide(onDirectory(dataDir))), undefined)
    }),
)
