/// Compiles a syntax tree into steps. Fails if the pattern has more than `Pattern.maximumSteps` steps.
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
                detail:
                    "the pattern has more than \(Pattern.maximumSteps) steps after its counts are expanded")
        }
        steps.append(step)
    }

    private mutating func add(_ tree: PatternTree) throws(PatternFault) {
        switch tree {
        case .characters(let characters): try emit(.consume(characters))
        case .sequence(let parts): for part in parts { try add(part) }
        case .alternatives(let branches): try add(branches[...])
        case .repeated(let inner, let minimum, let maximum):
            let before = steps.count
            for repetition in 0..<minimum {
                try add(inner)
                // An empty part matches the same text for every count. Without this check, nested counts of an empty
                // part would loop almost forever.
                if repetition == 0, steps.count == before { return }
            }
            if let maximum {
                for _ in 0..<max(maximum - minimum, 0) { try addOptional(inner, loops: false) }
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
