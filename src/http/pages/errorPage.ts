/**
 * What a person sees in place of an error in JSON: nothing is at the address, or too many requests.
 *
 * @module
 */
import { preparedFor } from "../../core/domain/prepared.ts"
import type { Answer } from "../server/answer.ts"
import type { PreparedRefusal } from "../server/errors.ts"
import { pageAnswer } from "./layout.tsx"
import { pagePaths } from "./paths.ts"
import type { Site } from "./site.ts"
import { join, link, say } from "./text.tsx"

const titles: Readonly<Record<string, string>> = {
  not_found: "There is no such page",
  rate_limited: "Too many requests",
}

/** The page of a refusal, made once for each; null for one without a page. */
export const errorPages = (site: Site): (refusal: PreparedRefusal) => Answer | null =>
  preparedFor(({ code, status, message, headers }) => {
    const title = titles[code]
    if (title === undefined) return null
    return pageAnswer(
      site,
      {
        path: pagePaths.home,
        title,
        description: title,
        status,
        noindex: true,
        headers: headers.filter(([name]) => name === "retry-after"),
      },
      {
        above: `${status}`,
        title,
        lead: `${message}. This request was not charged.`,
        blocks: [say`Start at ${
          join([
            [link(pagePaths.home, "the first page")],
            [link(pagePaths.signals, "the newest signals")],
            [link(pagePaths.docs, "the documentation")],
          ], ", ")
        }.`],
        sections: [],
      },
    )
  })
