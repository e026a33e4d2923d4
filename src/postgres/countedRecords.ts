/**
 * The table of counted results, to which every store that counts appends in its own transaction; batches
 * of them are chained by `whales/postgres/countedLog.ts`.
 *
 * @module
 */
import type { SqlClient } from "effect/sql/SqlClient"
import { sha256 } from "../core/sha256.ts"

const saltBytes = 16

/** A random part of a record, so that its hash says nothing of the record. */
export const recordSalt = (): string => crypto.getRandomValues(new Uint8Array(saltBytes)).toHex()

/** The hash of a list of hashes: of their canonical JSON. */
export const listHash = (hashes: ReadonlyArray<string>): string => sha256(JSON.stringify(hashes))

/** Keeps the records of one transaction. */
export const keepRecords = (sql: SqlClient, records: ReadonlyArray<string>) =>
  sql`
    INSERT INTO counted_record (records, hash)
    VALUES (${records}::text[], decode(${listHash(records.map(sha256))}, 'hex'))`
