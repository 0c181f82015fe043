import Foundation

// Measures the cost of planning, and checks its rules. Needs a release build:
//   saunter-bench-schedule random [cases] [first seed]   checks every rule of planning with random participants
//   saunter-bench-schedule engine                        one participant: plan, due state, reconciliation
//   saunter-bench-schedule growth [enrolments …]         planning and claims of reminders with many enrolments
//   saunter-bench-schedule simulate [participants]       dry runs of a study of 56 days
//   saunter-bench-schedule preview [enrolments]          the preview of a new version for these enrolments
//   saunter-bench-schedule rules [enrolments …]          evaluations of decision rules with many enrolments
//
// Build it with `SAUNTER_BENCHMARKS=1 swift build -c release --product saunter-bench-schedule`. It starts a private
// PostgreSQL, and deletes it at the end.
//
// `rules` evaluates the rules of appiness, one rule with `entry` and one with `reached`, by default with 10,000 and
// with 1,000,000 enrolments. For each number of enrolments it prints, in milliseconds:
// - the median time of a rule step if nothing is due,
// - the time per evaluated participant if 1,000 are due (median of three rounds), or 16,000,
// - the same while another transaction holds an old snapshot, like a large export.
// Then it prints the ratio of the times per participant. It is near 1 if an evaluation does not depend on the number
// of enrolments. Last, it prints the plans of the statements that find and lock a participant. It fails if a plan
// contains a sequential scan, or if a rule did not act exactly once for each evaluated participant.
//
// Results of `growth` (PostgreSQL 15 without fsync, pages of 500 plans):
//
// | statement                                  | 10,000 | 100,000 | 1,000,000 enrolments |
// |--------------------------------------------|-------:|--------:|---------------------:|
// | pages read for plans that run out          |     29 |      55 |                   78 |
// | pages read for the claim of one reminder   |      5 |       5 |                    6 |
// | pages read for retries, abandoned claims   |      1 |       1 |                    1 |
// | filling the database, s                    |      1 |       6 |                   74 |
//
// The time depends on the number of changes. With 1,000,000 enrolments:
// - 1,000, 4,000 and 16,000 claims: 0.2, 0.5 and 1.4 s.
// - The same while another transaction holds an old snapshot: 0.2, 0.5 and 2.7 s. When each claim searched from the
//   start of the index, 4,000 took 5.4 s and 16,000 more than 80 s.
// - Listing and extending 4,000, 16,000 and 64,000 plans that run out on one day: 0.2, 0.8 and 2.5 s. With an index
//   without the id: 0.7, 0.9 and 8.1 s.
//
// Results of `rules` (PostgreSQL 15 without fsync, one release build and one round of the benchmark):
//
// |                                                     | 10,000 | 1,000,000 enrolments |
// |-----------------------------------------------------|-------:|---------------------:|
// | a rule step if nothing is due, ms                   |    0.6 |                  1.2 |
// | per evaluated participant, 1,000 due, ms            |   12.7 |                 13.6 |
// | the same beside an old snapshot, ms                 |   12.6 |                 17.6 |
// | per evaluated participant, 16,000 due, ms           |        |                 11.6 |
// | the same beside an old snapshot, ms                 |        |                 12.3 |
// | filling the database, s                             |      1 |                  155 |
//
// A participant has 61 moods, and the time contains reading them. The ratio of the times with 1,000 due is 1.07. The
// measurements with 16,000 due and the last one before them ran while another program compiled.

let arguments = Array(CommandLine.arguments.dropFirst())
switch arguments.first {
case "random":
    let count = arguments.dropFirst().first.flatMap { UInt64($0) } ?? 1_000_000
    let first = arguments.dropFirst(2).first.flatMap { UInt64($0) } ?? 0
    exit(RandomPlans.run(first: first, count: count) ? 0 : 1)
case "engine": EngineCost.run()
case "growth":
    let sizes = arguments.dropFirst().compactMap { Int($0) }
    try await Growth.run(sizes: sizes.isEmpty ? [10_000, 100_000, 1_000_000] : sizes)
case "simulate":
    let count = arguments.dropFirst().first.flatMap { Int($0) } ?? 10_000
    try await SimulationCost.run(participants: count)
case "preview":
    let count = arguments.dropFirst().first.flatMap { Int($0) } ?? 10_000
    try await PreviewCost.run(enrolments: count)
case "rules":
    let sizes = arguments.dropFirst().compactMap { Int($0) }
    try await RuleCost.run(sizes: sizes.isEmpty ? [10_000, 1_000_000] : sizes)
default:
    print(
        "usage: saunter-bench-schedule random [cases] [first seed] | engine | growth [enrolments …] | "
            + "simulate [participants] | preview [enrolments] | rules [enrolments …]")
    exit(2)
}
