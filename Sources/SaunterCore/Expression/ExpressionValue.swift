/// What an expression, or a part of it, comes to.
package enum ExpressionValue: Sendable, Hashable {
    /// Not answered, or hanging on something that is not.
    case blank
    case boolean(Bool)
    case number(ExpressionNumber)
    /// Texts, and the codes of options.
    case text(String)
    case date(LocalDate)
    case time(LocalTime)
    case moment(Instant)
    /// The answers to a question of several answers, or to one question in all instances of its group.
    case several([ExpressionValue])

    var number: Quantity? { if case .number(let value) = self { value.quantity } else { nil } }
    var truth: Bool? { if case .boolean(let value) = self { value } else { nil } }

    /// The known values in it: none of a blank, all of several.
    var known: [ExpressionValue] {
        switch self {
        case .blank: []
        case .several(let values): values.filter { $0 != .blank }
        default: [self]
        }
    }

    static func exact(_ value: Quantity) -> ExpressionValue {
        value.double.isFinite ? .number(ExpressionNumber(value)) : .blank
    }

    /// Nil for blanks and for values of two kinds or of one without an order.
    func isLess(than other: ExpressionValue) -> Bool? {
        switch (self, other) {
        case (.number(let left), .number(let right)): left.quantity < right.quantity
        case (.date(let left), .date(let right)): left < right
        case (.time(let left), .time(let right)): left < right
        case (.moment(let left), .moment(let right)): left < right
        default: nil
        }
    }

    /// Nil for blanks.
    func equals(_ other: ExpressionValue) -> Bool? {
        switch (self, other) {
        case (.blank, _), (_, .blank): nil
        case (.number(let left), .number(let right)):
            !(left.quantity < right.quantity) && !(right.quantity < left.quantity)
        default: self == other
        }
    }
}

/// A number of an expression; opaque outside of the core.
package struct ExpressionNumber: Sendable, Hashable {
    let quantity: Quantity

    init(_ quantity: Quantity) {
        self.quantity = quantity
    }

    /// The nearest double.
    package var double: Double { quantity.double }
}

extension Answer {
    /// What an answer is in an expression.
    package var expressionValue: ExpressionValue {
        switch self {
        case .boolean(let value): .boolean(value)
        case .integer(let value): .exact(Quantity(value))
        case .decimal(let value): .exact(Quantity(value))
        case .quantity(let measure): .exact(Quantity(measure.value))
        case .text(let value), .words(let value): .text(value)
        case .date(let value): .date(value)
        case .time(let value): .time(value)
        case .dateTime(let value): .moment(value)
        case .option(let value): value.expressionValue
        case .options(let values): .several(values.map(\.expressionValue))
        case .optionsAndWords(let values, let words): .several(values.map(\.expressionValue) + [.text(words)])
        case .list(let answers): .several(answers.map(\.expressionValue))
        // Of these only the number is told, so that it does not matter what stands for each.
        case .instances(let instances): .several(instances.map { _ in .boolean(true) })
        case .ranking(let ranking): .several(ranking.options.map(\.expressionValue))
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
