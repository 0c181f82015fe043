import Foundation

// What planning costs, and whether it is right. Built for release:
//   saunter-bench-schedule campaign [cases] [first seed]   every rule of the plan over random participants
//   saunter-bench-schedule engine                          one participant: plan, due state, reconcile
//   saunter-bench-schedule growth [enrolments …]           nightly reconcile and due-today with many enrolled

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
default:
    print("usage: saunter-bench-schedule campaign [cases] [first seed] | engine | growth [enrolments …]")
    exit(2)
}
