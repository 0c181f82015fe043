/// What one participant told of the factors of the allocation, in the order of the study.
package struct FactorLevels: Sendable, Hashable {
    package struct Entry: Sendable, Hashable {
        package var factor: String
        package var level: String

        package init(factor: String, level: String) {
            self.factor = factor
            self.level = level
        }
    }

    package var entries: [Entry]

    /// Of studies that ask nothing.
    package static let nothing = FactorLevels([])
    /// The stratum of everybody where nothing divides them.
    package static let everybody = "all"

    package init(_ entries: [Entry]) {
        self.entries = entries
    }

    /// Reads `{"sex": "female", "place": "north"}`: every factor of the study once, and nothing else.
    /// - Throws: all faults, with pointers from `/factors` on.
    package init(_ told: JSON?, of allocation: Allocation) throws(Faults) {
        let object = told?.object ?? [:]
        var faults: [Fault] = []
        entries = []
        for factor in allocation.factors {
            let pointer = "/factors/\(Fault.escape(factor.code))"
            guard let value = object[factor.code] else {
                faults.append(
                    Fault(pointer: pointer, code: "required", detail: "The study asks for \(factor.code)."))
                continue
            }
            guard let level = value.string, factor.levels.contains(level) else {
                faults.append(
                    Fault(
                        pointer: pointer, code: "not_a_value",
                        detail: "It is one of \(factor.levels.joined(separator: ", "))."))
                continue
            }
            entries.append(Entry(factor: factor.code, level: level))
        }
        let known = Set(allocation.factors.map(\.code))
        for name in object.names where !known.contains(name) {
            faults.append(
                Fault(
                    pointer: "/factors/\(Fault.escape(name))", code: "unknown_factor",
                    detail: "The study does not ask for this."))
        }
        guard faults.isEmpty else { throw Faults(faults) }
    }

    /// The stratum's name: `all`, or `place=north|sex=female` in the order of the study.
    package var stratum: String {
        if entries.isEmpty { return Self.everybody }
        return entries.map { "\($0.factor)=\($0.level)" }.joined(separator: "|")
    }

    package var json: JSON {
        .object(JSONObject(entries.map { .init(name: $0.factor, value: .string($0.level)) }))
    }
}
