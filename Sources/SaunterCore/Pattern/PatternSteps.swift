/// Writes a tree out as steps; a pattern that comes to too many is refused.
struct PatternSteps {
    private(set) var steps: [Pattern.Step] = []

    init(_ tree: PatternTree) throws(PatternFault) {
        try add(tree)
        try emit(.end)
    }

    private mutating func emit(_ step: Pattern.Step) throws(PatternFault) {
        guard steps.count < Pattern.maximumSteps else {
            throw PatternFault(
                position: 1,
                detail: "with its counts written out the pattern has over \(Pattern.maximumSteps) steps")
        }
        steps.append(step)
    }

    private mutating func add(_ tree: PatternTree) throws(PatternFault) {
        switch tree {
        case .take(let taken): try emit(.take(taken))
        case .row(let parts): for part in parts { try add(part) }
        case .either(let branches): try add(branches[...])
        case .repeated(let inner, let least, let most):
            let before = steps.count
            for time in 0..<least {
                try add(inner)
                // What takes nothing is the same however often it stands there; counting it out would take for ever.
                if time == 0, steps.count == before { return }
            }
            if let most {
                for _ in 0..<max(most - least, 0) { try addOptional(inner, loops: false) }
            } else {
                try addOptional(inner, loops: true)
            }
        }
    }

    private mutating func add(_ branches: ArraySlice<PatternTree>) throws(PatternFault) {
        guard let first = branches.first else { return }
        guard branches.count > 1 else { return try add(first) }
        let split = steps.count
        try emit(.jump(0))
        try add(first)
        let leave = steps.count
        try emit(.jump(0))
        steps[split] = .split(split + 1, steps.count)
        try add(branches.dropFirst())
        steps[leave] = .jump(steps.count)
    }

    private mutating func addOptional(_ inner: PatternTree, loops: Bool) throws(PatternFault) {
        let split = steps.count
        try emit(.jump(0))
        try add(inner)
        if loops { try emit(.jump(split)) }
        steps[split] = .split(split + 1, steps.count)
    }
}
