/// The value of an expression or of a part of it.
package enum ExpressionValue: Sendable, Hashable {
    /// No value: not answered, derived from a blank, or not computable, such as a number outside the range of `Double`.
    case blank
    case boolean(Bool)
    case number(ExpressionNumber)
    /// A text or the code of an option.
    case text(String)
    case date(LocalDate)
    case time(LocalTime)
    case instant(Instant)
    /// The answers to a repeating question, the options of a ranking, or the values of all instances of a repeating
    /// group.
    case several([ExpressionValue])

    var number: Quantity? { if case .number(let value) = self { value.quantity } else { nil } }
    var truth: Bool? { if case .boolean(let value) = self { value } else { nil } }

    /// The values without blanks: none for a blank, all known ones for several.
    var known: [ExpressionValue] {
        switch self {
        case .blank: []
        case .several(let values): values.filter { $0 != .blank }
        default: [self]
        }
    }

    /// A number; blank if it is outside the range of `Double`.
    static func exact(_ value: Quantity) -> ExpressionValue {
        value.double.isFinite ? .number(ExpressionNumber(value)) : .blank
    }

    /// Whether this value is less; nil for blanks, for values of different types, and for types without an order.
    func isLess(than other: ExpressionValue) -> Bool? {
        switch (self, other) {
        case (.number(let left), .number(let right)): left.quantity < right.quantity
        case (.date(let left), .date(let right)): left < right
        case (.time(let left), .time(let right)): left < right
        case (.instant(let left), .instant(let right)): left < right
        default: nil
        }
    }

    /// Whether both values are equal; nil if one of them is blank.
    func equals(_ other: ExpressionValue) -> Bool? {
        switch (self, other) {
        case (.blank, _), (_, .blank): nil
        case (.number(let left), .number(let right)):
            !(left.quantity < right.quantity) && !(right.quantity < left.quantity)
        default: self == other
        }
    }
}

/// A number of an expression. Its exact value is only visible inside SaunterCore.
package struct ExpressionNumber: Sendable, Hashable {
    let quantity: Quantity

    init(_ quantity: Quantity) {
        self.quantity = quantity
    }

    /// The nearest double.
    package var double: Double { quantity.double }
}

extension Answer {
    /// The value of the answer in an expression.
    package var expressionValue: ExpressionValue {
        switch self {
        case .boolean(let value): .boolean(value)
        case .integer(let value): .exact(Quantity(value))
        case .decimal(let value): .exact(Quantity(value))
        case .quantity(let measure): .exact(Quantity(measure.value))
        case .text(let value), .freeText(let value): .text(value)
        case .date(let value): .date(value)
        case .time(let value): .time(value)
        case .dateTime(let value): .instant(value)
        case .option(let value): value.expressionValue
        case .options(let values): .several(values.map(\.expressionValue))
        case .optionsAndFreeText(let values, let freeText):
            .several(values.map(\.expressionValue) + [.text(freeText)])
        case .list(let answers): .several(answers.map(\.expressionValue))
        // An expression can only count instances, so any value represents one instance.
        case .instances(let instances): .several(instances.map { _ in .boolean(true) })
        case .ranking(let ranking): .several(ranking.options.map(\.expressionValue))
        case .comparedWords(let compared): .several(compared.words.map { .text($0) })
        // An expression cannot name a location.
        case .location: .blank
        }
    }
}

extension OptionValue {
    var expressionValue: ExpressionValue {
        switch self {
        case .integer(let value): .exact(Quantity(value))
        case .code(let code): .text(code)
        }
    }
}
