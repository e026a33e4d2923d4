/**
 * True statements about the briefs of `fixtures/narration` in free prose, each with false ones of the same
 * form, written by hand before they were tried.
 *
 * @module
 */
import type { draftNames } from "./draftClaims.ts"

type Line = readonly [
  draft: typeof draftNames[number],
  facts: string,
  truth: string,
  falsehoods: ReadonlyArray<string>,
]

export const freeClaims: ReadonlyArray<Line> = [
  ["D4", "F8", "In one hour “Lantern Year” went from 34.5 cents to 48.5 cents.", [
    "In one hour “Lantern Year” went from 48.5 cents to 34.5 cents.",
    "In one hour “Lantern Year” went from 34.5 cents to 58.5 cents.",
    "In five hours “Lantern Year” went from 34.5 cents to 48.5 cents.",
  ]],
  ["D4", "F8", "“Lantern Year” added 14 cents and last traded at 0.485.", [
    "“Lantern Year” shed 14 cents and last traded at 0.485.",
    "“Lantern Year” added 14 cents and last traded at 0.345.",
    "“Low Tide” added 14 cents and last traded at 0.485.",
  ]],
  ["D4", "F8", "It took an hour for “Lantern Year” to climb 14 cents.", [
    "It took a week for “Lantern Year” to climb 14 cents.",
    "It took an hour for “Lantern Year” to sink 14 cents.",
  ]],
  ["D4", "F8", "The December market on “Lantern Year” repriced from 0.345 to 0.485.", [
    "The November market on “Lantern Year” repriced from 0.345 to 0.485 and won.",
  ]],
  ["D4", "F9", "Ethereum's +108% market gained 27.5 cents in a day, to 0.89.", [
    "Ethereum's +108% market lost 27.5 cents in a day, to 0.89.",
    "Ethereum's +108% market gained 27.5 cents in a day, to 0.615.",
    "Solana's +108% market gained 27.5 cents in a day, to 0.89.",
  ]],
  ["D4", "F11", "Reform Union collapsed in Japan: 25.5 cents became 3 cents.", [
    "Reform Union soared in Japan: 25.5 cents became 3 cents.",
    "Reform Union collapsed in Kenya: 25.5 cents became 3 cents.",
  ]],
  ["D4", "F11", "A 14.8-sigma fall took the Reform Union in Japan to 0.0295.", [
    "A 14.8-sigma rise took the Reform Union in Japan to 0.0295.",
    "A 4.8-sigma fall took the Reform Union in Japan to 0.0295.",
  ]],
  ["D4", "F13", "“Low Tide” slid from 18.5% to 4.1% over the day.", [
    "“Low Tide” slid from 4.1% to 18.5% over the day.",
    "“Low Tide” slid from 18.5% to 4.1% over the hour and recovered.",
  ]],
  [
    "D4",
    "F13 F41",
    "The headline of North Sound Radio at 23:38 preceded the fall of “Low Tide” to 0.041.",
    [
      "The headline of North Sound Radio at 23:38 followed the fall of “Low Tide” to 0.041.",
      "The headline of Quillon Post at 23:38 preceded the fall of “Low Tide” to 0.041.",
      "The headline of North Sound Radio at 22:38 preceded the fall of “Low Tide” to 0.041.",
    ],
  ],
  [
    "D4",
    "F16",
    "Early-Barrel put $3,079 on Saltmarsh United at 8 cents; too little is known about it to label it.",
    [
      "Early-Barrel put $3,079 on Bellhaven Kites at 8 cents; too little is known about it to label it.",
      "Early-Barrel put $3,790 on Saltmarsh United at 8 cents; too little is known about it to label it.",
      "Early-Barrel put $3,079 on Saltmarsh United at 80 cents; too little is known about it to label it.",
      "Mellow-Comet put $3,079 on Saltmarsh United at 8 cents; too little is known about it to label it.",
      "Early-Barrel, labelled follow, put $3,079 on Saltmarsh United at 8 cents.",
    ],
  ],
  ["D4", "F18", "Brisk-Ember35 paid 77 cents for No on Solana +49%, and has no label.", [
    "Brisk-Ember35 paid 77 cents for Yes on Solana +49%, and has no label.",
    "Brisk-Ember35 paid 23 cents for No on Solana +49%, and has no label.",
    "Brisk-Ember35 paid 77 cents for No on Dogecoin +49%, and has no label.",
  ]],
  [
    "D4",
    "F21",
    "“Yes” on the November prize of “Lantern Year” is proposed and not disputed; it costs 0.65.",
    [
      "“Yes” on the November prize of “Lantern Year” is proposed and disputed; it costs 0.65.",
      "“No” on the November prize of “Lantern Year” is proposed and not disputed; it costs 0.65.",
      "“Yes” on the November prize of “Lantern Year” is settled; it costs 0.65.",
      "“Yes” on the November prize of “Lantern Year” is proposed and not disputed; it costs 0.35.",
    ],
  ],
  ["D4", "F27", "The market on Kenyan inflation above 1.6% paid out as No.", [
    "The market on Kenyan inflation above 1.6% paid out as Yes.",
    "The market on Kenyan inflation above 3.0% paid out as No.",
    "The market on Kenyan inflation above 1.6% never paid out as No.",
  ]],
  ["D4", "F24", "Solana Up or Down (8:45PM) resolved Up at 01:51 UTC.", [
    "Solana Up or Down (8:45PM) resolved Down at 01:51 UTC.",
    "Solana Up or Down (8:45PM) resolved Up at 00:11 UTC.",
  ]],
  ["D4", "F36 F38 F39", "Three outlets carried the headline, The Harbor Ledger first, at 00:11.", [
    "Four outlets carried the headline, The Harbor Ledger first, at 00:11.",
    "Three outlets carried the headline, Quillon Post first, at 00:11.",
    "Three outlets carried the headline, The Harbor Ledger first, at 00:54.",
  ]],
  [
    "D4",
    "F48 F50",
    "Over 1.5 trades at 0.635 and Over 2.5 at 0.7375 in Quarry Wolves vs. Harbor City Gulls.",
    [
      "Over 1.5 trades at 0.7375 and Over 2.5 at 0.635 in Quarry Wolves vs. Harbor City Gulls.",
      "Under 1.5 trades at 0.635 and Over 2.5 at 0.7375 in Quarry Wolves vs. Harbor City Gulls.",
    ],
  ],
  ["D4", "F49", "Bitcoin +118% is due to end in 14 hours, at 16:00 UTC, with a price of 0.79.", [
    "Bitcoin +118% is due to end in 4 hours, at 16:00 UTC, with a price of 0.79.",
    "Bitcoin +118% is due to end in 14 hours, at 18:00 UTC, with a price of 0.79.",
    "Bitcoin +118% is due to end in 14 hours, at 16:00 UTC, with a price of 0.97.",
  ]],
  ["R1", "F6", "At 0.55 bid and 0.58 ask the spread is 3 cents.", [
    "At 0.58 bid and 0.55 ask the spread is 3 cents.",
    "At 0.55 bid and 0.58 ask the spread is 5 cents.",
  ]],
  [
    "R1",
    "F3",
    "Over the week the price ranged from 0.485 to 0.685 and ended at 0.565, 6 cents lower.",
    [
      "Over the week the price ranged from 0.485 to 0.685 and ended at 0.625, 6 cents lower.",
      "Over the week the price ranged from 0.485 to 0.685 and ended at 0.565, 6 cents higher.",
    ],
  ],
  ["R1", "F4", "A day ago the price stood at 0.665; now it is 0.565.", [
    "A day ago the price stood at 0.565; now it is 0.665.",
    "A day ago the price stood at 0.565; now it is 0.565.",
  ]],
  [
    "R1",
    "F15",
    "Keen-Glacier (0xee5e…397a), a follow wallet with 190 entries and 62.8% wins, paid 0.646 for Yes six days ago.",
    [
      "Keen-Glacier (0xee5e…397a), a fade wallet with 190 entries and 62.8% wins, paid 0.646 for Yes six days ago.",
      "Keen-Glacier (0xee5e…397a), a follow wallet with 190 entries and 50.1% wins, paid 0.646 for Yes six days ago.",
      "Keen-Glacier (0xee5e…397a), a follow wallet with 190 entries and 62.8% wins, paid 0.646 for No six days ago.",
      "Keen-Glacier (0xee5e…397a), a follow wallet with 190 entries and 62.8% wins, paid 0.646 for Yes two days ago.",
    ],
  ],
  [
    "R1",
    "F9",
    "The Harbor Ledger reported “Civic Alliance lose ground in new poll of Portugal” at 01:24 UTC on Nov 22.",
    [
      "Quillon Post reported “Civic Alliance lose ground in new poll of Portugal” at 01:24 UTC on Nov 22.",
      "The Harbor Ledger reported “Civic Alliance gain in new poll of Portugal” at 01:24 UTC on Nov 22.",
      "The Harbor Ledger reported “Civic Alliance lose ground in new poll of Portugal” at 01:24 UTC on Nov 21.",
    ],
  ],
  ["R1", "F13", "Tracked wallets hold 5 entries on Yes for $6,388 and 2 on No for $810.", [
    "Tracked wallets hold 5 entries on No for $6,388 and 2 on Yes for $810.",
    "Tracked wallets hold 2 entries on Yes for $6,388 and 5 on No for $810.",
    "Tracked wallets hold 5 entries on Yes for $810 and 2 on No for $6,388.",
  ]],
  [
    "R1",
    "F7",
    "It takes $19,739 to push the price up 5 cents and $21,708 to push it down as far.",
    ["It takes $21,708 to push the price up 5 cents and $19,739 to push it down as far."],
  ],
  ["R1", "F21", "The market is scheduled to end on Nov 29 at 16:00 UTC, 8 days from now.", [
    "The market is scheduled to end on Nov 28 at 16:00 UTC, 8 days from now.",
    "The market is scheduled to end on Nov 29 at 16:00 UTC, 18 days from now.",
  ]],
  ["D2", "F6", "Of 12 moves, 11 were down and one was up.", [
    "Of 12 moves, 11 were up and one was down.",
    "Of 12 moves, 10 were down and two were up.",
  ]],
  [
    "D2",
    "F10 F42",
    "Meridian Wire had the poll at 00:43, about an hour before Civic Alliance was seen at 0.545 in Portugal.",
    [
      "Meridian Wire had the poll at 00:43, about an hour after Civic Alliance was seen at 0.545 in Portugal.",
      "Meridian Wire had the poll at 00:43, about five hours before Civic Alliance was seen at 0.545 in Portugal.",
    ],
  ],
  [
    "D2",
    "F22",
    "Kenyan inflation above 5.2% has a proposed Yes, yet costs 18.5 cents, with 81.5 cents left.",
    [
      "Kenyan inflation above 4.8% has a proposed Yes, yet costs 18.5 cents, with 81.5 cents left.",
      "Kenyan inflation above 5.2% has a proposed No, yet costs 18.5 cents, with 81.5 cents left.",
      "Kenyan inflation above 5.2% has a proposed Yes, yet costs 81.5 cents, with 18.5 cents left.",
    ],
  ],
]
