/// The value of one variable at one instant, with everything that is needed to interpret it.
package struct VariableValue: Sendable, Hashable {
    /// Why a value is null.
    package enum Reason: String, Sendable, Hashable, CaseIterable {
        /// n is smaller than the variable's `least`.
        case tooFew = "too_few"
        /// The number does not exist, for example because of a division by zero.
        case undefined
    }

    /// The value at one key.
    package struct Entry: Sendable, Hashable {
        /// An option's value, a linkId, a sheet's id, an hour, a date and so on, as text.
        package var key: String
        /// Blank is null.
        package var value: ExpressionValue
        /// The number of facts from which the value was computed.
        package var n: Int
        /// Nil if there is a value.
        package var reason: Reason?
        /// The longest streak; nil for other kinds.
        package var best: Int?
        /// The last local date of a streak, or the local date of the moment of the kind `at`.
        package var lastOn: LocalDate?

        /// Creates the value of one key.
        package init(
            key: String, value: ExpressionValue, n: Int, reason: Reason? = nil, best: Int? = nil,
            lastOn: LocalDate? = nil
        ) {
            self.key = key
            self.value = value
            self.n = n
            self.reason = reason
            self.best = best
            self.lastOn = lastOn
        }
    }

    /// The id of the variable.
    package var variable: String
    /// Blank is null. A variable with several values at once, such as `top`, has `several`. Null without a reason if
    /// the values are in `entries` only.
    package var value: ExpressionValue
    /// The number of facts from which the value was computed.
    package var n: Int
    /// Nil if there is a value, and for keyed variables, whose entries have reasons.
    package var reason: Reason?
    /// The local dates of the window; nil for the whole participation, and if the window contains no date.
    package var window: ClosedRange<LocalDate>?
    /// The values by key, in their order; nil if the variable is not keyed.
    package var entries: [Entry]?
    /// The longest streak; nil for other kinds.
    package var best: Int?
    /// The last local date of a streak, or the local date of the moment of the kind `at`.
    package var lastOn: LocalDate?

    /// Creates a result; by default without a value.
    package init(
        variable: String, value: ExpressionValue = .blank, n: Int = 0, reason: Reason? = nil,
        window: ClosedRange<LocalDate>? = nil, entries: [Entry]? = nil, best: Int? = nil,
        lastOn: LocalDate? = nil
    ) {
        self.variable = variable
        self.value = value
        self.n = n
        self.reason = reason
        self.window = window
        self.entries = entries
        self.best = best
        self.lastOn = lastOn
    }
}

extension VariableValue {
    /// The members of the value in JSON, without its name.
    package var json: JSONObject {
        var object: JSONObject = [
            "value": value.json, "n": .int(n), "reason": .optional(reason?.rawValue, JSON.string),
        ]
        object["window"] = .optional(window) { range in
            ["from": .string(range.lowerBound.description), "to": .string(range.upperBound.description)]
        }
        object["entries"] = .optional(entries) { .array($0.map(\.json)) }
        object["best"] = .optional(best, JSON.int)
        object["last_on"] = .optional(lastOn?.description, JSON.string)
        return object
    }
}

extension VariableValue.Entry {
    /// The entry in JSON.
    package var json: JSON {
        [
            "key": .string(key), "value": value.json, "n": .int(n),
            "reason": .optional(reason?.rawValue, JSON.string), "best": .optional(best, JSON.int),
            "last_on": .optional(lastOn?.description, JSON.string),
        ]
    }
}

extension ExpressionValue {
    /// The value in JSON: null for a blank, an array for several values, a string for dates, times and instants.
    package var json: JSON {
        switch self {
        case .blank: .null
        case .boolean(let value): .bool(value)
        case .number(let value): .double(value.double)
        case .text(let value): .string(value)
        case .date(let value): .string(value.description)
        case .time(let value): .string(value.description)
        case .instant(let value): .string(value.description)
        case .several(let values): .array(values.map(\.json))
        }
    }
}
