import Postgres
import SaunterCore

/// Reads from the database what the variables of one participant are computed from.
package struct VariableFactsLoader: Sendable {
    private let connection: any Querying
    private let find: @Sendable (_ study: String, _ version: String) async throws -> PublishedStudy?

    /// - Parameter catalogue: supplies the questionnaire versions with which stored answers are decoded.
    package init(store: Store, catalogue: StudyCatalogue) {
        self.init(reading: store.research) { try await catalogue.find($0, version: $1) }
    }

    /// - Parameters:
    ///   - connection: a connection or transaction of a role that may read research data.
    ///   - find: supplies the questionnaire versions with which stored answers are decoded.
    package init(
        reading connection: any Querying,
        find: @escaping @Sendable (_ study: String, _ version: String) async throws -> PublishedStudy?
    ) {
        self.connection = connection
        self.find = find
    }

    /// The facts as committed at some instant after the call. Parts that are not needed stay empty.
    /// - Parameter study: the study version whose variables are computed.
    /// - Throws: a database error. A sheet that cannot be decoded is an error too, because a value without it would be
    ///   wrong.
    package func facts(
        of enrolment: Enrolment, _ needs: VariablePlan.Needs, study: PublishedStudy
    ) async throws -> VariableFacts {
        try await facts(
            of: enrolment.id, enrolledAt: enrolment.enrolledAt, in: enrolment.study, needs, study: study)
    }

    /// The facts of an enrolment of which only the id and the instant are known.
    /// - Parameter code: the code of the study.
    /// - Throws: the same errors.
    package func facts(
        of enrolment: EnrolmentID, enrolledAt: Instant, in code: String, _ needs: VariablePlan.Needs,
        study: PublishedStudy
    ) async throws -> VariableFacts {
        let decoded = needs.questionnaires.filter { code in
            needs.readsTexts(of: code, in: study.questionnaires[code]?.questionnaire)
        }
        let parts = Part.allCases.filter { $0.isNeeded(by: needs, decoded: decoded) }
        let results = try await connection.pipeline(
            parts.map { $0.call(enrolment, needs, decoded: decoded) })
        let rows = Dictionary(uniqueKeysWithValues: zip(parts, results))
        var facts = VariableFacts(
            enrolledAt: enrolledAt,
            zones: try rows.list(.zones).map {
                ZoneChange(from: try $0.instant("effective_from"), zone: try $0.zone("zone"))
            })
        facts.sheets = try await sheets(rows, of: code, needs, decoded: decoded)
        try facts.read(rows)
        return facts
    }

    private func sheets(
        _ rows: [Part: Rows], of study: String, _ needs: VariablePlan.Needs, decoded: Set<String>
    ) async throws -> [VariableFacts.Sheet] {
        guard let sheetRows = rows[.sheets] else { return [] }
        var texts: [SheetID: [String: String]] = [:]
        for row in rows.list(.texts) {
            texts[try row.id("sheet_id"), default: [:]][try row.get("item")] = try row.get(
                "text", as: String.self)
        }
        var scores: [SheetID: [String: Double]] = [:]
        for row in rows.list(.scores) {
            scores[try row.id("sheet_id"), default: [:]][try row.get("scale")] = try row.getOptional("value")
        }
        // Study version -> questionnaire -> how its sheets are read.
        var codecs: [String: [String: (codec: AnswerCodec, items: AnswerCodec.Items)]] = [:]
        var sheets: [VariableFacts.Sheet] = []
        sheets.reserveCapacity(sheetRows.count)
        for row in sheetRows {
            let version: String = try row.get("study_version")
            if codecs[version] == nil {
                codecs[version] = try await find(study, version)?.questionnaires.mapValues {
                    ($0.codec, $0.codec.items(needs.answers[$0.questionnaire.code] ?? []))
                }
            }
            let code: String = try row.get("questionnaire")
            let id: SheetID = try row.id("sheet_id")
            guard let (codec, items) = codecs[version]?[code] else {
                throw StoredValueFault(column: "study_version")
            }
            var answers = StoredAnswers(
                slots: try row.get("slots"), numbers: try row.get("numbers", as: [Double?].self),
                texts: texts[id] ?? [:])
            answers.setRepeated(
                try row.getOptional("repeated", as: String.self).map { try JSONReader.read($0) })
            sheets.append(
                VariableFacts.Sheet(
                    id: id, questionnaire: code, completedAt: try row.instant("completed_at"),
                    offsetMinutes: try row.get("completed_offset_min"),
                    refersTo: try row.idOptional("refers_to"), source: try row.get("source"),
                    answers: try codec.decode(
                        answers, only: items, isPartial: !decoded.contains(code)),
                    scores: scores[id] ?? [:]))
        }
        return sheets
    }
}

/// One statement of the loader.
private enum Part: CaseIterable {
    case zones, pauses, sheets, texts, scores, usage, walks, observations, events, messages, occasions

    func isNeeded(by needs: VariablePlan.Needs, decoded: Set<String>) -> Bool {
        switch self {
        case .zones: true
        case .pauses: needs.breaks
        case .sheets: !needs.questionnaires.isEmpty
        case .texts: !decoded.isEmpty
        case .scores: !needs.scores.isEmpty
        case .usage: !needs.usageEvents.isEmpty
        case .walks: needs.walks
        case .observations: needs.observations
        case .events: needs.events
        case .messages: needs.messages
        case .occasions: needs.occasions
        }
    }

    func call(
        _ enrolment: EnrolmentID, _ needs: VariablePlan.Needs, decoded: Set<String>
    ) -> (Statement, Arguments) {
        let ids = Parameter.ids([enrolment])
        let id = Parameter.id(enrolment)
        let variables = Statements.variables
        return switch self {
        case .zones: (Statements.enrolments["list_enrolment_zones"], ["enrolment_ids": ids])
        case .pauses: (Statements.enrolments["list_enrolment_pauses"], ["enrolment_ids": ids])
        case .events: (Statements.enrolments["list_enrolment_events"], ["enrolment_ids": ids])
        case .occasions: (Statements.occasions["list_occasions"], ["enrolment_ids": ids])
        case .sheets:
            (
                variables["list_variable_sheets"],
                [
                    "enrolment_id": id, "questionnaires": .texts(needs.questionnaires.sorted()),
                    "decoded": .texts(decoded.sorted()),
                ]
            )
        case .texts:
            (
                variables["list_variable_texts"],
                ["enrolment_id": id, "questionnaires": .texts(decoded.sorted())]
            )
        case .scores:
            (
                variables["list_variable_scores"],
                ["enrolment_id": id, "questionnaires": .texts(needs.scores.sorted())]
            )
        case .usage:
            (
                variables["list_variable_usage"],
                ["enrolment_id": id, "events": .texts(needs.usageEvents.sorted())]
            )
        case .walks: (variables["list_variable_walks"], ["enrolment_id": id])
        case .observations: (variables["list_variable_observations"], ["enrolment_id": id])
        case .messages: (variables["list_variable_messages"], ["enrolment_id": id])
        }
    }
}

extension [Part: Rows] {
    /// The rows of a statement; empty if it was not needed.
    fileprivate func list(_ part: Part) -> [Row] { self[part].map(Array.init) ?? [] }
}

extension VariablePlan.Needs {
    /// Whether a needed answer of the questionnaire is not in the compact columns of the sheet.
    fileprivate func readsTexts(of code: String, in questionnaire: Questionnaire?) -> Bool {
        guard let wanted = answers[code], let questionnaire else { return false }
        let types: [ItemType] = [.string, .text, .openChoice]
        return questionnaire.questions.contains { item in
            guard wanted.contains(item.linkId) else { return false }
            return item.isList || types.contains(item.type)
        }
    }
}

extension VariableFacts {
    fileprivate mutating func read(_ rows: [Part: Rows]) throws {
        breaks = try rows.list(.pauses).map {
            Pause(from: try $0.instant("from_at"), to: try $0.instantOptional("to_at"))
        }
        usageEvents = try rows.list(.usage).map { row in
            UsageEvent(
                event: try row.get("event"), happenedAt: try row.instant("happened_at"),
                offsetMinutes: try row.get("offset_min"), feature: try row.getOptional("feature"),
                seconds: try row.getOptional("seconds"))
        }
        walks = try rows.list(.walks).map { row in
            var metrics: [WalkMetric: Double] = [:]
            for metric in WalkMetric.allCases { metrics[metric] = try row.getOptional(metric.rawValue) }
            return WalkFact(
                startedAt: try row.instant("started_at"), offsetMinutes: try row.get("started_offset_min"),
                isWalk: try row.get("is_walk"), metrics: metrics)
        }
        observations = try rows.list(.observations).map { row in
            ObservationFact(
                system: try row.get("system"), code: try row.get("code"),
                startedAt: try row.instant("started_at"), offsetMinutes: try row.get("started_offset_min"),
                value: try row.getOptional("value"))
        }
        for row in rows.list(.events) {
            events[try row.get("event")] = try row.instant("occurred_at")
        }
        messages = try rows.list(.messages).map { row in
            Message(
                rule: try row.get("rule"), sentAt: try row.instant("sent_at"),
                deliveredAt: try row.instantOptional("delivered_at"),
                openedAt: try row.instantOptional("opened_at"))
        }
        occasions = try rows.list(.occasions).map { try Store.occasion($0) }
    }
}
