import Foundation

// What planning costs, and whether it is right. Built for release:
//   saunter-bench-schedule campaign [cases] [first seed]   every rule of the plan over random participants
//   saunter-bench-schedule engine                          one participant: plan, due state, reconcile
//   saunter-bench-schedule growth [enrolments …]           nightly reconcile and due-today with many enrolled
//   saunter-bench-schedule simulate [participants]         dry runs of a study of 56 days
//   saunter-bench-schedule preview [enrolments]            what publishing a version would do to them
//
// Growth, by statement (PostgreSQL 15 without fsync; a page of 500 for the plans), in pages touched with 10,000, 100,000 and 1,000,000 enrolled:
// plans that run out 29, 55, 78; a claim of somebody due 5, 5, 6; retries and abandoned claims 1 each. What grows is what changed: with a million
// enrolled 1,000, 4,000 and 16,000 claims take 0.2, 0.5 and 1.4 s, beside an old snapshot 0.2, 0.5 and 2.7 s (5.4 s for 4,000, and more than 80 s
// for 16,000, when each claim searched from the index's beginning); listing 4,000, 16,000 and 64,000 plans that run out on one day and setting them
// on 0.2, 0.8 and 2.5 s (0.7, 0.9 and 8.1 s by an index without the id). Filling takes 1, 6 and 74 s.

let arguments = Array(CommandLine.arguments.dropFirst())
switch arguments.first {
case "campaign":
    let count = arguments.dropFirst().first.flatMap { UInt64($0) } ?? 1_000_000
    let first = arguments.dropFirst(2).first.flatMap { UInt64($0) } ?? 0
    exit(Campaign.run(first: first, count: count) ? 0 : 1)
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
default:
    print(
        "usage: saunter-bench-schedule campaign [cases] [first seed] | engine | growth [enrolments …] | simulate [participants] | "
            + "preview [enrolments]")
    exit(2)
}
