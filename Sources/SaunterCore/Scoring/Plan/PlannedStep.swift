import Foundation

/// A table whose conditions are resolved.
struct PlannedTable: Sendable {
    struct Row: Sendable {
        let conditions: [PlannedCondition]
        let range: ExactRange
        /// The score, or a norm's mean.
        let value: Quantity
        /// The score's standard error, or a norm's SD.
        let spread: Quantity?
    }

    let rows: [Row]

    /// The first row for this value and this person.
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

/// Why a step gives no number.
struct NoScore: Error {
    let reason: ScoreReason
}

/// A step of a transform whose numbers and tables are resolved.
enum PlannedStep: Sendable {
    case multiply(Quantity)
    case divide(Quantity)
    case add(Quantity)
    case percent(Reach?)
    case clamp(least: Quantity?, greatest: Quantity?)
    case wrap(Quantity)
    case round(Rounding)
    case bins([(range: ExactRange, value: Quantity?)])
    case lookup(PlannedTable?)
    case norm(PlannedTable?, NormForm)

    /// - Parameter reach: what the step before can reach.
    init(_ step: ScoreTransform, from reach: Reach?, _ names: PlannedNames) {
        self =
            switch step {
            case .multiply(let number): .multiply(Quantity(number))
            case .divide(let number): .divide(Quantity(number))
            case .add(let number): .add(Quantity(number))
            case .pomp: .percent(reach)
            case .clamp(let least, let greatest):
                .clamp(least: least.map { Quantity($0) }, greatest: greatest.map { Quantity($0) })
            case .wrap(let modulus): .wrap(Quantity(modulus))
            case .round(let rounding): .round(rounding)
            case .bins(let bins): .bins(bins.map { (ExactRange($0.range), $0.value.map { Quantity($0) }) })
            case .lookup(let table): .lookup(names.table(table))
            case .norm(let table, let form): .norm(names.table(table), form)
            }
    }

    /// - Parameter error: takes the standard error of a looked-up value.
    func apply(_ value: Quantity, of scored: ScoringCase, error: inout Quantity?) throws(NoScore) -> Quantity
    {
        switch self {
        case .multiply(let number): return value * number
        case .divide(let number): return try Self.known(value.divided(by: number))
        case .add(let number): return value + number
        case .percent(let reach):
            guard let reach, reach.least < reach.greatest else { throw NoScore(reason: .undefined) }
            let percent = ((value - reach.least) * Quantity(100)).divided(by: reach.greatest - reach.least)
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
            error = row.spread
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
    /// - Parameter z: how many SDs above the mean.
    fileprivate func value(_ z: Quantity) -> Quantity {
        switch self {
        case .z: z
        case .t: z * Quantity(10) + Quantity(50)
        case .percentile: .approximate(50 * erfc(-z.double / 2.0.squareRoot()))
        }
    }
}
