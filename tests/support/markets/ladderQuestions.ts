/**
 * Pairs of questions of one event, each judged by a person: which question implies the other. The
 * wordings are those of real listings, the names are invented.
 *
 * @module
 */

/** `first`: the first question implies the second. `none`: neither implies the other. */
export type Judged = "first" | "second" | "none"

type Outcomes = readonly [string, string]

export interface QuestionPair {
  readonly questions: readonly [string, string]
  readonly implies: Judged
  readonly outcomes: readonly [Outcomes, Outcomes]
}

const yesNo: Outcomes = ["Yes", "No"]
const line: Outcomes = ["Over", "Under"]

const pair = (implies: Judged, first: string, second: string, outcomes = yesNo): QuestionPair => ({
  ...{ implies, questions: [first, second] },
  outcomes: [outcomes, outcomes],
})

/** Scheduled end of every market of the fixture: a date without a year is in 2026. */
export const endsAt = Date.UTC(2026, 10, 30)

/** Limits. */
const limits: ReadonlyArray<QuestionPair> = [
  pair(
    "first",
    "Will annual inflation in Norland be above 5.2% in November 2026?",
    "Will annual inflation in Norland be above 4.8% in November 2026?",
  ),
  pair("first", "Will the coin gain 49% by November 30?", "Will the coin gain 39% by November 30?"),
  pair(
    "second",
    "Will the highest temperature in Arden be 14°C or more on November 27?",
    "Will the highest temperature in Arden be 17°C or more on November 27?",
  ),
  pair(
    "first",
    "Will the highest temperature in Arden be -5°C or below on November 27?",
    "Will the highest temperature in Arden be -2°C or below on November 27?",
  ),
  pair(
    "second",
    "Quark FDV above $800M one day after launch?",
    "Quark FDV above $2B one day after launch?",
  ),
  pair(
    "first",
    "Quark market cap (FDV) >$4B one day after launch?",
    "Quark market cap (FDV) >$600M one day after launch?",
  ),
  pair("first", "Will Gildcoin reach $1,100 in November?", "Will Gildcoin reach $950 in November?"),
  pair("second", "Will Gildcoin dip to $80 in November?", "Will Gildcoin dip to $65 in November?"),
  pair(
    "first",
    "Will Crude (CR) hit (HIGH) $115 by end of November?",
    "Will Crude (CR) hit (HIGH) $110 by end of November?",
  ),
  pair(
    "first",
    "Will Crude (CR) hit (LOW) $40 by end of November?",
    "Will Crude (CR) hit (LOW) $45 by end of November?",
  ),
  pair("first", "10.0 or above earthquake before 2027?", "9.0 or above earthquake before 2027?"),
  pair(
    "first",
    "Will Norland be in the top 5 at the Song Festival 2026?",
    "Will Norland be in the top 10 at the Song Festival 2026?",
  ),
  pair(
    "second",
    "Will the album sell at least 100,000 copies?",
    "Will the album sell at least 1 million copies?",
  ),
  pair("first", "Will turnout be less than 45%?", "Will turnout be below 50%?"),
  pair("second", "Will turnout be 60% or more?", "Will turnout be above 65%?"),
  pair("first", "Will the tower have 120+ floors?", "Will the tower have more than 100 floors?"),
  pair(
    "first",
    "Will the central bank cut by 50+ bps in May?",
    "Will the central bank cut by 25+ bps in May?",
  ),
  pair(
    "first",
    "Will the ship make the trip within 5 days?",
    "Will the ship make the trip within 8 days?",
  ),
  pair(
    "first",
    "Will Arlo Finch win three or more races?",
    "Will Arlo Finch win two or more races?",
  ),
  pair(
    "first",
    "Will Gildcoin hit $200k by November 30?",
    "Will Gildcoin hit $150k by November 30?",
  ),
  pair(
    "first",
    "Will Arlo Finch's lead be 6 points or more?",
    "Will Arlo Finch's lead be 4 points or more?",
  ),
  pair("first", "Will unemployment exceed 6%?", "Will unemployment exceed 5.5%?"),
]

/** Pairs with two numbers, of which none implies the other by its limit. */
const noLimits: ReadonlyArray<QuestionPair> = [
  pair(
    "none",
    "Will the Fed decrease interest rates by 25 bps after the July 2026 meeting?",
    "Will the Fed decrease interest rates by 50+ bps after the July 2026 meeting?",
  ),
  pair("none", "Will 4 rate cuts happen in 2026?", "Will 5 rate cuts happen in 2026?"),
  pair(
    "none",
    "Will Arlo Finch post 160-179 times from July 17 to July 24, 2026?",
    "Will Arlo Finch post 180-199 times from July 17 to July 24, 2026?",
  ),
  pair(
    "none",
    "Will the index close between 200 and 210?",
    "Will the index close between 200 and 220?",
  ),
  pair("none", "Will Gildcoin reach $1,100 in November?", "Will Gildcoin reach $950 in December?"),
  pair("none", "Will Gildcoin reach $1,100 in November?", "Will Gildcoin dip to $950 in November?"),
  pair("none", "Will Gildcoin be above $100 in 2026?", "Will Gildcoin be below $90 in 2026?"),
  pair("none", "Will turnout be above 45%?", "Will Norland's turnout be above 50%?"),
  pair("none", "Will inflation not exceed 5%?", "Will inflation not exceed 6%?"),
  pair(
    "none",
    "Will Arlo Finch be the first to reach 100 wins?",
    "Will Arlo Finch be the first to reach 50 wins?",
  ),
  pair(
    "none",
    "If unemployment is above 6%, will the bank cut rates?",
    "If unemployment is above 5%, will the bank cut rates?",
  ),
  pair(
    "none",
    "Will every firm with over 500 workers sign?",
    "Will every firm with over 100 workers sign?",
  ),
  pair("none", "Will Gildcoin gain 10% over 7 days?", "Will Gildcoin gain 10% over 14 days?"),
  pair("none", "Will the Party gain 3 seats?", "Will the Party gain 5 seats?"),
  pair("none", "Will the final end in exactly 6 games?", "Will the final end in exactly 7 games?"),
  pair(
    "none",
    "Will the party win the AZ-04 House seat?",
    "Will the party win the AZ-08 House seat?",
  ),
  pair(
    "none",
    "Will the temperature be above 30°C on July 3?",
    "Will the temperature be above 80°F on July 3?",
  ),
  pair("none", "Will it cost over $5 in Arden?", "Will it cost over €4 in Arden?"),
  pair("none", "Will model 5 be released by May 31?", "Will model 6 be released by May 31?"),
  pair("none", "Will output be above 2025 levels?", "Will output be above 2024 levels?"),
  pair("none", "Will the 76ers win over 50 games?", "Will the 49ers win over 40 games?"),
]

/** Deadlines and durations. */
const dates: ReadonlyArray<QuestionPair> = [
  pair(
    "first",
    "Will the Reform Union win the most seats in Norland by December 8?",
    "Will the Reform Union win the most seats in Norland by December 13?",
  ),
  pair(
    "second",
    "Norland x Sudria ceasefire by December 31?",
    "Norland x Sudria ceasefire by November 15?",
  ),
  pair(
    "first",
    "Finch out as Prime Minister before 2027?",
    "Finch out as Prime Minister before 2028?",
  ),
  pair("first", "Finch out by November 30, 2026?", "Finch out before 2027?"),
  pair(
    "first",
    "Will the war end by end of November 2026?",
    "Will the war end by December 31, 2026?",
  ),
  pair("first", "Will the bill pass before May 2026?", "Will the bill pass before September 2026?"),
  pair("first", "Rate cut by April 2026 meeting?", "Rate cut by June 2026 meeting?"),
  pair(
    "first",
    "Will model 5 be released by November 28th?",
    "Will model 5 be released by December 5th?",
  ),
  pair(
    "first",
    "Will the team dock before 1 November 2026?",
    "Will the team dock before 1 January 2027?",
  ),
  pair("second", "Will a robot win gold by 2040?", "Will a robot win gold by 2030?"),
  pair("first", "Trial ends by November 20?", "Trial ends by December 20?"),
  pair(
    "second",
    "Norland x Sudria ceasefire continues through November 25?",
    "Norland x Sudria ceasefire continues through November 28?",
  ),
  pair("first", "Will Finch resign by EOY 2026?", "Will Finch resign by EOY 2027?"),
  pair("first", "Will Finch resign by 2026-11-30?", "Will Finch resign by 2026-12-15?"),
  pair(
    "first",
    "Island no longer under Norland's control by July 1, 2026?",
    "Island no longer under Norland's control by July 31, 2026?",
  ),
  pair(
    "first",
    "Will Gildcoin fall below $52 before July 2026?",
    "Will Gildcoin fall below $52 before September 2026?",
  ),
  pair("first", "Finch no longer leader by November 20?", "Finch no longer leader by December 15?"),
  pair(
    "first",
    "Will Norland hold an election before November 1, 2026?",
    "Will Norland hold an election before May 23, 2027?",
  ),
  pair("first", "Will Finch resign by June 30?", "Will Finch resign by July?"),
  pair("first", "Will Finch resign by Q3 2026?", "Will Finch resign by Q4 2026?"),
]

/** Pairs with two dates, of which none implies the other, or the later the earlier. */
const noDates: ReadonlyArray<QuestionPair> = [
  pair(
    "none",
    "Will Quark be the largest company on November 20?",
    "Will Quark be the largest company on December 20?",
  ),
  pair(
    "none",
    "Will Quark be the largest company by November 20?",
    "Will Quark be the largest company by December 20?",
  ),
  pair("none", "New pandemic in 2025?", "New pandemic in 2026?"),
  pair(
    "none",
    "Will Quark have the best AI model at the end of May 2026?",
    "Will Quark have the best AI model at the end of July 2026?",
  ),
  pair("none", "Will Finch not resign by November 20?", "Will Finch not resign by December 20?"),
  pair("none", "No rate cut before November 20?", "No rate cut before December 20?"),
  pair(
    "none",
    "If Norland invades before 2030, will Sudria respond?",
    "If Norland invades before 2035, will Sudria respond?",
  ),
  pair(
    "none",
    "Will Finch remain leader by November 20?",
    "Will Finch remain leader by December 20?",
  ),
  pair(
    "none",
    "Will Gildcoin close above $80 by November 20?",
    "Will Gildcoin close above $80 by December 20?",
  ),
  pair("none", "Will Finch resign by November 20?", "Will Wren resign by December 20?"),
  pair("none", "GTA released on November 20, 2026?", "GTA released by November 25, 2026?"),
  pair(
    "none",
    "Will 3 rate cuts happen by July 31, 2026?",
    "Will 3 rate cuts happen by December 31, 2026?",
  ),
  pair(
    "second",
    "Will there be fewer than 5 storms by October 31, 2026?",
    "Will there be fewer than 5 storms by November 30, 2026?",
  ),
  pair(
    "second",
    "Will 4 or fewer ships dock by November 20?",
    "Will 4 or fewer ships dock by December 20?",
  ),
  // "By December" may mean before it, or by its end.
  pair("none", "Will Finch resign by December 2026?", "Will Finch resign by December 15, 2026?"),
  pair("none", "Will the team win by 2 points?", "Will the team win by 3 points?"),
  pair(
    "none",
    "Will the vote be held before the 2026 midterms?",
    "Will the vote be held before the 2028 midterms?",
  ),
  pair("none", "Up or Down - November 20, 5AM ET", "Up or Down - November 21, 5AM ET"),
  pair(
    "none",
    "Will Finch fail to file by November 20?",
    "Will Finch fail to file by December 20?",
  ),
]

/** Lines of games. */
const lines: ReadonlyArray<QuestionPair> = [
  pair("second", "Gulls vs. Rovers: O/U 1.5", "Gulls vs. Rovers: O/U 2.5", line),
  pair("first", "Gulls vs. Rovers: O/U 9", "Gulls vs. Rovers: O/U 8.5", line),
  pair("second", "Gulls vs. Rovers: 1st Half O/U 0.5", "Gulls vs. Rovers: 1st Half O/U 1.5", line),
  pair("none", "Gulls vs. Rovers: 1st Half O/U 0.5", "Gulls vs. Rovers: O/U 1.5", line),
  pair("none", "Gulls: O/U 1.5", "Rovers: O/U 2.5", line),
  pair("none", "Gulls vs. Rovers: O/U 1.5", "Gulls vs. Rovers: O/U 2.5", ["Gulls", "Rovers"]),
  pair("second", "Spread: Gulls (-1.5)", "Spread: Gulls (-2.5)", ["Gulls", "Rovers"]),
  pair("first", "Spread: Gulls (-1.5)", "Spread: Gulls (+1.5)", ["Gulls", "Rovers"]),
  {
    ...pair("none", "Spread: Gulls (-1.5)", "Spread: Rovers (-2.5)"),
    outcomes: [["Gulls", "Rovers"], ["Rovers", "Gulls"]],
  },
  pair("none", "Gulls vs. Rovers - Map 1 Winner", "Gulls vs. Rovers - Map 2 Winner", [
    "Gulls",
    "Rovers",
  ]),
  pair("none", "Gulls vs. Rovers: Exact Score 2-1", "Gulls vs. Rovers: Exact Score 3-1"),
]

export const questionPairs: ReadonlyArray<QuestionPair> = [
  ...limits,
  ...noLimits,
  ...dates,
  ...noDates,
  ...lines,
]
