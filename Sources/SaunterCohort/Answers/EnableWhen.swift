import SaunterCore

/// Whether an item is asked, by the answers so far: what every client of the API reckons for itself.
struct EnableWhen {
    private let conditions: [JSON]
    private let anyIsEnough: Bool

    /// - Parameter item: as the API gives it.
    init(_ item: JSON) {
        conditions = item["enableWhen"]?.array ?? []
        anyIsEnough = item["enableBehavior"]?.string == "any"
    }

    func holds(for answers: JSONObject) -> Bool {
        guard !conditions.isEmpty else { return true }
        return anyIsEnough
            ? conditions.contains { Self.holds($0, answers) }
            : conditions.allSatisfy { Self.holds($0, answers) }
    }

    private static func holds(_ condition: JSON, _ answers: JSONObject) -> Bool {
        let given = condition["question"]?.string.flatMap { answers[$0] }
        let wanted = condition["answer"] ?? .null
        let values = given?.array ?? given.map { [$0] } ?? []
        switch condition["operator"]?.string {
        case "exists": return (given != nil) == (wanted.bool ?? true)
        case "=": return values.contains(wanted)
        case "!=": return !values.isEmpty && !values.contains(wanted)
        case ">": return compare(values, wanted, >)
        case "<": return compare(values, wanted, <)
        case ">=": return compare(values, wanted, >=)
        case "<=": return compare(values, wanted, <=)
        default: return false
        }
    }

    private static func compare(_ values: [JSON], _ wanted: JSON, _ holds: (Double, Double) -> Bool) -> Bool {
        guard let wanted = wanted.double else { return false }
        return values.contains { $0.double.map { holds($0, wanted) } ?? false }
    }
}
