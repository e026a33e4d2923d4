/**
 * What `--help` prints about a task and its settings, and the text of `.env.example`. Both come from
 * the declarations in `variables.ts`.
 *
 * @module
 */
import {
  defaultText,
  type Mode,
  type Process,
  settingGroups,
  type Variable,
  variables,
} from "./variables.ts"

interface Task {
  readonly what: string
  readonly mode: Mode
  /** The processes whose settings it reads. */
  readonly processes: ReadonlyArray<Process>
  /** Without them it does not start with live payments. */
  readonly required: ReadonlyArray<Variable>
  readonly example: string
}

const live = ["PAY_TO_ADDRESS", "TREASURY_ADDRESS", "FACILITATOR_URL", "RPC_URL"] as const

export const tasks: Readonly<Record<string, Task>> = {
  start: {
    what: "The service: HTTP and scheduled jobs. Any number of replicas; deno task refunds pays " +
      "the refunds.",
    mode: "start",
    processes: ["service"],
    required: ["VENUE", "PUBLIC_BASE_URL", "DATABASE_URL", ...live, "SIGNING_PRIVATE_KEY"],
    example: "PAYMENTS=simulated VENUE=polymarket " +
      "PUBLIC_BASE_URL=http://127.0.0.1:8402 deno task start",
  },
  refunds: {
    what: "A refund worker: pays what is owed, from the treasury. Any number of workers.",
    mode: "start",
    processes: ["worker"],
    required: ["DATABASE_URL", ...live, "TREASURY_PRIVATE_KEY"],
    example: "set -a; . ./refunds.env; set +a; deno task refunds",
  },
  migrate: {
    what: "Brings PostgreSQL to the newest schema and grants the roles, with the owner's login.",
    mode: "start",
    processes: ["migration"],
    required: ["DATABASE_URL"],
    example: "DATABASE_URL=postgres://owner:password@db:5432/bellwether deno task migrate",
  },
  dev: {
    what:
      "The whole service, embedded and simulated unless set otherwise. It pays simulated refunds.",
    mode: "dev",
    processes: ["service"],
    required: [],
    example: "PORT=9402 DATA_DIR=.data/second deno task dev",
  },
  check: {
    what: "Tries the settings and what a sale needs. Ends with 1 if a part fails.",
    mode: "start",
    processes: ["service"],
    required: [],
    example: "(set -a; . ./service.env; deno task check)",
  },
}

/** The help of a task; null when it has none. */
export function helpOf(name: string): string | null {
  const task = Object.hasOwn(tasks, name) ? tasks[name] : undefined
  if (task === undefined) return null
  const { what, mode, processes, required, example } = task
  const groups = settingGroups().flatMap(([title, names]) => {
    const own = names.filter((name) =>
      variables[name].readBy.some((process) => processes.includes(process))
    )
    return own.length === 0 ? [] : [
      "",
      title,
      ...own.map((name) =>
        `${required.includes(name) ? "* " : "  "}${name.padEnd(nameWidth)}  ${meaning(name, mode)}`
      ),
    ]
  })
  return [
    `deno task ${name}`,
    what,
    "",
    `The settings are environment variables${required.length > 0 ? ", * is required" : ""}:`,
    ...groups,
    "",
    `Example: ${example}`,
    "deno task check tries the settings. .env.example has all of them.",
  ].join("\n")
}

const nameWidth = Math.max(...Object.keys(variables).map((name) => name.length))

/** The meaning of a setting with its default, on one line. */
function meaning(name: Variable, mode: Mode): string {
  const value = defaultText(name, mode)
  return value === null ? variables[name].meaning : `${variables[name].meaning} [${value}]`
}

const processNames: Readonly<Record<Process, string>> = {
  service: "start",
  worker: "refunds",
  migration: "migrate",
  restore: "restore",
}

/** The text of `.env.example`. */
export function exampleEnvironment(): string {
  const required = Object.values(tasks).flatMap(({ required }) => required)
  const groups = settingGroups().map(([title, names]) => {
    const lines = names.map((name) => {
      const value = defaultText(name, "start") ?? ""
      const readers = variables[name].readBy.map((process) => processNames[process])
      return [
        `# ${variables[name].meaning}; read by ${readers.join(", ")}`,
        `${required.includes(name) ? "" : "#"}${name}=${/\s/.test(value) ? `"${value}"` : value}`,
      ].join("\n")
    })
    return [`## ${title}`, ...lines].join("\n")
  })
  return `${[exampleHead, ...groups].join("\n\n")}\n`
}

const exampleHead = [
  "# Every setting, with the default of production. Those without # in front are required for live",
  "# payments. An empty value is as good as none. A shell and systemd read these files: put a value with",
  "# spaces, & or $ in single quotes.",
  "#",
  "# Make one file for each task, with the settings that it reads only and its own login in DATABASE_URL: the",
  "# treasury's key belongs to refunds, the owner's login to migrate. docs/operations.md has such files.",
  "#",
  "#     chmod 600 service.env; (set -a; . ./service.env; deno task check)",
  "#",
  "# Written by `deno task generate` from src/app/variables.ts.",
].join("\n")
