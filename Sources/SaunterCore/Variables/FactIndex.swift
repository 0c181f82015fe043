/// Facts of one source that happened by an instant, in their order: by moment, then by id of the sheet.
final class FactSeries {
    let moments: [Instant]
    /// The local date of each fact, as stored with it.
    let dates: [LocalDate]
    /// The offset from UTC of each fact, in minutes.
    let offsets: [Int]
    /// The position of each entry in `FactIndex.sheets`; empty for other sources.
    let sheets: [Int]
    /// The number of each usage event, walk or observation; empty for other sources.
    let numbers: [Double?]
    /// The feature of each usage event; empty for other sources.
    let features: [String?]

    /// One fact.
    struct Row {
        var moment: Instant
        var date: LocalDate
        var offset: Int
        var sheet = 0
        var number: Double?
        var feature: String?
    }

    /// - Parameter rows: in their order.
    init(_ rows: [Row], isEntries: Bool = false) {
        moments = rows.map(\.moment)
        dates = rows.map(\.date)
        offsets = rows.map(\.offset)
        sheets = isEntries ? rows.map(\.sheet) : []
        numbers = isEntries ? [] : rows.map(\.number)
        features = isEntries ? [] : rows.map(\.feature)
    }

    /// The local hour of a fact, 0 to 23.
    func hour(_ row: Int) -> Int {
        let second = moments[row].seconds + Int64(offsets[row]) * 60
        return Int((second % 86_400 + 86_400) % 86_400 / 3600)
    }
}

/// The facts of one participant at one instant, sorted and grouped once for all variables.
final class FactIndex {
    let now: Instant
    /// The participant's local date.
    let today: LocalDate
    /// The local date of the enrolment.
    let enrolledOn: LocalDate
    /// The current sheets that were completed by `now`, by completion, then id.
    let sheets: [VariableFacts.Sheet]
    let entries: ActiveEntries
    private let facts: VariableFacts
    private let zones: ZoneHistory
    private let dates: [LocalDate]
    private var byQuestionnaire: [String: [Int]] = [:]
    private var series: [TailoringVariable.Source: FactSeries] = [:]
    private var answers: [ColumnKey: [Answer?]] = [:]
    private var numbers: [ColumnKey: [Quantity?]] = [:]

    private struct ColumnKey: Hashable {
        let source: TailoringVariable.Source
        let linkId: String
    }

    init(_ facts: VariableFacts, anyTime: [AnyTimeRule], zone: Zone, at now: Instant) {
        self.facts = facts
        self.now = now
        zones = ZoneHistory(facts.zones, enrolledAt: facts.enrolledAt, fallback: zone)
        today = zones.zone(at: now).local(of: now).date
        enrolledOn = zones.zone(at: facts.enrolledAt).local(of: facts.enrolledAt).date
        sheets = facts.sheets.current(at: now)
        dates = sheets.map { LocalDate(of: $0.completedAt, offsetMinutes: $0.offsetMinutes) }
        for (position, sheet) in sheets.enumerated() {
            byQuestionnaire[sheet.questionnaire, default: []].append(position)
        }
        let needed = Set(
            anyTime.filter(\.isActiveOne).flatMap { [$0.questionnaire] + ($0.endsWith.map { [$0] } ?? []) })
        entries = ActiveEntries(
            anyTime,
            sheets.filter { needed.contains($0.questionnaire) }.map {
                EntryRecord(
                    id: $0.id, questionnaire: $0.questionnaire, completedAt: $0.completedAt,
                    refersTo: $0.refersTo)
            })
    }

    /// The local date of a sheet in `sheets`.
    func date(ofSheet position: Int) -> LocalDate { dates[position] }

    /// The participant's local date at an instant.
    func date(of instant: Instant) -> LocalDate { zones.zone(at: instant).local(of: instant).date }

    /// The moment of a named event of the study; nil if it has not happened by `now`.
    func moment(ofEvent code: String) -> Instant? { facts.events[code].flatMap { $0 <= now ? $0 : nil } }

    /// The position in `sheets` of the active entry of a questionnaire; nil if none is active.
    func activeEntry(_ questionnaire: String) -> Int? {
        guard let id = entries.active(questionnaire) else { return nil }
        return byQuestionnaire[questionnaire]?.last { sheets[$0].id == id }
    }

    /// The first and last local date on which each entry was active; nil as the last date while it is active.
    private(set) lazy var activeDates: [SheetID: (first: LocalDate, last: LocalDate?)] = {
        let positions = Dictionary(
            sheets.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
        var found: [SheetID: (first: LocalDate, last: LocalDate?)] = [:]
        for episode in entries.episodes {
            guard let position = positions[episode.entry] else { continue }
            let last = episode.endedBy.flatMap { positions[$0] }.map { dates[$0] }
            found[episode.entry] = (dates[position], last.map { max($0, dates[position]) })
        }
        return found
    }()

    /// The local dates until today that neither extend nor end a streak: dates that a break touches, and dates that the
    /// participant skipped by a change of zone.
    private(set) lazy var skippedDates: Set<LocalDate> = {
        var skipped = Streak.datesSkippedByTravel(in: facts.zones.filter { $0.from <= now })
        for pause in facts.breaks where pause.from <= now {
            let last = pause.to.map { min($0.adding(milliseconds: -1), now) } ?? now
            guard pause.from <= last else { continue }
            // A flight to the west during a break can lead to an earlier date.
            let flights = facts.zones.map(\.from).filter { pause.from < $0 && $0 <= last }
            let touched = ([pause.from, last] + flights + flights.map { $0.adding(milliseconds: -1) }).map {
                date(of: $0).days
            }
            for days in (touched.min() ?? 0)...(touched.max() ?? 0) { skipped.insert(LocalDate(days: days)) }
        }
        return skipped
    }()

    /// The facts of a source. The answer or number that counts is not part of the source.
    func series(_ source: TailoringVariable.Source) -> FactSeries {
        let key = source.withoutAnswer
        if let known = series[key] { return known }
        let created = create(key)
        series[key] = created
        return created
    }

    /// The answers to an item, one for each fact of the source.
    func answers(_ source: TailoringVariable.Source, _ linkId: String) -> [Answer?] {
        answers(ColumnKey(source: source.withoutAnswer, linkId: linkId))
    }

    /// The numbers of the answers to an item, one for each fact of the source.
    /// - Parameter value: the number of an answer on a sheet of a questionnaire.
    func numbers(
        _ source: TailoringVariable.Source, _ linkId: String,
        value: (_ questionnaire: String, _ answer: Answer) -> Quantity?
    ) -> [Quantity?] {
        let key = ColumnKey(source: source.withoutAnswer, linkId: linkId)
        if let known = numbers[key] { return known }
        let rows = series(key.source).sheets
        let column = zip(rows, answers(key)).map { row, answer in
            answer.flatMap { value(sheets[row].questionnaire, $0) }
        }
        numbers[key] = column
        return column
    }

    private func answers(_ key: ColumnKey) -> [Answer?] {
        if let known = answers[key] { return known }
        // Consecutive sheets have the same items, so that their position is rarely searched.
        var items: AnswerCodec.Items?
        var position: Int?
        let column = series(key.source).sheets.map { sheet -> Answer? in
            switch sheets[sheet].answers {
            case .items(let found, let answers):
                if found !== items { (items, position) = (found, found.position(of: key.linkId)) }
                return position.flatMap { answers[$0] }
            case .sheet(let whole): return whole.answer(to: key.linkId)
            case nil: return nil
            }
        }
        answers[key] = column
        return column
    }

    private func create(_ source: TailoringVariable.Source) -> FactSeries {
        switch source {
        case .entry(let entries): return entrySeries(entries)
        case .usage(let kind, let feature, _):
            return sorted(
                facts.usageEvents.lazy.filter {
                    $0.event == kind.rawValue && (feature == nil || $0.feature == feature)
                }
                .map { self.row($0.happenedAt, $0.offsetMinutes, $0.seconds, $0.feature) })
        case .message(let rule, let state):
            return sorted(
                facts.messages.lazy.filter { rule == nil || $0.rule == rule }
                    .compactMap { state.moment(of: $0).map { self.row($0) } })
        case .occasion(let schedule, let selection):
            return sorted(
                facts.occasions.lazy.filter { schedule == nil || $0.key.schedule == schedule }
                    .filter { selection.contains($0, at: self.now) }
                    .map {
                        FactSeries.Row(
                            moment: $0.window.openAt, date: $0.localDate,
                            offset: $0.zone.offset(at: $0.window.openAt) / 60)
                    })
        case .walk(let metric):
            return sorted(
                facts.walks.lazy.filter(\.isWalk)
                    .map { walk in
                        self.row(walk.startedAt, walk.offsetMinutes, metric.flatMap { walk.metrics[$0] })
                    })
        case .observation(let system, let code):
            return sorted(
                facts.observations.lazy.filter { $0.system == system && $0.code == code }
                    .map { self.row($0.startedAt, $0.offsetMinutes, $0.value) })
        case .enrolment: return sorted([row(facts.enrolledAt)])
        case .event(let code): return sorted(facts.events[code].map { [row($0)] } ?? [])
        }
    }

    private func entrySeries(_ source: TailoringVariable.Entries) -> FactSeries {
        var positions = source.questionnaires.flatMap { byQuestionnaire[$0] ?? [] }
        if source.questionnaires.count > 1 { positions = Set(positions).sorted() }
        if source.isActive {
            let active = entries.active
            positions = positions.filter { active.contains(sheets[$0].id) }
        }
        return FactSeries(
            positions.map { position in
                FactSeries.Row(
                    moment: sheets[position].completedAt, date: dates[position],
                    offset: sheets[position].offsetMinutes, sheet: position)
            }, isEntries: true)
    }

    private func row(_ moment: Instant, _ offset: Int, _ number: Double?, _ feature: String? = nil)
        -> FactSeries.Row
    {
        FactSeries.Row(
            moment: moment, date: LocalDate(of: moment, offsetMinutes: offset), offset: offset,
            number: number,
            feature: feature)
    }

    /// A fact without a stored offset.
    private func row(_ moment: Instant) -> FactSeries.Row {
        let local = zones.zone(at: moment).local(of: moment)
        return FactSeries.Row(moment: moment, date: local.date, offset: local.offsetMinutes)
    }

    /// Sorts by moment, and keeps the given order of facts of the same moment.
    private func sorted(_ rows: some Sequence<FactSeries.Row>) -> FactSeries {
        let inTime = rows.filter { $0.moment <= now }
        return FactSeries(
            inTime.enumerated().sorted { ($0.element.moment, $0.offset) < ($1.element.moment, $1.offset) }
                .map(\.element))
    }
}

extension TailoringVariable.Source {
    /// The source without the answer that counts.
    fileprivate var withoutAnswer: TailoringVariable.Source {
        guard case .entry(var entries) = self else { return self }
        entries.value = nil
        return .entry(entries)
    }
}

extension TailoringVariable.MessageState {
    fileprivate func moment(of message: VariableFacts.Message) -> Instant? {
        switch self {
        case .sent: message.sentAt
        case .delivered: message.deliveredAt
        case .opened: message.openedAt
        }
    }
}

extension TailoringVariable.OccasionSelection {
    fileprivate func contains(_ occasion: Occasion, at now: Instant) -> Bool {
        let isAnswered = occasion.isAnswered && (occasion.completedAt ?? occasion.window.dueAt) <= now
        switch self {
        case .answered: return isAnswered
        case .offered: return occasion.window.openAt <= now && (occasion.exclusion == nil || isAnswered)
        case .missed: return !isAnswered && occasion.exclusion == nil && occasion.window.closeAt <= now
        }
    }
}
