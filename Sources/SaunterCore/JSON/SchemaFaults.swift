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
    let base: String
    var path: [PointerStep] = []
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
        faults.append(Fault(pointer: base + path.pointer, code: code, detail: detail))
    }
}
