import SaunterTesting

/// Every rule of planning and reconciling over random participants.
enum Campaign {
    /// - Returns: whether all rules held.
    static func run(first: UInt64, count: UInt64) -> Bool {
        let clock = ContinuousClock()
        var broken: [String: Int] = [:]
        let duration = clock.measure {
            for seed in first..<first + count {
                let made = PlanCase(seed: seed)
                for found in made.violations() + made.randomViolations() + made.historyViolations() {
                    let rule = String(found.prefix { $0 != ":" })
                    broken[rule, default: 0] += 1
                    if broken[rule, default: 0] <= 3 { print(found) }
                }
                if (seed - first + 1) % 100_000 == 0 { print("\(seed - first + 1) cases") }
            }
        }
        let perCase = duration / .microseconds(1) / Double(max(count, 1))
        print("\(count) cases from seed \(first), \(Int(perCase)) µs each; \(PlanCase.rules.count) rules")
        for (rule, times) in broken.sorted(by: { $0.key < $1.key }) {
            print("broken: \(rule), \(times) times")
        }
        if broken.isEmpty { print("no rule was broken") }
        return broken.isEmpty
    }
}
