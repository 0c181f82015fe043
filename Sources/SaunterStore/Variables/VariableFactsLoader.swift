import Foundation
import Logging
import Postgres
import SaunterCore

/// Reads from the database what the variables of participants are computed from.
package struct VariableFactsLoader: Sendable {
    private let read: @Sendable (StoredFactsKey) async throws -> StoredFacts
    private let find: @Sendable (_ study: String, _ version: String) async throws -> PublishedStudy?

    /// Creates a loader with its own queue, for all studies. Look-ups that arrive while a round trip runs are combined
    /// in the next one.
    /// - Parameter catalogue: supplies the questionnaire versions with which stored answers are decoded.
    package init(store: Store, catalogue: StudyCatalogue, logger: Logger) {
        let lookups = BatchingQueue<StoredFactsKey, StoredFacts>(
            // A participant can have thousands of sheets.
            "variables", limits: BatchLimits(batchItems: 16),
            rules: .init(lane: { _ in "" }, bytes: { _ in 64 }), logger: logger,
            pause: BatchRetryPolicy.backOff
        ) { try await StoredFacts.read($0, from: store.research) }
        read = { try await lookups.submit($0) }
        find = { try await catalogue.find($0, version: $1) }
    }

    /// - Parameters:
    ///   - connection: a connection or transaction of a role that may read research data.
    ///   - find: supplies the questionnaire versions with which stored answers are decoded.
    package init(
        reading connection: any Querying,
        find: @escaping @Sendable (_ study: String, _ version: String) async throws -> PublishedStudy?
    ) {
        read = { key in
            guard let facts = try await StoredFacts.read([key], from: connection).first else {
                throw OutcomeCountError()
            }
            return facts
        }
        self.find = find
    }

    /// The facts as committed at some instant after the call. Parts that are not needed stay empty.
    /// - Parameter study: the study version whose variables are computed.
    /// - Throws: `IngestOverload`, or a database error. A sheet that cannot be decoded is an error too, because a value
    ///   without it would be wrong.
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
        let stored = try await read(StoredFactsKey(enrolment: enrolment, needs: needs, decoded: decoded))
        var facts = VariableFacts(
            enrolledAt: enrolledAt,
            zones: try stored.map(.zones) {
                ZoneChange(from: try $0.instant("effective_from"), zone: try $0.zone("zone"))
            })
        facts.sheets = try await sheets(stored, of: code, needs, decoded: decoded, study)
        try facts.read(stored)
        return facts
    }

    private func sheets(
        _ stored: StoredFacts, of code: String, _ needs: VariablePlan.Needs, decoded: Set<String>,
        _ study: PublishedStudy
    ) async throws -> [VariableFacts.Sheet] {
        guard let rows = stored.rows[.sheets] else { return [] }
        var texts: [SheetID: [String: String]] = [:]
        for row in stored[.texts] {
            texts[try row.id("sheet_id"), default: [:]][try row.get("item")] = try row.get(
                "text", as: String.self)
        }
        var scores: [SheetID: [String: Double]] = [:]
        for row in stored[.scores] {
            scores[try row.id("sheet_id"), default: [:]][try row.get("scale")] = try row.getOptional("value")
        }
        var readers: [QuestionnaireKey: SheetReader] = [:]
        var reader: SheetReader?
        var sheets: [VariableFacts.Sheet] = []
        sheets.reserveCapacity(rows.count)
        for row in rows {
            let key = QuestionnaireKey(
                studyVersion: try row.get("study_version"), questionnaire: try row.get("questionnaire"))
            if reader?.key != key {
                if readers[key] == nil {
                    readers[key] = try await sheetReader(key, code, needs, decoded: decoded, study)
                }
                reader = readers[key]
            }
            guard let reader else { throw StoredValueFault(column: "study_version") }
            sheets.append(try reader.sheet(row, texts: texts, scores: scores))
        }
        return sheets
    }

    /// Nil if the version or the questionnaire does not exist.
    private func sheetReader(
        _ key: QuestionnaireKey, _ code: String, _ needs: VariablePlan.Needs, decoded: Set<String>,
        _ study: PublishedStudy
    ) async throws -> SheetReader? {
        let published =
            key.studyVersion == study.study.version ? study : try await find(code, key.studyVersion)
        guard let codec = published?.questionnaires[key.questionnaire]?.codec else { return nil }
        return SheetReader(
            key: key, codec: codec, items: codec.items(needs.answers[key.questionnaire] ?? []),
            isPartial: !decoded.contains(key.questionnaire))
    }
}

/// A questionnaire in a version of the study.
private struct QuestionnaireKey: Hashable {
    let studyVersion: String
    let questionnaire: String
}

/// Reads the sheets of a questionnaire version.
private final class SheetReader {
    let key: QuestionnaireKey
    private let codec: AnswerCodec
    private let items: AnswerCodec.Items
    /// Whether texts and repeated answers are not read.
    private let isPartial: Bool

    init(key: QuestionnaireKey, codec: AnswerCodec, items: AnswerCodec.Items, isPartial: Bool) {
        self.key = key
        self.codec = codec
        self.items = items
        self.isPartial = isPartial
    }

    func sheet(
        _ row: Row, texts: [SheetID: [String: String]], scores: [SheetID: [String: Double]]
    ) throws -> VariableFacts.Sheet {
        let id: SheetID = try row.id("sheet_id")
        guard let slots = Self.slots(try row.get("slots", as: String.self)) else {
            throw StoredValueFault(column: "slots")
        }
        var answers = StoredAnswers(
            slots: slots, numbers: try row.get("numbers", as: [Double?].self),
            texts: texts.isEmpty ? [:] : texts[id] ?? [:])
        answers.setRepeated(try row.getOptional("repeated", as: String.self).map { try JSONReader.read($0) })
        return VariableFacts.Sheet(
            id: id, questionnaire: key.questionnaire, completedAt: try row.instant("completed_at"),
            offsetMinutes: try row.get("completed_offset_min"), refersTo: try row.idOptional("refers_to"),
            source: try row.get("source"),
            answers: .items(items, try codec.answers(answers, to: items, isPartial: isPartial)),
            scores: scores.isEmpty ? [:] : scores[id] ?? [:])
    }

    /// The numbers of the text of a PostgreSQL array, such as `{1,-3}`. Nil for another text.
    static func slots(_ text: String) -> [Int16]? {
        var text = text
        return text.withUTF8 { bytes in
            guard bytes.first == UInt8(ascii: "{"), bytes.last == UInt8(ascii: "}") else { return nil }
            var numbers: [Int16] = []
            numbers.reserveCapacity(bytes.count / 2)
            var number: Int32 = 0
            var (isNegative, hasDigit) = (false, false)
            for byte in bytes.dropFirst() {
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"):
                    number = number * 10 + Int32(byte - UInt8(ascii: "0"))
                    hasDigit = true
                    guard number <= Int16.max else { return nil }
                case UInt8(ascii: "-"): isNegative = true
                case UInt8(ascii: ","), UInt8(ascii: "}"):
                    guard hasDigit else { return bytes.count == 2 ? [] : nil }
                    numbers.append(Int16(isNegative ? -number : number))
                    (number, isNegative, hasDigit) = (0, false, false)
                default: return nil
                }
            }
            return numbers
        }
    }
}

/// Whose facts are read, and which.
private struct StoredFactsKey: Sendable {
    let enrolment: EnrolmentID
    let needs: VariablePlan.Needs
    /// The questionnaires of which texts and answers in lists are read.
    let decoded: Set<String>

    var kind: Kind { Kind(needs: needs, decoded: decoded) }

    /// Keys of one kind are read by the same statements.
    struct Kind: Hashable {
        let needs: VariablePlan.Needs
        let decoded: Set<String>
    }
}

/// The rows of one participant. Parts that are not needed are absent.
private struct StoredFacts: Sendable {
    var rows: [Part: Slice<Rows>] = [:]

    /// The rows of a part.
    subscript(part: Part) -> [Row] { rows[part].map(Array.init) ?? [] }

    func map<Value>(_ part: Part, _ transform: (Row) throws -> Value) rethrows -> [Value] {
        try rows[part]?.map(transform) ?? []
    }

    /// The facts for each key, in order, in one round trip.
    static func read(
        _ keys: [StoredFactsKey], from connection: any Querying
    ) async throws -> [StoredFacts] {
        let kinds = Dictionary(grouping: keys.indices) { keys[$0].kind }.map { kind, positions in
            (
                positions: positions, ids: Set(positions.map { keys[$0].enrolment }).sorted(),
                parts: Part.allCases.filter { $0.isNeeded(by: kind.needs, decoded: kind.decoded) }, kind
            )
        }
        let results = try await connection.pipeline(
            kinds.flatMap { _, ids, parts, kind in
                parts.map { $0.call(ids, kind.needs, decoded: kind.decoded) }
            })
        var facts = Array(repeating: StoredFacts(), count: keys.count)
        var result = results.startIndex
        for (positions, ids, parts, _) in kinds {
            for part in parts {
                let byEnrolment = try results[result].slices(by: ids)
                for position in positions {
                    facts[position].rows[part] = byEnrolment[keys[position].enrolment]
                }
                result += 1
            }
        }
        return facts
    }
}

extension Rows {
    /// The rows of each of these enrolments. The rows must be sorted by the column `enrolment_id`, and the ids sorted.
    fileprivate func slices(by ids: [EnrolmentID]) throws -> [EnrolmentID: Slice<Rows>] {
        var slices: [EnrolmentID: Slice<Rows>] = [:]
        var start = startIndex
        for id in ids {
            // The first row after `start` that belongs to a later enrolment.
            var (low, high) = (start, endIndex)
            while low < high {
                let middle = (low + high) / 2
                if try self[middle].id("enrolment_id") <= id { low = middle + 1 } else { high = middle }
            }
            slices[id] = self[start..<low]
            start = low
        }
        return slices
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
        _ enrolments: [EnrolmentID], _ needs: VariablePlan.Needs, decoded: Set<String>
    ) -> (Statement, Arguments) {
        let ids = Parameter.ids(enrolments)
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
                    "enrolment_ids": ids, "questionnaires": .texts(needs.questionnaires.sorted()),
                    "decoded": .texts(decoded.sorted()),
                ]
            )
        case .texts:
            (
                variables["list_variable_texts"],
                ["enrolment_ids": ids, "questionnaires": .texts(decoded.sorted())]
            )
        case .scores:
            (
                variables["list_variable_scores"],
                ["enrolment_ids": ids, "questionnaires": .texts(needs.scores.sorted())]
            )
        case .usage:
            (
                variables["list_variable_usage"],
                ["enrolment_ids": ids, "events": .texts(needs.usageEvents.sorted())]
            )
        case .walks: (variables["list_variable_walks"], ["enrolment_ids": ids])
        case .observations: (variables["list_variable_observations"], ["enrolment_ids": ids])
        case .messages: (variables["list_variable_messages"], ["enrolment_ids": ids])
        }
    }
}

extension VariablePlan.Needs {
    /// Whether a needed answer of the questionnaire is not in the compact columns of the sheet.
    fileprivate func readsTexts(of code: String, in questionnaire: Questionnaire?) -> Bool {
        guard let wanted = answers[code], let questionnaire else { return false }
        return questionnaire.questions.contains { item in
            wanted.contains(item.linkId)
                && (item.isList || item.type.form == .text || item.type.acceptsFreeText)
        }
    }
}

extension VariableFacts {
    fileprivate mutating func read(_ stored: StoredFacts) throws {
        breaks = try stored.map(.pauses) {
            Pause(from: try $0.instant("from_at"), to: try $0.instantOptional("to_at"))
        }
        usageEvents = try stored.map(.usage) { row in
            UsageEvent(
                event: try row.get("event"), happenedAt: try row.instant("happened_at"),
                offsetMinutes: try row.get("offset_min"), feature: try row.getOptional("feature"),
                seconds: try row.getOptional("seconds"), arrival: try Self.arrival("usage", row))
        }
        walks = try stored.map(.walks) { row in
            var metrics: [WalkMetric: Double] = [:]
            for metric in WalkMetric.allCases { metrics[metric] = try row.getOptional(metric.rawValue) }
            return WalkFact(
                startedAt: try row.instant("started_at"), offsetMinutes: try row.get("started_offset_min"),
                isWalk: try row.get("is_walk"), metrics: metrics, arrival: try Self.arrival("walk", row))
        }
        observations = try stored.map(.observations) { row in
            ObservationFact(
                system: try row.get("system"), code: try row.get("code"),
                startedAt: try row.instant("started_at"), offsetMinutes: try row.get("started_offset_min"),
                value: try row.getOptional("value"), arrival: try Self.arrival("observation", row))
        }
        for row in stored[.events] {
            events[try row.get("event")] = try row.instant("occurred_at")
        }
        messages = try stored.map(.messages) { row in
            Message(
                rule: try row.get("rule"), sentAt: try row.instant("sent_at"),
                deliveredAt: try row.instantOptional("delivered_at"),
                openedAt: try row.instantOptional("opened_at"))
        }
        occasions = try stored.map(.occasions) { try Store.occasion($0) }
    }

    private static func arrival(_ kind: String, _ row: Row) throws -> Arrival {
        Arrival(kind, try row.get("record_id"), at: try row.instant("received_at"))
    }
}
