import SaunterCore

/// The search parameters of a FHIR client for answer sheets.
package struct ResponseSearch: Sendable {
    /// A period, and the relation that the instant of a sheet must have to it, as in the prefixes of FHIR.
    package struct DateCondition: Sendable {
        /// The prefixes of FHIR date parameters.
        package enum Relation: String, Sendable, CaseIterable {
            case within = "eq", outside = "ne", after = "gt", notBefore = "ge", before = "lt", notAfter = "le"
            case startsAfter = "sa", endsBefore = "eb"
        }

        /// How the instant of a sheet must relate to the period.
        package var relation: Relation
        /// Inclusive.
        package var from: Instant
        /// Exclusive.
        package var to: Instant

        /// Creates a condition for a period that may be one millisecond long.
        package init(_ relation: Relation, from: Instant, to: Instant) {
            self.relation = relation
            self.from = from
            self.to = to
        }

        func condition(_ column: String) -> TableQuery.Condition {
            let notBeforeFrom = TableQuery.Condition.compare(column, .atLeast, from.description)
            let beforeFrom = TableQuery.Condition.compare(column, .less, from.description)
            let notBeforeTo = TableQuery.Condition.compare(column, .atLeast, to.description)
            let beforeTo = TableQuery.Condition.compare(column, .less, to.description)
            return switch relation {
            case .within: .all([notBeforeFrom, beforeTo])
            case .outside: .any([beforeFrom, notBeforeTo])
            case .after, .startsAfter: notBeforeTo
            case .notBefore: notBeforeFrom
            case .before, .endsBefore: beforeFrom
            case .notAfter: beforeTo
            }
        }
    }

    /// The ids of enrolment and sheet, as in the dataset.
    package var sheet: (enrolment: String, sheet: String)?
    /// Codes of questionnaires, each with a version or with nil for all versions. Nil means all questionnaires.
    package var questionnaires: [(code: String, version: String?)]?
    /// The pseudonym of the participant.
    package var participant: String?
    /// When the sheet was completed.
    package var authored: [DateCondition] = []
    /// When the server received the newest revision.
    package var updated: [DateCondition] = []
    /// Whether the page contains the scores of its sheets.
    package var includesScores = false

    /// Creates a search for all sheets.
    package init() {}

    /// The condition. It excludes sheets that their participants deleted.
    var condition: TableQuery.Condition {
        var parts: [TableQuery.Condition] = [.compare("deleted", .equal, "0")]
        if let sheet {
            parts += [
                .compare("enrolment_id", .equal, sheet.enrolment), .compare("sheet_id", .equal, sheet.sheet),
            ]
        }
        if let questionnaires {
            parts.append(
                .any(
                    questionnaires.map { questionnaire in
                        let code = TableQuery.Condition.compare("instrument", .equal, questionnaire.code)
                        guard let version = questionnaire.version else { return code }
                        return .all([code, .compare("version", .equal, version)])
                    }))
        }
        if let participant { parts.append(.compare("participant_id", .equal, participant)) }
        parts += authored.map { $0.condition("submitted_at") }
        parts += updated.map { date in
            .any([
                date.condition("revised_at"),
                .all([.isBlank("revised_at"), date.condition("received_at")]),
            ])
        }
        return .all(parts)
    }
}

/// One page of answer sheets, sorted by their ids.
package struct ResponsePage: Sendable {
    /// The QuestionnaireResponse resources.
    package let resources: [JSONObject]
    /// The Observations of the scores of these sheets. Empty if they were not requested.
    package let scores: [JSONObject]
    /// The key after which the next page begins. Nil on the last page.
    package let next: [String]?
    /// The number of sheets on all pages. Nil if it was not requested.
    package let total: Int?
}

extension DatasetReadSession {
    /// Returns one page of answer sheets.
    /// - Parameter after: `next` of the previous page.
    /// - Throws: `TableQueryFault` if `after` is not a key of a page, `DatabaseError`.
    package nonisolated(nonsending) func responses(
        _ search: ResponseSearch, after: [String]?, limit: Int, counts: Bool
    ) async throws -> ResponsePage {
        let found = try await rows(
            of: Tables.sheets, TableQuery(condition: search.condition, after: after, limit: limit + 1))
        let total = counts ? try await count(of: Tables.sheets, search.condition) : nil
        var sheet = try TableCursor(found)
        var keys: [[String]] = []
        try sheet.advance()
        while sheet.isAtRow {
            keys.append([sheet["enrolment_id"], sheet["sheet_id"]])
            try sheet.advance()
        }
        let page = keys.prefix(limit)
        // This also matches rows of other enrolments that share a sheet id with one of them. The cursors skip them.
        let sheetQuery = TableQuery(
            condition: .all([
                .oneOf("enrolment_id", Set(page.map { $0[0] }).sorted()),
                .oneOf("sheet_id", Set(page.map { $0[1] }).sorted()),
            ]))
        var answer = try TableCursor(
            await rows(of: Tables.answers(definitions).withExpressions(definitions), sheetQuery))
        var text: TableCursor? = try TableCursor(await rows(of: Tables.freeText, sheetQuery))
        sheet = try TableCursor(found)
        try sheet.advance()
        try answer.advance()
        try text?.advance()
        var score: TableCursor?
        if search.includesScores {
            score = try TableCursor(await rows(of: Tables.scores, sheetQuery))
            try score?.advance()
        }
        let converter = ResponseResources(definitions: definitions)
        let observations = ScoreObservations(definitions: definitions)
        var resources: [JSONObject] = []
        var scores: [JSONObject] = []
        for _ in page {
            var resource = try converter.resource(of: sheet, &answer, &text)
            let updated = sheet["revised_at"].isEmpty ? sheet["received_at"] : sheet["revised_at"]
            let id = FHIRResponseID(sheet["enrolment_id"], sheet["sheet_id"]).text
            if var cursor = score {
                scores += try observations.resources(
                    of: sheet, &cursor, derivedFrom: "QuestionnaireResponse/\(id)")
                score = cursor
            }
            resource["id"] = .string(id)
            resource["meta"] = ["versionId": .string(sheet["rev"]), "lastUpdated": .string(updated)]
            resource["identifier"] = [
                "system": "urn:saunter:sheet",
                "value": .string("\(sheet["enrolment_id"]):\(sheet["sheet_id"])"),
            ]
            resources.append(resource)
            try sheet.advance()
        }
        return ResponsePage(
            resources: resources, scores: scores, next: keys.count > page.count ? page.last : nil,
            total: total)
    }
}

/// The id of a QuestionnaireResponse. A sheet id is unique only within its enrolment, and a FHIR id has at most 64
/// characters, so the id consists of the hexadecimal digits of both.
package struct FHIRResponseID {
    /// The id: 64 hexadecimal digits.
    package let text: String

    /// Makes the id from ids as in the dataset.
    init(_ enrolment: String, _ sheet: String) {
        text = String(enrolment.dropFirst() + sheet.dropFirst()).replacing("-", with: "")
    }

    /// The ids of enrolment and sheet. Nil if the text is not such an id.
    package static func read(_ text: String) -> (enrolment: String, sheet: String)? {
        guard text.utf8.count == 64,
            let enrolment = uuid(text.prefix(32)), let sheet = uuid(text.suffix(32))
        else { return nil }
        return ("E\(enrolment)", "S\(sheet)")
    }

    private static func uuid(_ digits: Substring) -> String? {
        let isPlain = digits.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
        guard isPlain else { return nil }
        let letters = Array(digits)
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(letters[$0]) }.joined(separator: "-")
    }
}
