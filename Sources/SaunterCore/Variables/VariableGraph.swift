/// A name in an expression over variables: `area`, `area.stress`, `area.it`.
struct VariableName: Hashable {
    static let it = "it"
    static let value = "value"
    /// Words that cannot be names of variables.
    static let reserved: Set<String> = ["and", "or", "not", "in", "true", "false", it, value]

    let id: String
    let member: String?

    init(_ name: String) {
        let parts = name.split(separator: ".", maxSplits: 1)
        id = parts.first.map { String($0) } ?? name
        member = parts.count == 2 ? String(parts[1]) : nil
    }

    /// Whether the name means the key at hand or the value at that key.
    var isKeyWord: Bool { id == Self.it || id == Self.value }
}

/// The order in which variables are computed: after those on which they depend.
struct VariableGraph {
    /// The positions of the variables that are in no cycle, in an order of computation.
    private(set) var order: [Int] = []
    /// The positions of the variables of each cycle, in the order of the dependencies.
    private(set) var cycles: [[Int]] = []

    private enum State { case new, open, done }

    init(_ variables: [TailoringVariable]) {
        let positions = Dictionary(
            variables.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
        let dependencies = variables.map { $0.dependencies.compactMap { positions[$0] } }
        var states = Array(repeating: State.new, count: variables.count)
        var path: [Int] = []
        var finished: [Int] = []
        var found: [[Int]] = []
        func visit(_ position: Int) {
            states[position] = .open
            path.append(position)
            for next in dependencies[position] {
                switch states[next] {
                case .new: visit(next)
                case .open: found.append(Array(path[(path.firstIndex(of: next) ?? 0)...]))
                case .done: break
                }
            }
            path.removeLast()
            states[position] = .done
            finished.append(position)
        }
        for position in variables.indices where states[position] == .new { visit(position) }
        let inCycles = Set(found.joined())
        order = finished.filter { !inCycles.contains($0) }
        cycles = found
    }
}

extension TailoringVariable {
    /// The ids of the variables that the definition names, each once. A name can be unknown.
    var dependencies: [String] {
        var names: [String] = []
        switch kind {
        case .change(let target, _), .keys(let target): names.append(target)
        case .expression(let source): names += Self.names(in: source)
        default: break
        }
        if case .keys = kind, let condition { names += Self.names(in: condition) }
        var seen: Set<String> = []
        return names.filter { seen.insert($0).inserted }
    }

    /// An expression with a syntax error names nothing.
    private static func names(in source: String) -> [String] {
        do throws(ExpressionFault) {
            return try Expression(source, dialect: .variables).items.map { VariableName($0) }
                .filter { !$0.isKeyWord }.map(\.id)
        } catch {
            return []
        }
    }
}
