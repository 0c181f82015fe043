/// Computes the values of variables from the facts of one participant at one instant. Every variable is computed once.
///
/// Pure: time and zone are part of the index.
final class VariableEvaluation {
    let plan: VariablePlan
    let index: FactIndex
    private var known: [VariableValue?]
    /// The variables that are being computed. The check of the study rejects cycles.
    private var pending: Set<Int> = []

    init(_ plan: VariablePlan, _ index: FactIndex) {
        self.plan = plan
        self.index = index
        known = Array(repeating: nil, count: plan.variables.count)
    }

    /// The value of the variable at this position.
    func value(of position: Int) -> VariableValue {
        if let value = known[position] { return value }
        let variable = plan.variables[position]
        guard pending.insert(position).inserted else {
            return VariableValue(variable: variable.definition.id, reason: .undefined)
        }
        let value = compute(variable)
        pending.remove(position)
        known[position] = value
        return value
    }

    private func compute(_ variable: PlannedVariable) -> VariableValue {
        switch variable.definition.kind {
        case .change(let target, let since): return change(variable, of: target, since: since)
        case .keys(let target): return keys(variable, of: target)
        case .expression: return expression(variable)
        default: return facts(variable, in: span(of: variable.definition.window))
        }
    }

    /// Which facts count.
    enum Span {
        case everything, nothing
        case dates(ClosedRange<LocalDate>)
        /// From an instant until the last date.
        case from(Instant, ClosedRange<LocalDate>)
        /// Facts with an earlier local date.
        case before(LocalDate)

        /// The local dates of the window.
        var dates: ClosedRange<LocalDate>? {
            switch self {
            case .everything, .nothing, .before: nil
            case .dates(let dates), .from(_, let dates): dates
            }
        }

        func contains(_ moment: Instant, _ date: LocalDate) -> Bool {
            switch self {
            case .everything: true
            case .nothing: false
            case .dates(let dates): dates.contains(date)
            case .from(let start, let dates): moment >= start && date <= dates.upperBound
            case .before(let first): date < first
            }
        }
    }

    private func span(of window: TailoringVariable.Window?) -> Span {
        guard let window else { return .everything }
        if let dates = window.dates(today: index.today) { return .dates(dates) }
        switch window {
        case .since(let event):
            return index.moment(ofEvent: event).map { from($0, index.date(of: $0)) } ?? .nothing
        case .during(let questionnaire):
            return index.activeEntry(questionnaire).map {
                from(index.sheets[$0].completedAt, index.date(ofSheet: $0))
            } ?? .nothing
        default: return .nothing
        }
    }

    private func from(_ start: Instant, _ date: LocalDate) -> Span {
        .from(start, min(date, index.today)...index.today)
    }
}

// MARK: From facts

extension VariableEvaluation {
    /// A variable that is computed from facts, for the facts of a span.
    private func facts(_ variable: PlannedVariable, in span: Span) -> VariableValue {
        let definition = variable.definition
        guard let source = definition.source else {
            return VariableValue(variable: definition.id, reason: .undefined)
        }
        let series = index.series(source)
        let rows = rows(of: series, variable, in: span)
        var value = VariableValue(variable: definition.id, window: span.dates)
        switch definition.kind {
        case .series(let unit):
            addPoints(unit, of: FactColumn(self, variable, source, series), rows, span, to: &value)
        case .list(let window):
            addEntries(of: FactColumn(self, variable, source, series), rows, activeIn: window, to: &value)
        default:
            if case .entry(let entries) = source, case .items(let items)? = entries.value {
                value.entries = items.map { linkId in
                    let column = FactColumn(
                        self, variable,
                        .entry(.init(entries.questionnaires, .item(linkId), isActive: entries.isActive)),
                        series)
                    return column.entry(key: linkId, rows)
                }
                value.n = value.entries?.reduce(0) { $0 + $1.n } ?? 0
            } else if let by = definition.by {
                addGroups(by, of: FactColumn(self, variable, source, series), rows, to: &value)
            } else {
                let column = FactColumn(self, variable, source, series)
                if case .top(let most) = definition.kind {
                    let top = column.topOptions(most, rows)
                    value.take(top.value)
                    value.entries = top.options
                } else {
                    value.take(column.entry(key: "", rows))
                }
            }
        }
        return value
    }

    /// The positions of the facts that count.
    private func rows(of series: FactSeries, _ variable: PlannedVariable, in span: Span) -> [Int] {
        let rows = series.moments.indices.filter { span.contains(series.moments[$0], series.dates[$0]) }
        guard let condition = variable.condition, variable.definition.kind != .share else { return rows }
        return rows.filter { holds(condition, series, $0) }
    }

    /// The number of different local dates of the facts that count for a variable. Blank answers do not count.
    func dateCount(of position: Int) -> Int {
        let variable = plan.variables[position]
        guard let source = variable.definition.source else { return 0 }
        let series = index.series(source)
        let column = FactColumn(self, variable, source, series)
        let counting = rows(of: series, variable, in: span(of: variable.definition.window))
            .filter { column.counts($0) }
        return Set(counting.map { series.dates[$0] }).count
    }

    /// Whether a sheet fulfils a condition over its answers. A blank counts as false.
    func holds(_ condition: Expression, _ series: FactSeries, _ row: Int) -> Bool {
        let answers = index.sheets[series.sheets[row]].answers
        let scope = ExpressionScope(
            value: { answers?.answer(to: $0)?.expressionValue ?? .blank }, today: series.dates[row])
        return condition.value(in: scope).truth == true
    }

    /// One entry per key that occurs.
    private func addGroups(
        _ by: TailoringVariable.Grouping, of column: FactColumn, _ rows: [Int], to value: inout VariableValue
    ) {
        let (groups, all) = column.groups(by, rows)
        value.n = column.entry(key: "", all).n
        value.entries = groups.sorted.map { column.entry(key: $0.key.text, $0.rows) }
    }

    /// One entry per calendar unit from the first to the last date of the window, at most the last 400.
    private func addPoints(
        _ unit: TailoringVariable.CalendarUnit, of column: FactColumn, _ rows: [Int], _ span: Span,
        to value: inout VariableValue
    ) {
        if case .nothing = span {
            value.entries = []
            return
        }
        let first = span.dates?.lowerBound ?? min(index.enrolledOn, index.today)
        let dates = first...max(first, span.dates?.upperBound ?? index.today)
        var groups: [LocalDate: [Int]] = [:]
        for row in rows where dates.contains(column.series.dates[row]) {
            groups[column.series.dates[row].startOf(unit), default: []].append(row)
        }
        var units: [LocalDate] = []
        var next = dates.lowerBound.startOf(unit)
        while next <= dates.upperBound {
            units.append(next)
            let following = next.startOfNext(unit)
            guard following > next else { break }
            next = following
        }
        let entries = units.suffix(TailoringVariable.maximumPoints)
            .map { column.entry(key: $0.description, groups[$0] ?? []) }
        value.n = entries.reduce(0) { $0 + $1.n }
        value.entries = entries
    }

    /// One entry per sheet, with its answer as value.
    private func addEntries(
        of column: FactColumn, _ rows: [Int], activeIn window: TailoringVariable.Window?,
        to value: inout VariableValue
    ) {
        let dates = window.map { $0.dates(today: index.today) }
        let listed = rows.filter { row in
            guard let dates else { return true }
            let id = index.sheets[column.series.sheets[row]].id
            guard let dates, let active = index.activeDates[id] else { return false }
            return active.first <= dates.upperBound && active.last.map { $0 >= dates.lowerBound } ?? true
        }
        value.entries = listed.map { row in
            let answer = column.value(row)
            return VariableValue.Entry(
                key: index.sheets[column.series.sheets[row]].id.description, value: answer,
                n: answer == .blank ? 0 : 1, reason: answer == .blank ? .tooFew : nil)
        }
        value.n = listed.count
        if value.window == nil { value.window = dates.flatMap(\.self) }
    }
}

extension VariableValue {
    /// Takes the value of an entry as the only value.
    fileprivate mutating func take(_ entry: Entry) {
        value = entry.value
        n = entry.n
        reason = entry.reason
        best = entry.best
        lastOn = entry.lastOn
    }

    /// The only value as an entry.
    fileprivate var single: Entry {
        Entry(key: "", value: value, n: n, reason: reason, best: best, lastOn: lastOn)
    }
}

// MARK: From other variables

extension VariableEvaluation {
    /// The present value of a variable minus its earlier value: that of the facts before the window `since`, or that of
    /// the previous window if `since` is nil.
    private func change(
        _ variable: PlannedVariable, of target: String, since: TailoringVariable.Window?
    ) -> VariableValue {
        let id = variable.definition.id
        guard let position = plan.position(of: target) else {
            return VariableValue(variable: id, reason: .undefined)
        }
        let compared = plan.variables[position]
        let present = value(of: position)
        var result = VariableValue(variable: id, n: present.n, window: present.window)
        let span: Span
        if let since, let dates = since.dates(today: index.today) {
            result.window = dates
            span = .before(dates.lowerBound)
        } else if let dates = compared.definition.window?.previousDates(today: index.today) {
            span = .dates(dates)
        } else {
            result.reason = .undefined
            return result
        }
        let previous = facts(compared, in: span)
        guard let entries = present.entries else {
            result.take(present.single.difference(previous.single))
            result.n = present.n
            return result
        }
        let absent = VariableValue.Entry(
            key: "", value: compared.signature?.absentIsZero == true ? .exact(.zero) : .blank, n: 0,
            reason: compared.signature?.absentIsZero == true ? nil : .tooFew)
        let before = Dictionary(
            (previous.entries ?? []).map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        let keys = Set(entries.map(\.key))
        result.entries =
            entries.map { $0.difference(before[$0.key] ?? absent) }
            + (previous.entries ?? []).filter { !keys.contains($0.key) }.map { earlier in
                var entry = absent
                entry.key = earlier.key
                return entry.difference(earlier)
            }
        return result
    }

    /// The keys of another variable that fulfil the condition.
    private func keys(_ variable: PlannedVariable, of target: String) -> VariableValue {
        let id = variable.definition.id
        guard let position = plan.position(of: target), let key = plan.variables[position].signature?.key
        else {
            return VariableValue(variable: id, reason: .undefined)
        }
        let keyed = value(of: position)
        let entries = keyed.entries ?? []
        let chosen = entries.filter { entry in
            guard let condition = variable.condition else { return true }
            return condition.value(in: scope(at: (entry, key.type))).truth == true
        }
        return VariableValue(
            variable: id, value: .several(chosen.map { key.type.value($0.key) }), n: entries.count,
            window: keyed.window, entries: chosen)
    }

    private func expression(_ variable: PlannedVariable) -> VariableValue {
        var result = VariableValue(variable: variable.definition.id)
        guard let expression = variable.expression else {
            result.reason = .undefined
            return result
        }
        let named = expression.items.compactMap { plan.position(of: VariableName($0).id) }.map {
            value(of: $0)
        }
        result.n = named.map(\.n).min() ?? 0
        result.value = expression.value(in: scope(at: nil))
        if result.value == .blank { result.reason = named.lazy.compactMap(\.reason).first ?? .undefined }
        return result
    }

    /// Resolves the names of an expression.
    /// - Parameter key: in the condition of the kind `keys` and in rules with keys, the entry that is checked and the
    ///   type of its key; otherwise nil.
    func scope(at key: (entry: VariableValue.Entry, type: ExpressionType)?) -> ExpressionScope {
        ExpressionScope(
            value: { [self] in value(of: VariableName($0), at: key) }, today: index.today,
            localDate: { [self] in localDate(of: VariableName($0), at: key) })
    }

    /// The value of a name in an expression.
    func value(
        of name: VariableName, at key: (entry: VariableValue.Entry, type: ExpressionType)?
    ) -> ExpressionValue {
        if name.isKeyWord, name.member == nil, let key {
            return name.id == VariableName.it ? key.type.value(key.entry.key) : key.entry.value
        }
        guard let position = plan.position(of: name.id) else { return .blank }
        let variable = value(of: position)
        guard let member = name.member else {
            guard let entries = variable.entries, plan.variables[position].signature?.meansKeys != true else {
                return variable.value
            }
            return .several(entries.flatMap(\.value.known))
        }
        switch member {
        case "n": return .exact(Quantity(variable.n))
        case "best": return variable.best.map { .exact(Quantity($0)) } ?? .blank
        case "last_on": return variable.lastOn.map { .date($0) } ?? .blank
        default:
            if let entry = entry(of: variable, member, at: key) { return entry.value }
            return plan.variables[position].signature?.absentIsZero == true ? .exact(.zero) : .blank
        }
    }

    private func localDate(
        of name: VariableName, at key: (entry: VariableValue.Entry, type: ExpressionType)?
    ) -> LocalDate? {
        var lastOn: LocalDate?
        if let key, name.isKeyWord, name.member == nil {
            lastOn = name.id == VariableName.value ? key.entry.lastOn : nil
        } else if let position = plan.position(of: name.id) {
            let variable = value(of: position)
            if let member = name.member {
                lastOn = entry(of: variable, member, at: key)?.lastOn
            } else {
                lastOn = variable.lastOn
            }
        }
        switch value(of: name, at: key) {
        case .date(let date): return date
        case .instant(let instant): return lastOn ?? index.date(of: instant)
        default: return nil
        }
    }

    /// The entry at a key that an expression names.
    private func entry(
        of variable: VariableValue, _ member: String,
        at key: (entry: VariableValue.Entry, type: ExpressionType)?
    ) -> VariableValue.Entry? {
        let text = member == VariableName.it ? key?.entry.key : member
        return variable.entries?.first { $0.key == text }
    }
}

extension VariableValue.Entry {
    /// This value minus an earlier one.
    fileprivate func difference(_ earlier: VariableValue.Entry) -> VariableValue.Entry {
        guard let one = value.number, let other = earlier.value.number else {
            return VariableValue.Entry(
                key: key, value: .blank, n: n, reason: reason ?? earlier.reason ?? .undefined)
        }
        return VariableValue.Entry(key: key, value: .exact(one - other), n: n)
    }
}

extension ExpressionType {
    /// The value of a key of this type.
    fileprivate func value(_ key: String) -> ExpressionValue {
        switch self {
        case .number: Int(key).map { .exact(Quantity($0)) } ?? .text(key)
        case .date: LocalDate(key).map { .date($0) } ?? .text(key)
        default: .text(key)
        }
    }
}
