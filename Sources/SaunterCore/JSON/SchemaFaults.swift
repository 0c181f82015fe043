extension Schema {
    /// The most faults that one value is told.
    package static let maximumFaults = 100

    /// Everything that is wrong with a value, each fault with its place; at most `maximumFaults`. `pointer` is where the value itself stands.
    /// Details never quote a value, only names of members, which the sender chose before any person answered.
    package func faults(in value: JSON, at pointer: String = "") -> [Fault] {
        var walk = SchemaWalk(base: pointer)
        walk.check(value, self)
        return walk.faults
    }
}

/// Walks a value along its schema. Steps are kept as they are and made into a pointer only when there is a fault: a series of 100,000
/// numbers costs no 100,000 texts.
private struct SchemaWalk {
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
        case .integer(let least, let most): checkInteger(value, least, most)
        case .number(let least, let most): checkNumber(value, least, most)
        case .string(let rule): checkString(value, rule)
        case .array(let element, let least, let most): checkArray(value, element, least, most)
        case .object(let members, let additional): checkObject(value, members, additional)
        case .nullable(let inner): if !value.isNull { check(value, inner) }
        case .anyOf(let choices): checkChoices(value, choices)
        case .named(_, let inner): check(value, inner())
        }
    }

    private mutating func checkInteger(_ value: JSON, _ least: Int?, _ most: Int?) {
        guard case .number(let number) = value else { return wrongType("a whole number") }
        guard let whole = number.int else {
            return add("not_whole", "It must be a whole number within ±9007199254740991.")
        }
        if let least, whole < least { add("below_minimum", "The least value is \(least).") }
        if let most, whole > most { add("above_maximum", "The greatest value is \(most).") }
    }

    private mutating func checkNumber(_ value: JSON, _ least: Double?, _ most: Double?) {
        guard case .number(let number) = value else { return wrongType("a number") }
        guard let double = number.double else { return add("not_finite", "It must be a finite number.") }
        if let least, double < least {
            add("below_minimum", "The least value is \(JSON.double(least).text).")
        }
        if let most, double > most {
            add("above_maximum", "The greatest value is \(JSON.double(most).text).")
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
                return add("too_short", "At least \(rule.minLength) characters are needed.")
            }
            if let most = rule.maxLength, length > most {
                return add("too_long", "At most \(most) characters are taken, not \(length).")
            }
        }
        if let format = rule.format, !format.takes(text) {
            add("wrong_format", "It must be \(format.expectation).")
        }
    }

    private mutating func checkArray(_ value: JSON, _ element: Schema, _ least: Int, _ most: Int?) {
        guard case .array(let elements) = value else { return wrongType("a list") }
        if elements.count < least {
            add("too_few", "At least \(least) entries are needed, not \(elements.count).")
        }
        if let most, elements.count > most {
            return add("too_many", "At most \(most) entries are taken, not \(elements.count).")
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
                within(member.name) { walk in walk.check(inner, member.schema) }
            } else if member.isRequired {
                within(member.name) { walk in walk.add("required", "This member is needed.") }
            }
        }
        // Were a member there twice, there would be more than are known.
        guard known < object.count else { return }
        for given in object where !members.contains(where: { $0.name.isSpelt(as: given.name) }) {
            within(given.name) { walk in
                if let additional {
                    walk.check(given.value, additional)
                } else {
                    walk.unknown(given.name, among: members)
                }
            }
            if isFull { return }
        }
    }

    /// Of several choices that all fail, the faults of the one that the value comes nearest to are told.
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

    private mutating func unknown(_ name: String, among members: [Schema.Member]) {
        let hint = nearestMember(to: name, among: members.map(\.name)).map { " Did you mean \($0)?" } ?? ""
        add("unknown_member", "There is no such member here.\(hint)")
    }

    private mutating func within(_ name: String, _ body: (inout SchemaWalk) -> Void) {
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

/// The known name that a misspelt one most likely stands for: at most a third of its bytes differ; nil when none is near.
package func nearestMember(to name: String, among known: [String]) -> String? {
    let given = Array(name.lowercased().utf8.prefix(64))
    var best: (distance: Int, name: String)?
    for candidate in known {
        let distance = editDistance(given, Array(candidate.lowercased().utf8))
        if best.map({ distance < $0.distance }) ?? true { best = (distance, candidate) }
    }
    guard let best, best.distance * 3 <= max(given.count, best.name.utf8.count) else { return nil }
    return best.name
}

/// Bytes inserted, left out, replaced, or swapped with their neighbour (optimal string alignment), so that `emial` is one step from `email`.
private func editDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var before: [Int] = []
    var row = Array(0...right.count)
    for (i, a) in left.enumerated() {
        var next = [i + 1]
        for (j, b) in right.enumerated() {
            var least = min(a == b ? row[j] : row[j] + 1, row[j + 1] + 1, next[j] + 1)
            if i > 0, j > 0, a == right[j - 1], left[i - 1] == b { least = min(least, before[j - 1] + 1) }
            next.append(least)
        }
        (before, row) = (row, next)
    }
    return row[right.count]
}
