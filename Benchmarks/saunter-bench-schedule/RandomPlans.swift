import SaunterTesting

/// Checks every rule of planning and reconciliation with random participants.
enum RandomPlans {
    /// - Returns: whether there were no violations.
    static func run(first: UInt64, count: UInt64) -> Bool {
        let clock = ContinuousClock()
        var violations: [String: Int] = [:]
        let duration = clock.measure {
            for seed in first..<first + count {
                let made = PlanCase(seed: seed)
                for found in made.violations() + made.randomViolations() + made.historyViolations() {
                    let rule = String(found.prefix { $0 != ":" })
                    violations[rule, default: 0] += 1
                    if violations[rule, default: 0] <= 3 { print(found) }
                }
                if (seed - first + 1) % 100_000 == 0 { print("\(seed - first + 1) cases") }
            }
        }
        let perCase = duration / .microseconds(1) / Double(max(count, 1))
        print("\(count) cases from seed \(first), \(Int(perCase)) µs each; \(PlanCase.rules.count) rules")
        for (rule, times) in violations.sorted(by: { $0.key < $1.key }) {
            print("violated: \(rule), \(times) times")
        }
        if violations.isEmpty { print("no rule is violated") }
        return violations.isEmpty
    }
}
