/**
 * Planted questions with headlines: true outcomes as news is really worded, and answers that the
 * headlines do not support.
 *
 * All names, publishers and headlines are invented. Each headline has another publisher. In a true case
 * the braces are the recorded quotation of a careful reader, who calls those headlines decisive.
 *
 * @module
 */

/** Question, answer, headlines, and what differs from an open Yes/No question. */
export type Planted = readonly [
  question: string,
  answer: string,
  headlines: ReadonlyArray<string>,
  more?: {
    readonly outcomes?: readonly [string, string]
    /** A match that began four hours ago, unless it begins later: ISO time. */
    readonly game?: true | string
    readonly endsAt?: string
    /** Exclusive markets of the event. */
    readonly rivals?: ReadonlyArray<string>
  },
]

export const plantedNow = Date.UTC(2026, 10, 28, 22)

const overUnder = ["Over", "Under"] as const
const clubs = { outcomes: ["Kestrels", "Herons"], game: true } as const
const bears = { outcomes: ["Summit Bears", "Delta Pelicans"], game: true } as const
const squads = { outcomes: ["Nova", "Ember"], game: true } as const
const total = { outcomes: overUnder, game: true } as const
const kestrelsWon = ["Kestrels beat Herons 2-0", "Herons lose 2-0 at home to Kestrels"]
const bearsWon = ["Summit Bears beat Delta Pelicans 101-96", "Pelicans fall to Bears 101-96"]
const novaWon = ["Nova beat Ember 2-1", "Ember lose to Nova in decider"]
const mostSeats = "Will the Reform Party win the most seats in Tavia?"
const holtResigns = "Will Mira Holt resign by December 31?"
const waterBill = "Will the Senate of Tavia pass the water bill by December 15?"
const nationalCup = "Will the Kestrels win the National Cup?"
const grandOpen = "Will Kai Brandt win the Grand Open?"
const lakeland = "Will Mira Holt win the Lakeland mayoral election?"

export const wrongAnswers: Readonly<Record<string, ReadonlyArray<Planted>>> = {
  "corners and cards": [
    ["Kestrels vs. Herons: O/U 10.5 Total Corners", "Over", kestrelsWon, total],
    ["O/U 10.5 Total Corners", "Under", kestrelsWon, total],
    ["Will Kestrels win the most corners against Herons?", "Yes", kestrelsWon, { game: true }],
    ["Kestrels vs. Herons: Over 4.5 Cards", "Over", [
      "Kestrels beat Herons 2-0 as tempers flare",
      "Ten-man Herons lose 2-0 to Kestrels",
    ], total],
    ["Will a red card be shown in Kestrels vs. Herons?", "Yes", kestrelsWon, { game: true }],
  ],
  "halves and quarters": [
    ["Halftime Result", "Kestrels", kestrelsWon, clubs],
    ["Kestrels vs. Herons: 1H Moneyline", "Kestrels", kestrelsWon, clubs],
    ["Kestrels vs. Herons: Second Half Winner", "Kestrels", kestrelsWon, clubs],
    ["Kestrels vs. Herons", "Kestrels", [
      "Half-time: Kestrels 1 Herons 0",
      "Kestrels go in 1-0 up on Herons at half-time",
    ], clubs],
    ["Kestrels vs. Herons", "Kestrels", [
      "Kestrels win first half against Herons",
      "Kestrels take the first half from Herons",
    ], clubs],
    ["Summit Bears vs. Delta Pelicans: 1st Quarter Winner", "Summit Bears", bearsWon, bears],
    ["Summit Bears vs. Delta Pelicans", "Summit Bears", [
      "Bears win third quarter over Pelicans 30-21",
      "Summit Bears outscore Delta Pelicans in third quarter",
    ], bears],
  ],
  "maps, rounds and games": [
    ["Counter-Strike: Nova vs Ember - Map 2 Winner", "Nova", novaWon, squads],
    ["Counter-Strike: Nova vs Ember (BO3)", "Nova", [
      "Nova win map 1 against Ember",
      "Ember drop first map to Nova",
    ], squads],
    ["Nova vs Ember: Map 3 Total Rounds O/U 21.5", "Under", novaWon, total],
    ["Will Ivo Stern vs. Marko Pell go over 8.5 rounds?", "Yes", [
      "Ivo Stern beats Marko Pell by decision",
      "Stern outpoints Pell",
    ], { game: true }],
    ["Will Ivo Stern win by knockout against Marko Pell?", "Yes", [
      "Ivo Stern defeats Marko Pell on points",
      "Stern beats Pell",
    ], { game: true }],
    ["Bears vs. Pelicans: Game 4 Winner", "Bears", [
      "Bears win Game 3 against Pelicans",
      "Bears take third game over Pelicans",
    ], { outcomes: ["Bears", "Pelicans"], game: true }],
  ],
  "first to score, race to": [
    ["Kestrels vs. Herons: First Team to Score", "Kestrels", kestrelsWon, clubs],
    ["First Team to Score", "Kestrels", kestrelsWon, clubs],
    ["Will Kestrels score first against Herons?", "Yes", kestrelsWon, { game: true }],
    ["Kestrels vs. Herons: Race to 3 Goals", "Kestrels", [
      "Kestrels beat Herons 3-1",
      "Herons concede three as Kestrels win",
    ], clubs],
    ["Summit Bears vs. Delta Pelicans: Race to 20 Points", "Summit Bears", bearsWon, bears],
  ],
  "handicaps and totals": [
    ["Spread: Kestrels (-1.5)", "Kestrels", [
      "Kestrels beat Herons 1-0",
      "Kestrels edge Herons",
    ], clubs],
    ["Kestrels vs. Herons: Herons (+2.5)", "Herons", kestrelsWon, clubs],
    ["Spread: Summit Bears (-7.5)", "Summit Bears", bearsWon, bears],
    ["Kestrels vs. Herons: O/U 2.5", "Over", kestrelsWon, total],
    ["Summit Bears vs. Delta Pelicans: O/U 210.5", "Over", bearsWon, total],
    ["Kestrels Team Total: O/U 1.5", "Under", kestrelsWon, total],
    ["Will both teams score in Kestrels vs. Herons?", "Yes", kestrelsWon, { game: true }],
    ["Lena Orr: Points O/U 25.5", "Over", [
      "Lena Orr shines as Bears beat Pelicans",
      "Lena Orr guides Bears past Pelicans",
    ], total],
  ],
  "a season, not a match": [
    ["Will the Kestrels win the league title?", "Yes", [
      "Kestrels beat Herons to go top of league",
      "Kestrels win to move top of the league",
    ]],
    ["Will the Kestrels win the 2026-27 Premier League?", "Yes", [
      "Kestrels win Premier League opener",
      "Kestrels win at Herons in Premier League",
    ]],
    ["Will the Kestrels finish in the top four this season?", "Yes", [
      "Kestrels climb into the top four",
      "Kestrels move into the top four after win",
    ]],
    ["Will the Summit Bears win 50 games in the 2026-27 season?", "Yes", [
      "Summit Bears win tenth game of season",
      "Summit Bears win again to extend streak",
    ]],
    ["Will Lena Orr be named MVP of the season?", "Yes", [
      "Lena Orr named player of the match",
      "Lena Orr named player of the week",
    ]],
  ],
  "other years, months and days": [
    ["Will Mira Holt win the 2027 Lakeland mayoral election?", "Yes", [
      "Mira Holt wins Lakeland mayoral election",
      "Mira Holt elected Lakeland mayor",
    ]],
    ["Will Norland host the 2030 Winter Games?", "Yes", [
      "Norland chosen to host 2034 Winter Games",
      "Winter Games of 2034 awarded to Norland",
    ]],
    ["Will the Kestrels win the 2026 National Cup?", "Yes", [
      "Kestrels crowned National Cup winners in 2016",
      "When Kestrels won the National Cup",
    ]],
    ["Will Tavia inflation be above 3% in 2027?", "Yes", [
      "Tavia inflation rises to 3.4%",
      "Tavia inflation at 3.4% in October",
    ]],
    ["Will the Bank of Tavia cut rates in December?", "Yes", [
      "Bank of Tavia cuts rates",
      "Bank of Tavia cuts rates to 3.5%",
    ]],
    ["Will Tavia unemployment be above 5% in November 2026?", "Yes", [
      "Tavia unemployment rose to 5.2% in October",
      "Unemployment in Tavia was 5.2% in October",
    ]],
    ["Will the highest temperature in Lorne be 20°C or more on November 30?", "Yes", [
      "Highest temperature in Lorne was 21°C",
      "Lorne temperature reached 21°C",
    ]],
    ["Will Bitcoin be above $100,000 on November 30?", "Yes", [
      "Bitcoin climbs above $100,000",
      "Bitcoin tops $100,000",
    ]],
  ],
  "other rounds and stages": [
    ["Will Ana Reyes win the second round of the Tavia presidential election?", "Yes", [
      "Ana Reyes wins first round of Tavia presidential election",
      "Ana Reyes tops first round of Tavia election",
    ]],
    ["Will Ana Reyes win the Tavia presidential election?", "Yes", [
      "Ana Reyes wins primary for Tavia presidential election",
      "Ana Reyes wins party primary in Tavia presidential race",
    ]],
    [grandOpen, "Yes", [
      "Kai Brandt wins semi-final at Grand Open",
      "Kai Brandt wins in straight sets at Grand Open",
    ]],
    [grandOpen, "Yes", [
      "Kai Brandt wins second-round match at the Grand Open",
      "Kai Brandt beats Santi at Grand Open",
    ]],
    ["Will the Kestrels reach the National Cup final?", "Yes", [
      "Kestrels reach National Cup semi-final",
      "Kestrels into last eight of National Cup",
    ]],
  ],
  "other places, bodies and measures": [
    ["Will the Reform Party win the Ostmark state election?", "Yes", [
      "Reform Party wins Westmark state election",
      "Reform Party wins state election in Westmark",
    ]],
    [waterBill, "Yes", [
      "Lower house of Tavia passes water bill",
      "Tavia's deputies approve water bill",
    ]],
    ["Kestrels vs. Herons", "Kestrels", [
      "Kestrels Women beat Herons Women 3-0",
      "Kestrels under-21s beat Herons under-21s",
    ], clubs],
    ["Will Tavia inflation be above 3% in October 2026?", "Yes", [
      "Core inflation in Tavia rises to 3.4% in October",
      "Tavia core inflation was 3.4% in October",
    ]],
    ["Will Tavia inflation be above 3.5% in October 2026?", "Yes", [
      "Tavia inflation rises to 3.4% in October",
      "Inflation in Tavia was 3.4% in October",
    ]],
  ],
  "hopes, polls and partial counts": [
    [holtResigns, "Yes", [
      "Mira Holt expected to resign within days",
      "Mira Holt to resign, allies say",
    ]],
    ["Will Tavia and Norland sign the river treaty by December 15?", "Yes", [
      "Tavia and Norland agree to sign river treaty",
      "Tavia hopes to sign river treaty with Norland",
    ]],
    ["Will Lumen launch Lumen 4 by December 31?", "Yes", [
      "Lumen to launch Lumen 4 in December",
      "Lumen plans launch of Lumen 4",
    ]],
    [mostSeats, "Yes", [
      "Reform Party on most seats in Tavia exit poll",
      "Poll puts Reform Party on most seats in Tavia",
    ]],
    [lakeland, "Yes", [
      "Mira Holt ahead in Lakeland mayoral election with half of votes counted",
      "Partial count in Lakeland election: Mira Holt in front",
    ]],
  ],
  "corrections, copies, too early": [
    [mostSeats, "Yes", [
      "Reform Party win the most seats in Tavia, final count shows",
      "Tavia: Reform Party takes most seats",
      "Correction: Reform Party did not win the most seats in Tavia",
    ]],
    [holtResigns, "Yes", [
      "Mira Holt resigns",
      "Mira Holt steps down as mayor",
      "Mira Holt denies that she has resigned",
    ]],
    [holtResigns, "Yes", [
      "Mira Holt resigns, One Wire reports",
      "Mayor Mira Holt steps down, One Wire reports",
    ]],
    [holtResigns, "Yes", ["Mira Holt resigns as mayor", "Mira Holt resigns as mayor - Post"]],
    ["Kestrels vs. Herons", "Kestrels", kestrelsWon, {
      ...clubs,
      game: "2026-11-28T21:30:00Z",
    }],
  ],
}

export const trueAnswers: ReadonlyArray<Planted> = [
  ["Kestrels vs. Herons", "Kestrels", [
    "{Kestrels beat Herons 2-0}",
    "Herons {slump to home defeat by Kestrels}",
  ], clubs],
  ["Kestrels vs. Herons", "Herons", [
    "Late winner {gives Herons victory over Kestrels}",
    "{Herons stun Kestrels 1-0}",
  ], clubs],
  ["Will Kestrels win on 2026-11-28?", "Yes", [
    "{Kestrels beat Herons 2-0}",
    "{Kestrels win derby} against Herons",
  ], { game: true }],
  ["Summit Bears vs. Delta Pelicans", "Summit Bears", [
    "{Bears outlast Pelicans} in overtime",
    "Orr scores 31 as {Summit Bears beat Delta Pelicans}",
  ], bears],
  ["Counter-Strike: Nova vs Ember (BO3)", "Nova", [
    "{Nova beat Ember 2-1} to reach final",
    "{Ember knocked out by Nova}",
  ], squads],
  ["Ivo Stern vs. Marko Pell", "Ivo Stern", [
    "{Stern stops Pell} to keep title",
    "{Ivo Stern beats Marko Pell by knockout}",
  ], { outcomes: ["Ivo Stern", "Marko Pell"], game: true }],
  ["Grand Open: Kai Brandt vs Leo Santi", "Kai Brandt", [
    "{Brandt defeats Santi} in straight sets",
    "{Kai Brandt beats Leo Santi}",
  ], { outcomes: ["Kai Brandt", "Leo Santi"], game: true }],
  ["Will Kestrels vs. Herons end in a draw?", "Yes", [
    "{Kestrels and Herons draw 1-1}",
    "Herons {held to 1-1 draw} by Kestrels",
  ], { game: true }],
  ["Kestrels vs. Herons: O/U 2.5", "Under", [
    "{Kestrels beat Herons 1-0}",
    "{Herons lose 1-0} to Kestrels",
  ], total],
  [nationalCup, "Yes", [
    "{Kestrels win National Cup}",
    "Kestrels beat Herons {to lift National Cup}",
  ]],
  [nationalCup, "No", ["{Herons win National Cup}", "{Herons crowned National Cup champions}"], {
    rivals: ["Will the Herons win the National Cup?"],
  }],
  [lakeland, "Yes", ["{Mira Holt elected mayor of Lakeland}", "{Holt wins Lakeland mayoral race}"]],
  [mostSeats, "Yes", [
    "{Reform Party wins most seats in Tavia}, final count shows",
    "Tavia election: {Reform Party takes most seats}",
  ]],
  [mostSeats, "No", [
    "{Harvest Party wins most seats in Tavia}",
    "Tavian voters {give Harvest Party the most seats}",
  ], { rivals: ["Will the Harvest Party win the most seats in Tavia?"] }],
  [holtResigns, "Yes", [
    "{Mira Holt resigns} as mayor of Lakeland",
    "{Holt steps down} after budget row",
  ]],
  ["Mira Holt out as mayor of Lakeland by December 31?", "Yes", [
    "{Holt ousted as Lakeland mayor}",
    "{Mayor Mira Holt quits} Lakeland city hall",
  ]],
  [waterBill, "Yes", [
    "{Senate of Tavia passes water bill}",
    "{Water bill clears Tavia Senate} 51-47",
  ]],
  ["Will the water bill become law in Tavia by December 31?", "Yes", [
    "{Tavia's president signs water bill into law}",
    "{Water bill becomes law} in Tavia",
  ]],
  ["Will the Bank of Tavia cut rates in November?", "Yes", [
    "{Bank of Tavia cuts rates} by a quarter point",
    "{Tavia's central bank lowers rates} to 3.5%",
  ]],
  ["Will the Fed cut rates by 25 bps in November?", "Yes", [
    "{Fed cuts rates by 25 basis points}",
    "{Fed lowers rates by quarter point}, signals pause",
  ]],
  ["Will Tavia inflation be above 3% in October 2026?", "Yes", [
    "{Tavia inflation rises to 3.4%} in October",
    "{Inflation in Tavia was 3.4% in October}, statistics office says",
  ]],
  ["Will Tavia inflation be above 3.5% in October 2026?", "No", [
    "{Tavia inflation slows to 3.1% in October}",
    "{Inflation in Tavia eased to 3.1%} in October as fuel got cheaper",
  ]],
  ["Will the highest temperature in Lorne be 20°C or more on November 28?", "Yes", [
    "{Lorne reaches 21°C}, warmest November day in a decade",
    "{Highest temperature in Lorne hit 21°C on November 28}",
  ]],
  ["Will Bitcoin reach $120,000 in November?", "Yes", [
    "{Bitcoin tops $120,000} for first time",
    "{Bitcoin hits $120,000} as funds pour in",
  ]],
  ["Will Bitcoin reach $120,000 by December 31?", "Yes", [
    "{Bitcoin surges past $121,000}",
    "{Bitcoin breaks $120,000} barrier",
  ]],
  ["Will Lumen release Lumen 4 by December 31?", "Yes", [
    "{Lumen releases Lumen 4} to all users",
    "{Lumen 4 launches} with longer memory",
  ]],
  ["Will Harrow Steel acquire Delta Rail by December 31?", "Yes", [
    "{Harrow Steel completes takeover of Delta Rail}",
    "{Delta Rail bought by Harrow Steel} in $4bn deal",
  ]],
  ["Will Tavia and Norland sign the river treaty by December 15?", "Yes", [
    "{Tavia and Norland sign river treaty}",
    "{River treaty signed} by Norland and Tavia",
  ]],
  ["Tavia x Norland ceasefire by December 31?", "Yes", [
    "{Tavia and Norland agree ceasefire}",
    "{Ceasefire between Norland and Tavia takes effect}",
  ]],
  ["Will Carl Brandt be convicted of fraud by December 31?", "Yes", [
    "{Carl Brandt convicted of fraud}",
    "{Jury finds Brandt guilty} on all fraud counts",
  ]],
  ["Will Carl Brandt be convicted of fraud by November 28?", "No", [
    "{Carl Brandt acquitted of fraud}",
    "Jury {clears Brandt} of fraud",
  ]],
  ["Will Ana Reyes be named finance minister of Tavia by December 31?", "Yes", [
    "{Ana Reyes named Tavia finance minister}",
    "Tavia's president {appoints Reyes as finance minister}",
  ]],
  ["Will 'Glass Harbor' win Best Film at the Lorne Festival?", "Yes", [
    "{'Glass Harbor' wins best film at Lorne Festival}",
    "{Lorne Festival gives best film to 'Glass Harbor'}",
  ]],
  ["Will the Tavia probe land on Mars by December 31?", "Yes", [
    "{Tavia probe lands on Mars}",
    "{Tavia's probe touches down on Mars}",
  ]],
  ["Will the Lorne rail strike end by November 30?", "Yes", [
    "{Lorne rail strike ends}",
    "Unions {call off Lorne rail strike}",
  ]],
  ["Will Leo Santi win the Lorne Grand Prix?", "Yes", [
    "{Leo Santi wins Lorne Grand Prix}",
    "{Santi takes victory at Lorne Grand Prix}",
  ]],
  ["Will the Supreme Court strike down the port tax by December 31?", "Yes", [
    "{Supreme Court throws out port tax}",
    "{Port tax struck down} by Supreme Court",
  ]],
  [grandOpen, "Yes", [
    "{Kai Brandt wins Grand Open} title",
    "{Brandt beats Santi to win Grand Open}",
  ]],
  [grandOpen, "No", [
    "{Kai Brandt knocked out of Grand Open}",
    "{Brandt crashes out of Grand Open} in semi-final",
  ]],
  ["US government shutdown before February?", "Yes", [
    "{US government shuts down} as talks fail",
    "{Government shutdown begins} after Congress misses deadline",
  ]],
]
