/**
 * The schema of a migrated store as readable SQL, from PostgreSQL's catalog: the text of
 * `migrations/schema.sql`.
 *
 * @module
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"

const header =
  `-- The current schema, for reading. Generated from the migrations by \`deno task schema\`: do not edit.
-- Tables in the order of their names, each with its indexes and triggers; then the functions.
`

interface Lines {
  readonly lines: string
}

const joined = (separator: string) => (rows: ReadonlyArray<Lines>) =>
  rows.map(({ lines }) => lines).join(separator)

/** Enum types, and the sequences that belong to no column. */
const typesAndSequences = (sql: SqlClient) =>
  sql<Lines>`
    SELECT 'CREATE TYPE ' || typname || ' AS ENUM (' || (
      SELECT string_agg(quote_literal(enumlabel), ', ' ORDER BY enumsortorder)
      FROM pg_enum WHERE enumtypid = t.oid
    ) || ');' AS lines
    FROM pg_type t WHERE typtype = 'e' AND typnamespace = current_schema()::regnamespace
    UNION ALL
    SELECT 'CREATE SEQUENCE ' || relname || ';' FROM pg_class c
    WHERE relkind = 'S' AND relnamespace = current_schema()::regnamespace
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype IN ('a', 'i'))
    ORDER BY lines`.pipe(Effect.map(joined("\n")))

/** Columns and constraints; NOT NULL is shown with its column. */
const tables = (sql: SqlClient) =>
  sql<Lines & { readonly name: string }>`
    SELECT relname AS name, concat(
      E'-- ' || replace(obj_description(c.oid, 'pg_class'), E'\n', E'\n-- ') || E'\n',
      'CREATE ', CASE relpersistence WHEN 'u' THEN 'UNLOGGED ' END, 'TABLE ', relname, E' (\n',
      (
        SELECT string_agg(line, E',\n' ORDER BY part, place, line) FROM (
          SELECT 1 AS part, attnum::integer AS place, concat(
            E'  -- ' || replace(col_description(c.oid, attnum), E'\n', E'\n  -- ') || E'\n',
            '  ', quote_ident(attname), ' ', format_type(atttypid, atttypmod),
            ' COLLATE ' || (
              SELECT quote_ident(collname) FROM pg_collation
              WHERE oid = attcollation AND collname <> 'default'
            ),
            CASE WHEN attnotnull THEN ' NOT NULL' END,
            CASE WHEN attidentity = 'a' THEN ' GENERATED ALWAYS AS IDENTITY' END,
            CASE attgenerated WHEN 's' THEN ' GENERATED ALWAYS AS (' ELSE ' DEFAULT ' END
              || pg_get_expr(adbin, adrelid, true)
              || CASE attgenerated WHEN 's' THEN ') STORED' ELSE '' END,
            CASE attcompression WHEN 'l' THEN ' COMPRESSION lz4' END
          ) AS line
          FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
          WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped
          UNION ALL
          SELECT 2, position(contype::text IN 'pufc'),
            '  CONSTRAINT ' || conname || ' ' || pg_get_constraintdef(oid, true)
          FROM pg_constraint WHERE conrelid = c.oid AND contype IN ('p', 'u', 'f', 'c')
        ) parts
      ),
      E'\n)', ' WITH (' || array_to_string(reloptions, ', ') || ')', ';'
    ) AS lines
    FROM pg_class c
    WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace
      AND relname <> 'schema_migration'
    ORDER BY relname COLLATE "C"`

const indexes = (sql: SqlClient, table: string) =>
  sql<Lines>`
    SELECT pg_get_indexdef(indexrelid) || ';' AS lines
    FROM pg_index JOIN pg_class c ON c.oid = indexrelid
    WHERE indrelid = ${table}::regclass
      AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u'))
    ORDER BY c.relname COLLATE "C"`

const triggers = (sql: SqlClient, table: string) =>
  sql<Lines>`
    SELECT pg_get_triggerdef(oid, true) || ';' AS lines
    FROM pg_trigger WHERE tgrelid = ${table}::regclass AND NOT tgisinternal
    ORDER BY tgname COLLATE "C"`

const functions = (sql: SqlClient) =>
  sql<Lines>`
    SELECT concat(
      E'-- ' || replace(obj_description(oid, 'pg_proc'), E'\n', E'\n-- ') || E'\n',
      trim(E'\n' FROM pg_get_functiondef(oid)), ';') AS lines
    FROM pg_proc WHERE pronamespace = current_schema()::regnamespace
    ORDER BY proname COLLATE "C"`.pipe(Effect.map(joined("\n\n")))

/** Without what PostgreSQL adds to an expression and no reader needs. */
const shortened = (definition: string) =>
  definition.replaceAll("'::text", "'").replaceAll(" USING btree", "")
    .replaceAll("timestamp with time zone", "timestamptz")

/** The schema of the store, without the record of migrations. Needs a migrated store. */
export const schemaText = Effect.gen(function* () {
  const sql = yield* SqlClient
  const parts = [header + (yield* typesAndSequences(sql))]
  for (const { name, lines } of yield* tables(sql)) {
    const more = [...yield* indexes(sql, name), ...yield* triggers(sql, name)]
    parts.push([lines, ...more.map(({ lines }) => lines)].map(shortened).join("\n"))
  }
  parts.push(yield* functions(sql))
  const [schema] = yield* sql<{ name: string }>`SELECT current_schema() AS name`
  return parts.join("\n\n").replaceAll(` ${schema?.name}.`, " ") + "\n"
})

/** The file that holds the text. */
export const schemaFile = new URL("../../migrations/schema.sql", import.meta.url)
