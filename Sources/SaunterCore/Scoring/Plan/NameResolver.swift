/// Resolves the names of a key from the position of the scale that is planned: only earlier scales are visible.
struct NameResolver {
    let key: ScoringKey
    let items: [String: Item]
    private let covariates: [String: Covariate]
    /// The index of the first scale with each id, among the scales that were added.
    private(set) var earlier: [String: Int] = [:]
    private var count = 0

    init(_ key: ScoringKey, items: [String: Item]) {
        self.key = key
        self.items = items
        covariates = Dictionary(key.covariates.map { ($0.id, $0) }) { first, _ in first }
    }

    /// Makes a scale visible to the scales after it.
    mutating func add(_ scale: Scale) {
        if earlier[scale.id] == nil { earlier[scale.id] = count }
        count += 1
    }

    /// The condition with its name resolved.
    func condition(_ condition: ScoreCondition) -> PlannedCondition {
        let test: PlannedCondition.Test =
            switch condition.test {
            case .range(let range): .range(ExactRange(range))
            case .code(let code): .code(code)
            }
        return PlannedCondition(source: source(condition.name), test: test)
    }

    private func source(_ name: String) -> PlannedCondition.Source {
        if let item = items[name] { return .item(name, ItemWeights(item)) }
        if let index = earlier[name] { return .scale(index) }
        guard let covariate = covariates[name] else { return .nothing }
        guard case .item(let linkId) = covariate.source else { return .given(name) }
        return items[linkId].map { .item(linkId, ItemWeights($0)) } ?? .nothing
    }

    /// The table with the names in its conditions resolved; nil if there is no such table.
    func table(_ name: String) -> PlannedTable? {
        key.tables.first { $0.id == name }.map { table in
            PlannedTable(
                rows: table.rows.map { row in
                    switch row.entry {
                    case .score(let raw, let value, let error):
                        PlannedTable.Row(
                            conditions: row.conditions.map(condition), range: ExactRange(raw),
                            value: Quantity(value), spread: error.map { Quantity($0) })
                    case .norm(let mean, let deviation):
                        PlannedTable.Row(
                            conditions: row.conditions.map(condition), range: ExactRange(ScoreRange()),
                            value: Quantity(mean), spread: Quantity(deviation))
                    }
                })
        }
    }
}
