extension Schema {
    /// The maximum number of faults that one value reports.
    package static let maximumFaults = 100

    /// Validates a value, and returns its faults with their pointers. Details name members, but never quote a value.
    /// - Parameter pointer: the pointer to the value itself.
    /// - Returns: at most `maximumFaults` faults; empty for a valid value.
    package func faults(in value: JSON, at pointer: String = "") -> [Fault] {
        var validator = SchemaValidator(base: pointer)
        validator.check(value, self)
        return validator.faults
    }
}

/// Validates a value against a schema, recursively. The path becomes a JSON Pointer only if there is a fault, so a
/// series of 100,000 numbers does not create 100,000 strings.
private struct SchemaValidator {
    enum Step {
        case member(String)
        case index(Int)
    }

    let base: String
    var path: [Step] = []
    var faults: [Fault] = []

    init(base: String) {
        self.base = base
    }

    var isFull: Bool { faults.count >= Schema.maximumFaults }

    mutating func check(_ value: JSON, _ schema: Schema) {
        guard !isFull else { return }
        switch schema.shape {
        case .any: break
        case .boolean: if value.bool == nil { wrongType("true or false") }
        case .integer(let minimum, let maximum): checkInteger(value, minimum, maximum)
        case .number(let minimum, let maximum): checkNumber(value, minimum, maximum)
        case .string(let rule): checkString(value, rule)
        case .array(let element, let minimum, let maximum): checkArray(value, element, minimum, maximum)
        case .object(let members, let additional): checkObject(value, members, additional)
        case .nullable(let inner): if !value.isNull { check(value, inner) }
        case .anyOf(let choices): checkChoices(value, choices)
        case .named(_, let inner): check(value, inner())
        }
    }

    private mutating func checkInteger(_ value: JSON, _ minimum: Int?, _ maximum: Int?) {
        guard case .number(let number) = value else { return wrongType("a whole number") }
        guard let whole = number.int else {
            return add("not_whole", "It must be a whole number within ±9007199254740991.")
        }
        if let minimum, whole < minimum { add("below_minimum", "The minimum is \(minimum).") }
        if let maximum, whole > maximum { add("above_maximum", "The maximum is \(maximum).") }
    }

    private mutating func checkNumber(_ value: JSON, _ minimum: Double?, _ maximum: Double?) {
        guard case .number(let number) = value else { return wrongType("a number") }
        guard let double = number.double else { return add("not_finite", "It must be a finite number.") }
        if let minimum, double < minimum {
            add("below_minimum", "The minimum is \(JSON.double(minimum).text).")
        }
        if let maximum, double > maximum {
            add("above_maximum", "The maximum is \(JSON.double(maximum).text).")
        }
    }

    private mutating func checkString(_ value: JSON, _ rule: StringRule) {
        guard case .string(let text) = value else { return wrongType("a string") }
        if !rule.values.isEmpty, !rule.values.contains(where: { $0.utf8.elementsEqual(text.utf8) }) {
            return add("not_an_option", "It must be one of: \(rule.values.joined(separator: ", ")).")
        }
        if rule.minLength > 0 || rule.maxLength != nil {
            let length = text.unicodeScalars.count
            if length < rule.minLength {
                return add("too_short", "It must have at least \(rule.minLength) characters.")
            }
            if let maximum = rule.maxLength, length > maximum {
                return add("too_long", "It must have at most \(maximum) characters, not \(length).")
            }
        }
        if let format = rule.format, !format.accepts(text) {
            add("wrong_format", "It must be \(format.expectation).")
        }
    }

    private mutating func checkArray(_ value: JSON, _ element: Schema, _ minimum: Int, _ maximum: Int?) {
        guard case .array(let elements) = value else { return wrongType("an array") }
        if elements.count < minimum {
            add("too_few", "It must have at least \(minimum) elements, not \(elements.count).")
        }
        if let maximum, elements.count > maximum {
            return add("too_many", "It must have at most \(maximum) elements, not \(elements.count).")
        }
        for (index, entry) in elements.enumerated() {
            path.append(.index(index))
            check(entry, element)
            path.removeLast()
            if isFull { return }
        }
    }

    private mutating func checkObject(_ value: JSON, _ members: [Schema.Member], _ additional: Schema?) {
        guard case .object(let object) = value else { return wrongType("an object") }
        var known = 0
        for member in members {
            if let inner = object[member.name] {
                known += 1
                descend(into: member.name) { $0.check(inner, member.schema) }
            } else if member.isRequired {
                descend(into: member.name) { $0.add("required", "This member is required.") }
            }
        }
        // If the object has more members than known ones, at least one is unknown.
        guard known < object.count else { return }
        for given in object where !members.contains(where: { $0.name.isByteEqual(to: given.name) }) {
            descend(into: given.name) { validator in
                if let additional {
                    validator.check(given.value, additional)
                } else {
                    validator.addUnknownMember(given.name, among: members)
                }
            }
            if isFull { return }
        }
    }

    /// If no choice matches, reports the faults of the choice with the fewest faults.
    private mutating func checkChoices(_ value: JSON, _ choices: [Schema]) {
        var nearest: [Fault]?
        for choice in choices {
            var trial = self
            trial.faults = []
            trial.check(value, choice)
            if trial.faults.isEmpty { return }
            if nearest.map({ trial.faults.count < $0.count }) ?? true { nearest = trial.faults }
        }
        for fault in nearest ?? [] where !isFull { faults.append(fault) }
    }

    private mutating func addUnknownMember(_ name: String, among members: [Schema.Member]) {
        let hint = closestName(to: name, among: members.map(\.name)).map { " Did you mean \($0)?" } ?? ""
        add("unknown_member", "There is no such member here.\(hint)")
    }

    private mutating func descend(into name: String, _ body: (inout SchemaValidator) -> Void) {
        path.append(.member(name))
        body(&self)
        path.removeLast()
    }

    private mutating func wrongType(_ expected: String) {
        add("wrong_type", "It must be \(expected).")
    }

    private mutating func add(_ code: String, _ detail: String) {
        guard !isFull else { return }
        let steps = path.map { step in
            switch step {
            case .member(let name): "/" + Fault.escape(name)
            case .index(let index): "/\(index)"
            }
        }
        faults.append(Fault(pointer: base + steps.joined(), code: code, detail: detail))
    }
}

/// The known name that is closest to a misspelt one. Returns nil if more than a third of its bytes differ.
package func closestName(to name: String, among known: [String]) -> String? {
    let given = Array(name.lowercased().utf8.prefix(64))
    var best: (distance: Int, name: String)?
    for candidate in known {
        let distance = editDistance(given, Array(candidate.lowercased().utf8))
        if best.map({ distance < $0.distance }) ?? true { best = (distance, candidate) }
    }
    guard let best, best.distance * 3 <= max(given.count, best.name.utf8.count) else { return nil }
    return best.name
}

/// The edit distance in bytes: insertions, deletions, replacements and swaps of neighbours (optimal string alignment).
/// `emial` is one step from `email`.
private func editDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var before: [Int] = []
    var row = Array(0...right.count)
    for (i, a) in left.enumerated() {
        var next = [i + 1]
        for (j, b) in right.enumerated() {
            var minimum = min(a == b ? row[j] : row[j] + 1, row[j + 1] + 1, next[j] + 1)
            if i > 0, j > 0, a == right[j - 1], left[i - 1] == b { minimum = min(minimum, before[j - 1] + 1) }
            next.append(minimum)
        }
        (before, row) = (row, next)
    }
    return row[right.count]
}
