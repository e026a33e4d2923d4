/**
 * Sentences of drafts that a careful writer made from the briefs of `fixtures/narration`, as claims, and
 * three slips of that writer.
 *
 * @module
 */
import D2 from "../../../fixtures/narration/D2.json" with { type: "json" }
import D4 from "../../../fixtures/narration/D4.json" with { type: "json" }
import R1 from "../../../fixtures/narration/R1.json" with { type: "json" }
import R2 from "../../../fixtures/narration/R2.json" with { type: "json" }
import R4 from "../../../fixtures/narration/R4.json" with { type: "json" }
import type { Fact } from "../../../src/writing/domain/facts.ts"
import type { ClaimKind } from "../../../src/writing/domain/page.ts"

export const draftNames = ["D2", "D4", "R1", "R2", "R4"] as const
type DraftName = typeof draftNames[number]

export interface DraftClaim {
  readonly draft: DraftName
  readonly kind: ClaimKind
  readonly facts: ReadonlyArray<string>
  readonly text: string
}

/** Imported, because tests of pure code run without permission to read files. */
const briefs: Readonly<Record<DraftName, unknown>> = { D2, D4, R1, R2, R4 }

/** The facts of a draft's brief, by id. */
export function draftFacts(draft: DraftName): ReadonlyMap<string, Fact> {
  const stored: ReadonlyArray<Omit<Fact, "figures" | "names" | "links" | "subject">> = JSON.parse(
    JSON.stringify(briefs[draft]),
  )
  return new Map(stored.map((fact) => [fact.id, {
    ...fact,
    subject: null,
    figures: [],
    names: Object.values(fact.values).flatMap((value) => value.type === "name" ? [value.text] : []),
    links: [],
  }]))
}

type Line = readonly [ClaimKind, string, string]

function claimsOf(draft: DraftName, lines: ReadonlyArray<Line>): ReadonlyArray<DraftClaim> {
  return lines.map(([kind, facts, text]) => ({ draft, kind, facts: facts.split(" "), text }))
}

export const honestClaims: ReadonlyArray<DraftClaim> = [
  ...claimsOf("D2", [
    ["fact", "F10", "Civic Alliance drops 12 cents in Portugal."],
    [
      "fact",
      "F22 F23",
      "Two Kenyan inflation markets have a proposed outcome but trade at 0.185 and 0.36.",
    ],
    ["fact", "F6", "Eleven of twelve moves were down."],
    [
      "fact",
      "F10 F42",
      "The clearest story is Portugal, where a poll reported from 00:43 UTC preceded a fall of 12 cents in Civic Alliance.",
    ],
    [
      "fact",
      "F21",
      "Five markets have an outcome proposed at the venue while they still trade well below it.",
    ],
    ["fact", "F17", "Whale flow was small ($8,023) and unlabelled."],
    [
      "fact",
      "F10",
      "Civic Alliance, Portugal (by Nov 29): 0.665 to 0.545 in an hour (6.9 standard deviations, trades confirm).",
    ],
    [
      "fact",
      "F40 F41 F42",
      "Three outlets carried “Civic Alliance lose ground in new poll of Portugal”: Meridian Wire 00:43, Quillon Post 01:09, The Harbor Ledger 01:24.",
    ],
    [
      "fact",
      "F10 F42",
      "The first headline came about an hour before the price was seen at 01:52.",
    ],
    ["inference", "F10 F42", "The poll is the likely cause."],
    [
      "inference",
      "F10 F42",
      "The 3-cent spread means up to a cent and a half of the move may be quote noise.",
    ],
    [
      "fact",
      "F14",
      "Inflation in Kenya above 4.6% (ends Nov 30): 0.626 to 0.504 within the hour to 01:47.",
    ],
    [
      "fact",
      "F14 F39",
      "Meridian Wire's “Food prices in Kenya ease, a sign of lower inflation” came one minute before.",
    ],
    [
      "inference",
      "F14 F39",
      "Likely related, but one minute is too short to have caused a whole hour's fall.",
    ],
    ["fact", "F22 F23", "Outcomes above 4.8% and 5.2% are proposed as Yes."],
    [
      "inference",
      "F14 F22 F23",
      "If those concern the same month's figure, this market should be near 1, not at 0.50.",
    ],
    ["watch", "F14 F22 F23", "Check whether the releases are the same."],
    [
      "fact",
      "F13 F46",
      "“The Salt Road”: 0.9785 to 0.885 despite friendly coverage (“Long applause …”, 19:03).",
    ],
    ["inference", "F13 F46", "News and price seem to disagree; no explanation."],
    [
      "fact",
      "F15 F16",
      "Warsaw 29°C on Dec 4 (0.2955 to 0.065, but only $6,916 near the price) and Denver 18°C on Nov 25 (0.635 to 0.525).",
    ],
    ["fact", "F9", "Bellhaven Kites: 0.225 to 0.0295 over 24 hours, no reason in this digest."],
    ["fact", "F12", "Poland inflation above 4.9%: 0.115 to 0.03."],
    ["fact", "F11", "Lab Quillon (Dec 23): the only riser, 0.607 to 0.7065 on a tight book."],
    ["fact", "F17", "Three entries, $8,023, none from a wallet with enough history."],
    [
      "fact",
      "F18",
      "The largest, Jolly-Jetty71, paid 0.84 for Civic Alliance in Norway ($4,297) and has no label.",
    ],
    ["inference", "F18 F10", "High price, little upside, probably no read-through to Portugal."],
    ["fact", "F17", "Nothing to follow or fade."],
    ["fact", "F22", "Kenya inflation above 5.2%: the price of Yes is 0.185, and 0.815 is left."],
    [
      "fact",
      "F24 F25",
      "Chile–Poland fisheries treaty by Nov 20: 0.75; Peru–Kenya border accord by Nov 21: 0.795.",
    ],
    ["fact", "F26", "Peru–Kenya fisheries treaty by Nov 21: 0.84, with 0.16 left."],
    [
      "fact",
      "F22 F23 F24 F25 F26",
      "All five rest on a single piece of evidence each: a proposal at the venue, no press.",
    ],
    [
      "inference",
      "F22 F23",
      "A market that sells a proposed dollar for 19 cents seems to expect the proposal to be disputed.",
    ],
    ["fact", "F22 F23", "Above 5.2% (0.185) is cheaper than above 4.8% (0.36), as it must be."],
    [
      "fact",
      "F43 F24",
      "The only Chile–Poland headline speaks of a border accord, not of fisheries.",
    ],
    ["fact", "F27", "28 markets of tracked wallets paid out."],
    [
      "fact",
      "F35 F36",
      "Both Civic Alliance and Reform Union resolved Yes for “most seats in Chile by November 20”.",
    ],
    ["inference", "F35 F36", "At most one of the two should; perhaps one record is wrong."],
    ["fact", "F56", "Harbor City Gulls vs. Quarry Wolves ends 12:00 with Gulls at 0.535."],
    [
      "fact",
      "F47 F49",
      "“Quarry Wolves beat Harbor City Gulls” (18:24) was reported before a preview of the coming match (18:53).",
    ],
    ["inference", "F47 F49", "So it is probably about an earlier game."],
    [
      "fact",
      "F58 F54 F53",
      "Gulls vs. Ironwood Stags (15:45): Gulls 0.13, Over 1.5 at 0.76, Over 2.5 at 0.455.",
    ],
    ["watch", "F10 F42", "Civic Alliance: another poll either side of 0.50 is the next test."],
  ]),
  ...claimsOf("D4", [
    ["fact", "F36 F38 F39", "“Lantern Year” has won November's prize, three outlets say."],
    ["fact", "F21", "The market still offers “Lantern Year” at 0.65."],
    [
      "fact",
      "F21 F36 F38 F39",
      "Three outlets report that “Lantern Year” won the November festival prize, an outcome is already proposed at the venue, and “Yes” still costs 0.65.",
    ],
    ["fact", "F48 F50", "Two over/under lines on one game contradict each other."],
    [
      "fact",
      "F9 F11",
      "Ethereum (+27.5 cents) and the Reform Union in Japan (-22.6) moved hardest, neither with a known reason.",
    ],
    ["fact", "F15", "No tracked wallet with a record took part."],
    [
      "fact",
      "F8",
      "“Lantern Year”, December prize: 0.345 to 0.485 within an hour (6.0 standard deviations, $36,053 near the price).",
    ],
    [
      "fact",
      "F36 F38 F39",
      "The only related news is about November: The Harbor Ledger 00:11, then 00:21 and 00:54.",
    ],
    [
      "inference",
      "F8 F36 F39",
      "Either traders think one prize makes the next likelier, or some bought the wrong month.",
    ],
    ["inference", "F8 F36", "The second reading would reverse; treat the new price with care."],
    [
      "fact",
      "F13 F41",
      "“Low Tide”, November prize: 0.185 to 0.041, after “leaves the festival of November 2026 without the grand prize” (North Sound Radio, 23:38).",
    ],
    ["inference", "F13 F36 F41", "Likely a direct cause, and consistent with Lantern Year's win."],
    ["inference", "F13 F41", "The 4 cents left look like slow closing rather than doubt."],
    ["fact", "F12", "Lab Tessera to top the leaderboard on Dec 10: up 12 cents to 0.885."],
    [
      "fact",
      "F12 F34",
      "Lab Tessera rose 12 cents to 0.885, against the only fresh news, “Lab Meridian tops the open leaderboard on November 22” (01:45).",
    ],
    [
      "inference",
      "F12 F34",
      "Either the market looks past today's leader, or this will be revisited.",
    ],
    [
      "inference",
      "F37 F12",
      "Quillon's miss on Nov 21 seems to remove one rival for that date only.",
    ],
    ["fact", "F9", "Ethereum +108% by Dec 23: 0.615 to 0.89, thin: $9,361."],
    [
      "fact",
      "F10",
      "Harvest Party in Kenya: 0.795 to 0.905, held by persistence rather than trades.",
    ],
    ["fact", "F11", "Reform Union in Japan: 0.255 to 0.0295, 14.8 standard deviations."],
    ["fact", "F14", "Kenyan inflation above 3.0%: 0.145 to 0.24."],
    [
      "fact",
      "F15",
      "Four tracked wallets spent $10,349; none has enough history to judge, so there is nothing to follow or fade.",
    ],
    [
      "fact",
      "F16",
      "$3,079 went on Saltmarsh United at 0.08, a long shot, from a wallet without a label.",
    ],
    [
      "fact",
      "F18 F19",
      "Two crypto bets in opposite directions: No on Solana +49%, Yes on Dogecoin +106%; neither wallet has a label.",
    ],
    ["fact", "F21", "“Lantern Year”, November: Yes at 0.65, implied edge 0.35."],
    [
      "fact",
      "F21 F36 F38 F39",
      "The detector rested on the venue's own proposal (medium confidence), but the three press reports are independent support.",
    ],
    ["inference", "F21 F56", "The main risk is that proposals can be disputed."],
    [
      "watch",
      "F21 F56",
      "Check the market's rules and the proposal's challenge window before relying on it.",
    ],
    [
      "fact",
      "F22 F27",
      "28 markets of tracked wallets paid out, among them Kenyan inflation above 1.6% (No).",
    ],
    [
      "inference",
      "F27 F14",
      "If both concern the same release, a No at 1.6% would make Yes at 3.0% impossible.",
    ],
    ["watch", "F27 F14", "Check which release each refers to."],
    [
      "fact",
      "F48 F50",
      "Quarry Wolves vs. Harbor City Gulls: “Over 1.5” costs 0.635, “Over 2.5” costs 0.7375.",
    ],
    [
      "fact",
      "F48 F50",
      "A total over 2.5 is always over 1.5, so the second cannot be worth more than the first.",
    ],
    [
      "inference",
      "F48 F50",
      "Either quote is stale, or there is a riskless spread of about 10 cents.",
    ],
    ["fact", "F48 F50", "Liquidity is $51,694 and $34,270, and both end at 22:45 UTC."],
    ["fact", "F49", "Bitcoin +118% by Nov 22: 0.79, ends 16:00 UTC."],
    ["fact", "F53", "Harbor City Gulls vs. Northgate Rovers: Gulls 0.15, ends 21:45 UTC."],
    ["fact", "F5", "All 5 news sources answered; none failed."],
    ["fact", "F62 F66", "Headlines are matched by words and not verified."],
  ]),
  ...claimsOf("R1", [
    ["fact", "F3", "The market has gone nowhere in a week: 0.625 to 0.565, range 0.485–0.685."],
    [
      "fact",
      "F9 F10 F4",
      "A gain was reported on Nov 21 09:11, a loss on Nov 22 01:24; the price fell 10 cents in the last 24 hours.",
    ],
    [
      "inference",
      "F9 F4",
      "The loss poll is the likely cause of that, though the timing of the step is not recorded here.",
    ],
    [
      "inference",
      "F4 F9 F12",
      "One poll may have moved this market 10 cents; the previous largest step was 11 (Nov 16).",
    ],
    ["inference", "F9 F12", "The next poll could matter about as much."],
    ["fact", "F11", "Headlines about the Civic Alliance in Japan are irrelevant."],
    ["fact", "F13", "Tracked money is 89% on Yes ($6,388 of $7,198)."],
    [
      "fact",
      "F15",
      "The one wallet with a demonstrated edge (Keen-Glacier, follow; 190 entries, 62.8% wins at an average 50.1%) bought at 0.646.",
    ],
    ["fact", "F15 F2", "Copying Keen-Glacier now costs 8 cents less than it paid."],
    [
      "inference",
      "F15 F9",
      "That may be a mild positive, dated six days ago, before the latest poll; it may have sold.",
    ],
    ["fact", "F18 F19 F20 F17", "The rest are neutral or market makers."],
    ["inference", "F9 F10", "Two opposite polls within 16 hours: the signal seems noise-prone."],
    ["fact", "F6", "A 3-cent spread: buying at 0.58 and selling at 0.55 costs 5% of the stake."],
    ["fact", "F7", "$19,739 moves the price up 5 cents, $21,708 down."],
    ["fact", "F21", "Eight days to the scheduled end."],
    ["fact", "F22", "The rules were not judged."],
    ["inference", "F3 F9", "A coin-flip with a slight Yes lean, probably driven by polls."],
    ["fact", "F6", "Break-even at the ask is a 58% chance of Yes."],
    [
      "inference",
      "F6 F15",
      "Nothing here gives an independent estimate above that except perhaps a six-day-old purchase by a good wallet.",
    ],
    ["watch", "F3 F9", "Another poll; a hold below 0.485 (the week's low) would break the range."],
  ]),
  ...claimsOf("R2", [
    ["fact", "F10", "By 13:59 UTC on Nov 21 the Kites fell from 0.195 to 0.0295."],
    ["fact", "F9", "“Bellhaven Kites without their captain” was published at 13:24."],
    ["inference", "F9 F10", "That is probably part of the reason."],
    [
      "inference",
      "F9 F10",
      "More likely the market knows something not in our news, or the quote is stale in one direction.",
    ],
    ["fact", "F6", "The book is orderly (0.027 bid, 0.031 ask)."],
    ["fact", "F11", "Five tracked entries on the Kites ($4,995)."],
    [
      "fact",
      "F10 F13 F15 F16 F18 F14",
      "All but one of the listed ones bought at 0.22–0.24 before the drop.",
    ],
    [
      "fact",
      "F14",
      "Brisk-Kettle bought $1,029 at 0.031 after it: a lottery ticket by a neutral wallet.",
    ],
    ["inference", "F13 F14", "No follow or fade label on either side, so perhaps no read."],
    ["fact", "F19", "The match is 33 hours away."],
    [
      "inference",
      "F19 F10",
      "A fall this deep this early is unusual and could reverse on a correction.",
    ],
    ["fact", "F9", "One publisher."],
    ["fact", "F6", "At 3 cents, a 0.4-cent spread is 13% of the price."],
    ["fact", "F7", "Bids end before a fall of 5 cents: selling size is limited."],
    ["fact", "F20", "The rules were not judged."],
    ["inference", "F9 F2", "The news we can see may not explain a price this low."],
    [
      "inference",
      "F9 F2",
      "Something else may have happened; 0.029 could be a mistake or settled.",
    ],
    ["watch", "F9 F2", "Watch for a second report on the team and for any proposal at the venue."],
  ]),
  ...claimsOf("R4", [
    [
      "fact",
      "F4 F10",
      "From 0.325 to 0.535 in a day; half of it (0.375 to 0.485) came in one hour, by 15:59 UTC on Nov 21.",
    ],
    [
      "fact",
      "F9 F10",
      "The one headline in this report (“Long applause”, 23:37) came eight hours later, so it did not cause that step.",
    ],
    ["fact", "F8", "No cause is known."],
    ["fact", "F11", "Six of seven entries ($4,042 of $4,941) are on No."],
    ["fact", "F13 F14 F16 F18", "The No entries were bought at 0.60–0.68 and are now under water."],
    [
      "inference",
      "F13 F14 F15 F18",
      "All judged wallets are neutral: no information, and possible stop-loss buying of Yes if they give up.",
    ],
    ["fact", "F7", "About $12,000 moves it 5 cents either way."],
    ["inference", "F19 F2", "Decided within 3 days, likely in one step to 0 or 1."],
    ["fact", "F20", "Rules not read."],
    ["inference", "F2 F4", "A coin-flip that moved without a stated reason, it seems."],
    [
      "watch",
      "F4",
      "Watch 0.43 (half of the day's rise): a fall through it would mark the move as noise.",
    ],
  ]),
]

/** What a check must stop. */
export const slips: ReadonlyArray<DraftClaim> = [
  ...claimsOf("D4", [
    [
      "fact",
      "F36 F38 F39",
      "The film won that month's prize (The Harbor Ledger 00:11, 00:21, 00:54).",
    ],
    [
      "inference",
      "F8 F36",
      "The only related news may be about November: the film won that month's prize.",
    ],
  ]),
  ...claimsOf("R4", [
    [
      "inference",
      "F4 F2",
      "Without a cause, a doubling of odds in a three-day market may be as consistent with a leak as with momentum.",
    ],
    ["fact", "F4", "A coin-flip that doubled without a stated reason."],
    ["inference", "F4 F2", "The price doubled, perhaps without a reason."],
  ]),
  ...claimsOf("R2", [
    [
      "inference",
      "F9 F10",
      "That is probably part of the reason, but a missing captain alone rarely takes a side from 20% to 3%.",
    ],
    ["fact", "F9 F10", "A missing captain alone rarely takes a side from 20% to 3%."],
  ]),
]
