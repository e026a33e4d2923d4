/**
 * The requests that the venue accepts, as its documents and its own SDK send them; the stand-ins refuse
 * all others.
 *
 * Sources: docs.polymarket.com/api-spec/gamma-openapi.yaml (Gamma: arrays are repeated keys, `limit` up to
 * 100), clob-openapi.yaml (books: up to 500 tokens; prices-history: 15 days), data-api.polymarket.com/v2/openapi.json
 * and @polymarket/client `actions/params.ts` (Data v2: snake_case, arrays are one comma-separated value of at
 * most 20 distinct ids, repeated keys are 400 "duplicate field", `start` and `end` only with `user`).
 *
 * @module
 */

type Rule = (value: string) => boolean

interface RouteRules {
  readonly path: RegExp
  readonly params: Readonly<Record<string, Rule>>
  /** Parameters that may be repeated. */
  readonly repeated?: ReadonlyArray<string>
  /** What must hold between parameters; a text says what is wrong. */
  readonly together?: (query: URLSearchParams) => string | null
}

const any: Rule = (value) => value !== ""
const flag: Rule = (value) => value === "true" || value === "false"
const oneOf = (...values: ReadonlyArray<string>): Rule => (value) => values.includes(value)
const upTo = (most: number): Rule => (value) =>
  /^\d{1,6}$/.test(value) && Number(value) >= 1 && Number(value) <= most
const seconds: Rule = (value) => /^\d{1,10}$/.test(value) && Number(value) > 0
const condition: Rule = (value) => /^0x[0-9a-f]{64}$/.test(value)
const conditions: Rule = (value) => {
  const ids = value.split(",")
  return ids.every(condition) && ids.length <= 20 && new Set(ids).size === ids.length
}
const slug: Rule = (value) => /^[A-Za-z0-9][A-Za-z0-9._-]{0,254}$/.test(value)
const time: Rule = (value) => !Number.isNaN(Date.parse(value))

const paging = { limit: upTo(100), after_cursor: any, closed: flag, include_tag: flag, slug }
const pages = { cursor: any, limit: upTo(1_000) }

const routes: ReadonlyArray<RouteRules> = [
  {
    path: /^\/markets\/keyset$/,
    params: {
      ...paging,
      order: oneOf("volume24hr", "volumeNum", "liquidityNum", "endDate", "startDate"),
      ascending: flag,
      condition_ids: condition,
      end_date_min: time,
    },
    repeated: ["condition_ids", "slug"],
  },
  {
    path: /^\/events\/keyset$/,
    params: { ...paging, id: upTo(999_999) },
    repeated: ["slug", "id"],
  },
  { path: /^\/books$/, params: {} },
  { path: /^\/book$/, params: { token_id: any } },
  { path: /^\/markets\/0x[0-9a-f]{64}$/, params: {} },
  {
    path: /^\/prices-history$/,
    params: {
      market: any,
      startTs: seconds,
      endTs: seconds,
      interval: oneOf("max", "1m", "1w", "1d", "6h", "1h"),
      fidelity: upTo(10_000),
    },
    together: (query) =>
      query.has("interval") === query.has("startTs")
        ? "startTs and endTs, or interval, is required"
        : Number(query.get("endTs")) - Number(query.get("startTs")) > 15 * 86_400 + 2
        ? "interval is too long"
        : null,
  },
  {
    path: /^\/v2\/trades$/,
    params: {
      ...pages,
      condition: conditions,
      taker_only: flag,
      user: any,
      start: seconds,
      end: seconds,
    },
    together: (query) =>
      (query.has("start") || query.has("end")) && !query.has("user") ? "start needs user" : null,
  },
  {
    path: /^\/v2\/activity$/,
    params: {
      ...pages,
      user: (value) => /^0x[0-9a-fA-F]{40}$/.test(value),
      start: seconds,
      end: seconds,
      type: (value) => value.split(",").every((one) => /^[A-Z_]+$/.test(one)),
      sort_direction: oneOf("ASC", "DESC"),
    },
    together: (query) => query.has("user") ? null : "user is required",
  },
  {
    path: /^\/v2\/leaderboard$/,
    params: {
      ...pages,
      time_period: oneOf("day", "week", "month", "all"),
      category: (value) => /^[a-z]+$/.test(value),
      sort_by: oneOf("PNL", "VOLUME"),
    },
  },
  {
    path: /^\/v2\/resolutions$/,
    params: { condition: conditions, event_id: any, question_id: any },
    together: (query) =>
      query.size === 1 ? null : "exactly one of condition, event_id, question_id",
  },
]

/** Why the venue refuses a request; null when it accepts it. `sent` is the body. */
export function refusalOf(
  method: string,
  { pathname, searchParams }: URL,
  sent: string,
): string | null {
  const route = routes.find(({ path }) => path.test(pathname))
  if (route === undefined) return `unknown path ${pathname}`
  if (method !== (pathname === "/books" ? "POST" : "GET")) return `method ${method} not allowed`
  for (const name of new Set(searchParams.keys())) {
    const values = searchParams.getAll(name)
    const rule = Object.hasOwn(route.params, name) ? route.params[name] : undefined
    if (rule === undefined) return `unknown parameter ${name}`
    if (values.length > 1 && route.repeated?.includes(name) !== true) {
      return `duplicate field ${name}`
    }
    if (!values.every(rule)) return `invalid ${name}`
  }
  if (pathname === "/books" && !areTokens(sent)) return "invalid payload"
  return route.together?.(searchParams) ?? null
}

function areTokens(sent: string): boolean {
  try {
    const rows: unknown = JSON.parse(sent)
    return Array.isArray(rows) && rows.length > 0 && rows.length <= 500 &&
      rows.every((row) => Object.keys(row).join() === "token_id" && /^\d{1,78}$/.test(row.token_id))
  } catch {
    return false
  }
}
