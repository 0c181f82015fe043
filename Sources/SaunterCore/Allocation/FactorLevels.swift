/// The levels that one participant stated for the factors of the allocation, in the study's order.
package struct FactorLevels: Sendable, Hashable {
    /// One factor with the stated level.
    package struct Entry: Sendable, Hashable {
        /// The code of the factor.
        package var factor: String
        /// The code of the level.
        package var level: String

        /// Creates an entry without checking its codes.
        package init(factor: String, level: String) {
            self.factor = factor
            self.level = level
        }
    }

    /// One entry for each factor of the study, in its order.
    package var entries: [Entry]

    /// For studies without factors.
    package static let empty = FactorLevels([])
    /// Name of the only allocation list if there are no strata.
    package static let allParticipants = "all"

    /// Creates the levels without checking them against a study.
    package init(_ entries: [Entry]) {
        self.entries = entries
    }

    /// Reads `{"sex": "female", "place": "north"}`. The object must contain every factor of the study and no other
    /// member.
    /// - Throws: all faults, with pointers that begin with `/factors`.
    package init(_ json: JSON?, of allocation: Allocation) throws(Faults) {
        let object = json?.object ?? [:]
        var faults: [Fault] = []
        entries = []
        for factor in allocation.factors {
            let pointer = "/factors/\(Fault.escape(factor.code))"
            guard let value = object[factor.code] else {
                faults.append(
                    Fault(
                        pointer: pointer, code: "required", detail: "The factor \(factor.code) is required."))
                continue
            }
            guard let level = value.string, factor.levels.contains(level) else {
                faults.append(
                    Fault(
                        pointer: pointer, code: "not_a_value",
                        detail: "The level must be one of \(factor.levels.joined(separator: ", "))."))
                continue
            }
            entries.append(Entry(factor: factor.code, level: level))
        }
        let known = Set(allocation.factors.map(\.code))
        for name in object.names where !known.contains(name) {
            faults.append(
                Fault(
                    pointer: "/factors/\(Fault.escape(name))", code: "unknown_factor",
                    detail: "The study does not have this factor."))
        }
        guard faults.isEmpty else { throw Faults(faults) }
    }

    /// Name of the stratum: `all`, or `place=north|sex=female` in the study's order.
    package var stratum: String {
        if entries.isEmpty { return Self.allParticipants }
        return entries.map { "\($0.factor)=\($0.level)" }.joined(separator: "|")
    }

    /// The levels as an object: `{"sex": "female"}`.
    package var json: JSON {
        .object(JSONObject(entries.map { .init(name: $0.factor, value: .string($0.level)) }))
    }
}
