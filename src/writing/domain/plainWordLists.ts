/**
 * The lists of plain words, grouped by how they inflect. plainWords.ts says which words belong here.
 *
 * @module
 */

/** Words without endings, and irregular forms. */
export const fixedList = `
about above across afar afresh afterwards albeit almost alone along alongside altogether amongst
anew another anybody anyone anything anyway apart atop barely been being be besides beneath
best better both cannot can't couldn't despite didn't doesn't doing done don't downward downwards
elsewhere else enough especially everybody everyone everything everywhere except far farther few
fewer fewest first forth forward forwards furthermore further hardly hadn't hasn't haven't having
hence him hereafter hers herself himself how however inside isn't itself latter least less lest lots
many maybe meantime moreover most mostly much namely nearby nearly neither nevertheless next no
nobody none nonetheless nothing notwithstanding nowhere of off often others otherwise ours
outside overnight own partly past perhaps presently quite regarding regardless scarcely
seldom several she he sideways somebody somehow someone something sometimes somewhat
somewhere sooner such theirs them themselves thereafter thereby therefore thus tomorrow tonight
underneath unlike upward upwards very wasn't weren't what whatever whenever whereby wherever
whichever whoever whom wouldn't we z aren't aside throughout upside downside likewise
worse worst bigger biggest higher highest lower lowest larger largest smaller smallest wider widest
narrower narrowest tighter tightest deeper deepest thinner thinnest thicker thickest stronger
strongest weaker weakest faster fastest slower slowest cheaper cheapest dearer dearest earlier
earliest latest longer longest shorter shortest closer closest nearer nearest calmer calmest quieter
quietest sharper sharpest steeper steepest flatter flattest broader broadest lighter heavier
heaviest easier easiest harder hardest poorer poorest newer newest older oldest fuller looser firmer
softer milder sounder safer riskier noisier busier likelier likeliest greater greatest fresher
cleaner simpler simplest rarer warmer colder became become becomes becoming began begin beginning
begins begun bid bids bidding bought break breaking breaks broke broken bring bringing brings
brought build building builds built buy buying buys came come comes coming catch catches caught
choose chooses choosing chose chosen cost costing costs crept creep creeps cut cuts cutting deal
dealing deals dealt draw drawing drawn draws drop dropped dropping drops drive driven drives driving
drove fall fallen falling falls fell feel feeling feels felt find finding finds found flew flow get
gets getting got give given gives giving gave go goes going gone went grew grow growing grown grows
held hold holding holds keep keeping keeps kept knew know knowing known knows laid lay lays laying
lead leading leads led lean leave leaving lent lend lends let lets letting lie lies lying made make
makes making mean meaning meet meeting meets met overstated paid pay paying pays put puts putting
ran run running runs reading read reads risen rise rises rising rose said say saying saw see seeing
seek seeking seeks seen sell selling sells send sending sends sent set sets setting shake shakes
shaken shook show showed showing shown shows shrank shrink shrinking shrinks shrunk sink sinking
sinks sank sunk sit sitting slid slide slides sliding slip slipped slipping slips sold speak
speaking speaks spend spending spends spent split splits splitting spread spreading spreads stand
standing stick sticking sticks stuck stop stopped stopping stops swing swinging swings swung take
taken takes taking taught teach teaches tell telling tells told think thinking thinks thought took
trim trimmed trimming trims understand understanding understands understood unwind unwinding unwinds
unwound wrote write writes writing written overtook overtaken underpin underpins underpinned plan
planned planning plans fit fits fitted fitting net nets netted netting tip tips tipped flip flipped
flipping flips swap swaps swapped dip dips dipped dipping step steps stepped stepping snap snapped
snaps lag lags lagged lagging refer refers referred referring occur occurs occurred occurring prefer
prefers preferred infer infers inferred forecast forecasts forecasting forecasted offset offsets
offsetting reset resets resetting undercut outran outrun bias biased biases hedging people men women
children criteria phenomena analyses hypotheses theses crises series news odds politics earnings
means economics statistics data media proceeds goods pre post non re intraday ex co pro anti
worthwhile due ahead alike undue unhedged informed uninformed unpriced underpriced overpriced
mispriced undervalued overvalued untraded untracked unread unseen unchanged unmoved untested
unproven unresolved undecided unsettled unsure unsupported unexplained unexpected unaffected
unrelated unknown unlisted unscheduled oversized overbought oversold uncalibrated calibrated labelled unlabelled
predetermined likely unlikely costly early daily weekly monthly yearly timely orderly friendly worth
afloat aware able alive asleep away badly content fast hard late long low straight well wrong only chiefly
largely mainly shortly thereabouts fully a an per each every any some all more our her his`

/** Nouns; plurals are derived. */
export const nounList = `
ability absence account accumulation accuracy action activity addition advance advantage advice
affair age agency agreement aim alternative amendment amount analysis analyst anchor angle answer
appeal appetite approach area argument array article aspect assessment asset assumption attention
auction audience author authority average award backdrop background backing balance ballot band bank
bar base baseline basis basket behavior behaviour belief benchmark benefit bet betting bettor bias
bidder blockchain board body bond book bookmaker border boundary branch breadth breakout brief
budget buffer business buyer cabinet calendar calibration call campaign candidacy candidate cap
capital care case cash catalyst category cause caution ceiling census center centre ceremony chain
challenge challenger championship chance change channel character charge chart choice circle
circumstance city claim class clause climate cluster coalition coin coincidence collateral column
combination comment commentary commission commitment committee commodity community company
comparison competition competitor complement complication component composition compression
concentration concern concession condition conference confidence conflict congress connection
consensus consequence constitution constraint consumer contact content contest contestant context
continuity contract contradiction contrast contribution control controversy convention convergence
conversation conversion copy corporation correction correlation cost council counterpart
counterparty country courage course court coverage credibility credit criterion criticism crowd
currency curve cushion customer cycle damage danger data database date day deadline deal dealer
debate debt decision decline decrease deficit degree delay delegate delegation demand democracy
department departure dependence depth deputy derivative description design desk detail detection
development deviation device difference difficulty digest dimension diplomacy direction director
disagreement disaster discipline disclosure discount discrepancy discretion discussion disease
disposal dispute distance distinction distribution district disturbance divergence diversity
dividend division document domain draft drift driver drop duration duty earner economist economy
edge editor effect efficiency effort election electorate element emission emphasis employee employer
employment energy engagement engine enterprise enthusiasm entity entrant entry environment episode
equilibrium equity error escalation estimate evaluation evening event evidence examination example
exception excess exchange execution executive exercise exhaustion exit expansion expectation expense
experience experiment expert expiry explanation exploration export exposure expression extension
extent extreme eye face factor factory fade failure farm favorite favour favourite fear feature fee
feed feeling field fight figure file fill filter finance finding firm fixture flag flood floor flow
fluctuation focus follower food footing force forecaster foreigner form formula forum foundation
framework frequency friction front fuel function fund funding future gain gainer game gathering
gauge glance goal gold good government governor ground group growth guess guidance guideline habit
hand head heading headline headwind health hearing heat hedge height hesitation high highlight hint
history hold holder holding home horizon host hour house household hypothesis idea identity
imbalance impact implication import importance impression improvement impulse incentive incident
inclination income inconsistency increase incumbent indication indicator indifference industry
inefficiency inference inflation inflow influence information infrastructure initiative input
insight inspection instance institution instrument insurance insurer intent intention interaction
interest interference intermediary internet interpretation interval intervention interview inventory
investigation investment investor invitation involvement issue issuer item job journal journalist
judge judgement judgment judiciary jump jurisdiction jury justice justification kind knowledge label
labor labour lack landscape language law lawmaker lawsuit lawyer layer lead leader leaderboard
leadership league leak lean leg legislation legislator legislature legitimacy lender length lesson
letter level leverage liability likelihood limit limitation line link liquidation liquidity list
listing litigation loan location logic longshot look loss low luck magnitude maker management
manager manner manufacturer manufacturing map margin market marketplace match material maturity
maximum measure measurement mechanism media median meeting member memory mention merchant message
method methodology metric mid middle midpoint minimum minister ministry minute mirror mispricing
misreading miss mistake mix mixture mode model momentum money monitor month mood morning mortgage
motion motive move movement mover music name narrative nation nature necessity need negotiation
negotiator network newcomer newspaper night noise nomination nominee norm note notice notion number
object objection objective obligation observation observer obstacle occasion offer offering office
officer offset oil onset opening operation operator opinion opponent opportunity opposition option
order organisation organization origin outcome outflow outlet outlier outlook output outset overlap
overreaction overview owner ownership pace package page panel paper paragraph parallel parliament
part participant participation partner partnership party passage past patch path patience patient
pattern pause payment payoff payout payroll peace peacekeeping peak peer penalty perception
performance period permission persistence person perspective petition phase phrase picture piece
place placement plan plateau platform play player playoff policy politician poll polling pool
population portfolio portion pose position positioning possibility post posture potential power
practice practitioner precaution precedent precision prediction predictor preference premium
preparation presence presentation presidency president press pressure prevalence price pricing
principle print priority probability problem procedure proceeding process producer product
production productivity profession professional profile profit profitability program programme
progress project projection promise promotion prompt property proponent proportion proposal proposer
proposition prospect protection protocol provider provision proximity proxy public publication
publicity publisher pullback purchase purpose pursuit quality quantity query question queue
quotation quote race radar rally range rank ranking rate rating ratio rationale reach reaction
reader readiness reality reason reasoning reassessment rebound receipt recession recipient
recommendation record recovery recurrence reduction reference referendum reflection reform regime
region register registration regularity regulation regulator relation relationship relative release
relevance reliability reliance relief remainder remark remedy reminder rent repetition replacement
reply report reporter reporting representation representative repricing republic reputation request
requirement research researcher reservation reserve resident residue resilience resistance
resolution resolver resource respect response responsibility rest restraint restriction result
retail retailer retreat return revelation revenue reversal reversion review reviewer revision reward
rhythm right rise risk rival rivalry roadmap role roll room root round route routine row rule ruling
rumor rumour runner runoff sale sample sanction saving scale scandal scarcity scenario schedule
scheme school science scientist scope score scorecard screen scrutiny sea search season seat section
sector security segment selection seller selloff senate senator sense sensitivity sentence sentiment
separation sequence service session setback settlement setup shadow shape share shareholder sheet
shift ship shock shop shortage shortfall shot side sign signal significance silence similarity
simulation site situation size sketch skew skill slate slide slope slot slowdown snapshot society
software source space span spare speaker specialist specification speculation speculator speech
speed spell spike spokesperson sponsor sport spot stability stack staff stage stake stakeholder
stance standard standing standpoint standstill start state statement station statistic status
steadiness step stimulus stock storm story strain strategist strategy streak stream strength stress
stretch strike string structure struggle study style subject subsidy substance success successor
suggestion sum summary summit supplier supply support supporter surface surge surplus surprise
survey survival suspicion swap swing switch symbol sympathy symptom system table tactic tail
tailwind taker tale talk tariff task tax team technology temperature temptation tendency tenor
tension term territory test testimony text theory thesis thing thinking thought threat threshold
tick ticker tie tightening tilt time timeline timetable timing title token tone tool top topic total
touch tournament trace track trade trader tradition traffic trail train transaction transcript
transfer transformation transition translation transmission transparency transport travel treasury
treatment treaty trend trial trigger trip trouble trust turn turning turnout turnover type
uncertainty understanding unemployment union unit unrest unwind update upgrade uptick usage use user
valuation value variable variance variation variety venue version vicinity view viewer viewpoint
virtue visibility vision visit voice volatility volume vote voter voting wage wager wait wall wallet
war warning watch wave way weakness wealth weather web website week weekend weight welfare whale
whole width willingness wind window winter word wording work worker workforce world worry writer
writing year yield zone`

/** Regular verbs; -s, -ed and -ing are derived. */
export const verbList = `
accept account accumulate act adapt add address adjust advance affect agree aim allow alter analyse
analyze answer anticipate appear apply approach argue arrange arrive ask assess assume attach
attempt attract avoid await back balance base believe belong benefit bet bother bounce bridge
broaden calculate calibrate call capture carry cause caution center centre challenge change charge
check cite clarify climb close cluster collapse collect combine comment compare compete compound
compress concentrate concern confine conflict confuse connect consider consist consolidate constrain
contain contest continue contract contradict contrast contribute converge convert copy correct
correlate count cover crawl create cross crowd dampen date debate decay decline decrease deepen
define delay deliver demand depart depend derive describe deserve detect deteriorate develop deviate
differ digest diminish direct disagree disappear discern disclose discount discover discuss display
dispute distinguish disturb diverge divide dominate drain drift earn ease edge emerge emit emphasise
emphasize enable encourage end enter erase erode estimate evaluate evolve examine exceed exchange
exclude execute exhaust exist exit expand expect expire explain explore expose express extend face
fade fail favor favour feature figure fill filter flag flatten float flow fluctuate focus follow
force form frame fund gain gather gauge generate govern gravitate group guess guide handle happen
harden heat hedge help hesitate highlight hinge hint hover identify ignore illustrate imply improve
include increase indicate influence inform inspect intend interact interest interpret intervene
introduce invert invest involve isolate join judge jump justify label lack last learn lengthen
lessen level lift lighten limit linger link list listen load locate look loom loosen lower maintain
manage match matter measure mention mirror miss model moderate monitor mount move name narrow
need normalise normalize note notice observe obtain offer open operate oppose order outpace
outperform outweigh overestimate overlap overstate own pause peak perform persist place play poll
pose position post postpone predict present preserve press prevent price print proceed
produce profit project prolong prompt propose protect provide publish pull push qualify question
quote raise rally range rank rate reach react realise reappear reassess rebalance rebound recall
recede receive reconsider recover reduce reflect regain register relate relax rely remain remember
remind remove repeat replace report represent reprice request require research reserve resist
resolve respond rest restore restrain restrict result retain retrace retreat return reveal reverse
review revise revisit reward risk rotate round sample scale scan schedule score search seem separate
serve shape share shift shorten signal simplify size slow smooth soften sort sound spark speculate
stabilise stabilize stage stagnate stake stall start state stay steady steepen stem stir strengthen
stretch struggle study submit suffer suggest suit summarise summarize supply support surface surge
surprise surround survive sustain switch talk tally tend test thin tick tie tighten tilt total touch
track trade trail transfer transform travel treat trend trigger trust try turn underestimate
underline underperform understate unfold update use value vary view visit wager wait walk want warn
watch weaken weigh whipsaw widen wonder work worry worsen yield`

/** Adjectives; -ly is derived. */
export const adjectiveList = `
abrupt absent abundant acceptable accessible accidental accurate active acute adaptive additional
adequate adjacent administrative advanced adverse affordable aggregate aggressive agricultural
algorithmic ambiguous ambitious ample annual anonymous anxious apparent applicable appropriate
approximate arbitrary asymmetric attractive automatic available average awkward balanced bare basic
bearish big binary bland bleak blind blunt bold brief bright brisk broad bullish busy calibrated
calm capable careful careless cautious central challenging cheap cheerful chief choppy chronic civil
civilian clean clear clever close coherent cold collective comfortable coming commercial common
comparable comparative compatible compelling competent competing competitive complex complicated
comprehensive concentrated concise concrete conditional confident confidential congressional
conscious consecutive conservative considerable consistent conspicuous constant constitutional
constructive contemporary contested contextual contingent continuous contradictory contrarian
contrary controversial convenient conventional converged convincing cool cooperative coordinated
corporate correct corresponding costly creative credible criminal critical crowded crucial crude
cultural cumulative curious current customary cyclical damaging dangerous dark dear decent decisive
deep defensive deliberate delicate democratic dense dependent descriptive detailed different
difficult digital diplomatic direct directional directionless discreet distant distinct distinctive
diverse domestic dominant dormant downbeat dramatic dry dubious due dull durable dynamic eager easy
economic educational effective efficient elaborate elastic electoral electronic elevated eligible
emerging emotional empirical empty energetic enormous entire environmental equal equivalent erratic
essential eventual exact excellent exceptional excessive exclusive executive existing expensive
experimental explicit exponential external extra extraordinary extreme faint fair falling familiar
faulty favorable favourable feasible federal fierce financial fine firm fiscal flat flexible focused
following foreign formal former forthcoming fragile free frequent fresh frothy fruitful full
functional fundamental funny general generous gentle genuine geopolitical global gloomy good gradual
grave great gross growing harmful harmless harsh hazardous hazy healthy heavy hectic helpful
hesitant hidden high historic historical hollow honest horizontal hostile hot huge human
humanitarian hypothetical ideal identical ideological idle illiquid imbalanced immediate immense
impartial imperfect implausible implicit implied important imprecise impressive improbable
inaccurate inactive inadequate incidental inclusive incomplete inconclusive inconsistent incorrect
incremental independent indirect individual industrial ineffective inefficient inexpensive
inflationary influential informal informative inherent initial inner innovative insignificant
institutional instructive instrumental insufficient intact intangible intellectual intelligent
intense intensive intentional interested interesting interim intermediate internal international
interpretive intriguing intrinsic invalid inverse invisible irregular irrelevant isolated jittery
joint judicial keen key lacklustre large last lasting late latent lax leading lean leaning legal
legislative legitimate lengthy liberal light limited linear liquid literal little lively local
logical lone loose loud lucky macro macroeconomic main major managerial manual marginal maritime
massive matching material mature meaningful measurable measured mechanical medical medium memorable
mere methodical mid mild military minimal minor misleading missing mixed moderate modern modest
momentary monetary moral motivated moving multilateral municipal muted mutual naive narrow national
natural naval near neat necessary negative negligible nervous neutral new nominal normal notable
noted noteworthy novel numerical numerous objective obscure observable occasional odd offensive
ominous ongoing open operational opposing opposite optimistic optional oral orderly ordinary organic
original other outer outgoing outright outstanding overall overdue parallel parliamentary partial
particular passive past patchy patient peaceful peculiar pending periodic peripheral permanent
persistent personal persuasive pertinent pessimistic physical pivotal plain plausible poised
polarised polarized polite political poor popular positive possible potential powerful practical
precarious preceding precious precise predictable predominant preliminary premature prepared
presidential previous primary prime principal prior private probabilistic probable problematic
procedural productive professional profitable profound progressive prolonged prominent promising
prompt pronounced proper proportional proposed prospective protective provisional prudent public
pure quantitative quick quiet random rangebound rapid rare rational raw ready reasonable recent
receptive reckless recurring redundant regional regular regulatory related relative relevant
reliable reluctant remaining remarkable remote repeated representative repriced reserved residual
resilient respective responsible responsive resting restless restrictive retrospective right rigid
rigorous rising risky robust rough round routine rural sad safe same satisfactory scarce scattered
sceptical scientific seasonal secret secular selective senior sensible sensitive separate sequential
serious severe shaky shallow sharp sheer short shy significant silent similar simple simultaneous
sizable sizeable skeptical skewed slack slender slight slim slow sluggish small smart smooth sober
social soft solid sophisticated sound spare sparse special specific spectacular speculative
spontaneous sporadic spurious stable stagnant stale standard stark static statistical steady steep
sticky stiff straightforward strange strategic strict striking strong structural stubborn subdued
subject subjective subsequent substantial substantive subtle successful sudden sufficient suitable
superficial superior supportive surrounding susceptible suspicious sustainable sustained swift
symbolic symmetric synthetic systematic systemic tactical tall tame tangible technical technological
temporary tender tense tentative tepid theoretical thick thin thorough tight timid tiny tolerant top
topical total tough tradable tradeable traditional transient transitional transparent tricky trivial
tropical troublesome turbulent typical unable unanimous unattractive unavailable unaware unbalanced
uncertain unclear uncomfortable uncommon unconventional unconvincing underlying understandable
uneasy unequal uneven unfair unfamiliar unfavorable unfavourable uniform unimportant uninteresting
universal unlucky unnecessary unprecedented unpredictable unproductive unprofitable unreasonable
unreliable unstable unsustainable unusual unwarranted unwelcome unwilling unwise upbeat upcoming
upper urban urgent useful useless usual vague valid valuable variable varied various vast verbal
vertical viable vigorous visible visual vital vivid volatile voluntary vulnerable warm wary wasteful
watchful weak weighty welcome whole wide widespread willing wise wooden workable worrying worthwhile
worthy wrong`
