import Foundation

/// A lookup or norm table whose conditions are resolved.
struct PlannedTable: Sendable {
    /// One row of the table.
    struct Row: Sendable {
        let conditions: [PlannedCondition]
        let range: ExactRange
        /// The score, or the mean of a norm.
        let value: Quantity
        /// The standard error of the score, or the standard deviation of a norm.
        let spread: Quantity?
    }

    let rows: [Row]

    /// The first row that contains the value and whose conditions are true.
    func row(for value: Quantity, of scored: ScoringCase) -> Result<Row, NoScore> {
        var isKnown = true
        for row in rows where row.range.contains(value) {
            switch row.conditions.hold(for: scored) {
            case true?: return .success(row)
            case false?: break
            case nil: isKnown = false
            }
        }
        return .failure(NoScore(reason: isKnown ? .notInTable : .noCovariate))
    }
}

/// Thrown by a step that has no result.
struct NoScore: Error {
    let reason: ScoreReason
}

/// A step of a transform whose numbers and tables are resolved.
enum PlannedStep: Sendable {
    case multiply(Quantity)
    case divide(Quantity)
    case add(Quantity)
    case percent(AttainableRange?)
    case clamp(least: Quantity?, greatest: Quantity?)
    case wrap(Quantity)
    case round(Rounding)
    case bins([(range: ExactRange, value: Quantity?)])
    case lookup(PlannedTable?)
    case norm(PlannedTable?, NormForm)

    /// - Parameter range: the attainable range of the values before this step.
    init(_ step: ScoreTransform, from range: AttainableRange?, _ names: NameResolver) {
        self =
            switch step {
            case .multiply(let number): .multiply(Quantity(number))
            case .divide(let number): .divide(Quantity(number))
            case .add(let number): .add(Quantity(number))
            case .pomp: .percent(range)
            case .clamp(let least, let greatest):
                .clamp(least: least.map { Quantity($0) }, greatest: greatest.map { Quantity($0) })
            case .wrap(let modulus): .wrap(Quantity(modulus))
            case .round(let rounding): .round(rounding)
            case .bins(let bins): .bins(bins.map { (ExactRange($0.range), $0.value.map { Quantity($0) }) })
            case .lookup(let table): .lookup(names.table(table))
            case .norm(let table, let form): .norm(names.table(table), form)
            }
    }

    /// - Parameter standardError: receives the standard error of the table row if the step is a lookup.
    /// - Throws: `NoScore` if the step has no result for this value.
    func apply(_ value: Quantity, of scored: ScoringCase, standardError: inout Quantity?) throws(NoScore)
        -> Quantity
    {
        switch self {
        case .multiply(let number): return value * number
        case .divide(let number): return try Self.known(value.divided(by: number))
        case .add(let number): return value + number
        case .percent(let range):
            guard let range, range.least < range.greatest else { throw NoScore(reason: .undefined) }
            let percent = ((value - range.least) * Quantity(100)).divided(by: range.greatest - range.least)
            guard let percent, !(percent < .zero), !(Quantity(100) < percent) else {
                throw NoScore(reason: .outOfRange)
            }
            return percent
        case .clamp(let least, let greatest):
            if let least, value < least { return least }
            if let greatest, greatest < value { return greatest }
            return value
        case .wrap(let modulus): return try Self.known(value.wrapped(by: modulus))
        case .round(let rounding): return value.rounded(rounding)
        case .bins(let bins):
            guard let bin = bins.first(where: { $0.range.contains(value) }) else {
                throw NoScore(reason: .notInTable)
            }
            return bin.value ?? value
        case .lookup(let table):
            let row = try Self.row(table, value, scored)
            standardError = row.spread
            return row.value
        case .norm(let table, let form):
            let row = try Self.row(table, value, scored)
            return form.value(try Self.known(row.spread.flatMap { (value - row.value).divided(by: $0) }))
        }
    }

    private static func known(_ value: Quantity?) throws(NoScore) -> Quantity {
        guard let value else { throw NoScore(reason: .undefined) }
        return value
    }

    private static func row(
        _ table: PlannedTable?, _ value: Quantity, _ scored: ScoringCase
    ) throws(NoScore) -> PlannedTable.Row {
        guard let table else { throw NoScore(reason: .notInTable) }
        return try table.row(for: value, of: scored).get()
    }
}

extension NormForm {
    /// The normed score in this unit.
    /// - Parameter z: the distance from the mean in standard deviations.
    fileprivate func value(_ z: Quantity) -> Quantity {
        switch self {
        case .z: z
        case .t: z * Quantity(10) + Quantity(50)
        case .percentile: .approximate(50 * erfc(-z.double / 2.0.squareRoot()))
        }
    }
}
