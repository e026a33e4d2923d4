/**
 * A ledger in a folder, which several processes can share and which survives their end at any moment.
 *
 * There is no lock that a killed process could leave behind. Each change writes a whole new version of
 * the ledger to a temporary file, and links that file to the name of the next version. A link to a
 * name that exists fails, so one process alone makes each version; the others read it and try again.
 * The version with the highest number is the ledger. It is never deleted, so a process that was slow
 * can at most make a version with a lower number; it sees that its change is not in the highest
 * version, and tries again.
 *
 *     ledger-000000000016.json    an earlier version, deleted soon
 *     ledger-000000000017.json    the ledger: the SHA-256 of the rest, and the rest as JSON
 *     tmp-…                       a version that was not linked yet
 *
 * @module
 */
import { createHash, randomUUID } from "node:crypto"
import { link, mkdir, open, readdir, readFile, stat, unlink } from "node:fs/promises"
import { join } from "node:path"
import { emptyLedger, type Ledger, type LedgerPayment, type LedgerState } from "./ledger.ts"
import { inTurn, LedgerUnusable, outcomeMoves } from "./ledger.ts"
import { addressPattern, fieldsOf, hashPattern, matching, parseUrl } from "./text.ts"

/** A change that others overtake for this long fails. */
const waitMsMax = 5_000
/** The longest wait before a change is tried again. */
const retryMsMax = 50
/** How many earlier versions are kept, for processes that are reading one. */
const versionsKept = 8
/** How many changes a version names, so that a process finds its own. */
const changesNamed = 64
/** A temporary file as old as this was left by a process that was killed. */
const temporaryMsMax = 3_600_000

interface Version {
  readonly number: number
  /** The ids of the newest changes in it. */
  readonly changes: ReadonlyArray<string>
  readonly state: LedgerState
}

/** The ledger in this folder, which is made when it is absent. Its files have the mode 0600. */
export function fileLedger(folder: string): Ledger {
  return inTurn(async (change) => {
    const endMs = performance.now() + waitMsMax
    for (let times = 0; performance.now() < endMs; times += 1) {
      const before = await fileErrors(folder, () => newest(folder))
      const { state, result } = await change(before.state)
      if (state === before.state) return result
      if (await fileErrors(folder, () => isAdded(folder, before, state))) return result
      await pause(Math.min(2 ** times, retryMsMax))
    }
    throw new LedgerUnusable(
      `The ledger in ${folder} was changed by other processes for ${waitMsMax / 1_000} s`,
    )
  })
}

/** A random part of the time, so that processes that wait for each other do not wake together. */
function pause(msMax: number): Promise<void> {
  const [part = 0] = crypto.getRandomValues(new Uint8Array(1))
  return new Promise((resolve) => setTimeout(resolve, msMax * part / 255))
}

const namePattern = /^ledger-(\d{12})\.json$/

const nameOf = (number: number): string => `ledger-${String(number).padStart(12, "0")}.json`

/** The numbers of all versions, the highest first. */
async function numbersIn(folder: string): Promise<ReadonlyArray<number>> {
  const names = await readdir(folder)
  return names.flatMap((name) => namePattern.exec(name)?.[1] ?? []).map(Number)
    .sort((one, other) => other - one)
}

/** The ledger as it is now. */
async function newest(folder: string): Promise<Version> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  for (;;) {
    const [number] = await numbersIn(folder)
    if (number === undefined) return { number: 0, changes: [], state: emptyLedger }
    const path = join(folder, nameOf(number))
    const text = await unlessAbsent(readFile(path, "utf8"))
    // It was deleted since, so there are newer versions.
    if (text === null) continue
    const version = parseVersion(text, number)
    if (version !== null) return version
    throw new LedgerUnusable(
      `The ledger ${path} is damaged. Look at what was paid, then move the folder away to start a new ` +
        "ledger",
    )
  }
}

/** Adds a version after `before`; false when another process has changed the ledger since. */
async function isAdded(folder: string, before: Version, state: LedgerState): Promise<boolean> {
  const id = randomUUID()
  const number = before.number + 1
  const changes = [...before.changes.slice(1 - changesNamed), id]
  const temporary = join(folder, `tmp-${id}`)
  try {
    await writeDurably(temporary, versionText({ number, changes, state }))
    await link(temporary, join(folder, nameOf(number)))
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false
    throw error
  } finally {
    await ignored(unlink(temporary))
  }
  await syncFolder(folder)
  const after = await newest(folder)
  if (!after.changes.includes(id)) return false
  await ignored(deleteOld(folder, after.number))
  return true
}

/** Cleaning up: the next change tries again. */
async function ignored(done: Promise<unknown>): Promise<void> {
  await done.catch(() => undefined)
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, "wx", 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Makes a new name durable. Windows has no such call for folders. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, "r")
    await handle.sync().finally(() => handle.close())
  } catch (error) {
    if (!["EISDIR", "EPERM", "EACCES", "EINVAL"].includes(codeOf(error))) throw error
  }
}

/** Deletes earlier versions, and what killed processes left. */
async function deleteOld(folder: string, newestNumber: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    const number = namePattern.exec(name)?.[1]
    if (number !== undefined && Number(number) < newestNumber - versionsKept) {
      await unlessAbsent(unlink(path))
    }
    if (!name.startsWith("tmp-")) continue
    const found = await unlessAbsent(stat(path))
    // Both times are the file system's.
    const now = await unlessAbsent(stat(join(folder, nameOf(newestNumber))))
    if (found && now && now.mtimeMs - found.mtimeMs > temporaryMsMax) {
      await unlessAbsent(unlink(path))
    }
  }
}

/** Null when the file does not exist. */
async function unlessAbsent<A>(done: Promise<A>): Promise<A | null> {
  try {
    return await done
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null
    throw error
  }
}

function codeOf(error: unknown): string {
  return String(fieldsOf(error)["code"])
}

/** Turns an error of the file system into one that says which ledger cannot be used. */
async function fileErrors<A>(folder: string, run: () => Promise<A>): Promise<A> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof LedgerUnusable) throw error
    const code = codeOf(error)
    const why = ["ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(code)
      ? "its file system has no hard links"
      : ["EEXIST", "ENOTDIR"].includes(code)
      ? "this is a file, and a ledger is a folder"
      : matching(code, /^E[A-Z0-9]{1,20}$/) ?? "the file system failed"
    throw new LedgerUnusable(`The ledger in ${folder} cannot be used: ${why}`)
  }
}

function versionText({ number, changes, state }: Version): string {
  const text = JSON.stringify({ number, changes, ...state }, null, 1)
  return `${checksum(text)}\n${text}`
}

function checksum(text: string): string {
  return createHash("sha256").update(text).digest("hex")
}

/** A version, checked; null when it is damaged. */
function parseVersion(text: string, number: number): Version | null {
  const [sum, rest] = [text.slice(0, 64), text.slice(65)]
  if (text !== `${sum}\n${rest}` || checksum(rest) !== sum) return null
  try {
    const { changes, number: written, ...state } = fieldsOf(JSON.parse(rest))
    if (written !== number || !isListOf(changes, isText) || !isState(state)) return null
    return { number, changes, state }
  } catch {
    return null
  }
}

function isState(value: unknown): value is LedgerState {
  const { version, receivers, signedByDay, payments } = fieldsOf(value)
  return version === 1 && isListOf(payments, isPayment) &&
    Object.values(fieldsOf(receivers)).every((payTo) => matching(payTo, addressPattern) !== null) &&
    Object.entries(fieldsOf(signedByDay)).every(([day, amount]) =>
      dayPattern.test(day) && matching(amount, unitsPattern) !== null
    )
}

const dayPattern = /^\d{4}-\d\d-\d\d$/
const unitsPattern = /^\d{1,30}$/

function isPayment(value: unknown): value is LedgerPayment {
  const { paymentId, url, payer, amount, day, validBefore, outcome, sent } = fieldsOf(value)
  const { signature, key } = fieldsOf(sent)
  const isOpen = outcome === "unclear" || outcome === "unused"
  return matching(paymentId, hashPattern) !== null && matching(payer, addressPattern) !== null &&
    isText(url) && parseUrl(url) !== null && matching(amount, unitsPattern) !== null &&
    matching(day, dayPattern) !== null && Number.isSafeInteger(validBefore) &&
    isText(outcome) && Object.hasOwn(outcomeMoves, outcome) &&
    (isOpen ? isText(signature) && isText(key) : sent === null)
}

function isText(value: unknown): value is string {
  return typeof value === "string"
}

function isListOf<A>(value: unknown, is: (entry: unknown) => entry is A): value is Array<A> {
  return Array.isArray(value) && value.every(is)
}
