import SaunterCore

/// Which answer sheets a FHIR client asks for.
package struct ResponseSearch: Sendable {
    /// A span of time and how sheets must lie to it, as FHIR's prefixes say.
    package struct Moment: Sendable {
        package enum Relation: String, Sendable, CaseIterable {
            case within = "eq", outside = "ne", after = "gt", notBefore = "ge", before = "lt", notAfter = "le"
            case startsAfter = "sa", endsBefore = "eb"
        }

        package var relation: Relation
        /// Inclusive.
        package var from: Instant
        /// Exclusive.
        package var to: Instant

        package init(_ relation: Relation, from: Instant, to: Instant) {
            self.relation = relation
            self.from = from
            self.to = to
        }

        func condition(_ column: String) -> TableQuery.Condition {
            let fromOn = TableQuery.Condition.compare(column, .atLeast, from.description)
            let beforeFrom = TableQuery.Condition.compare(column, .less, from.description)
            let fromTo = TableQuery.Condition.compare(column, .atLeast, to.description)
            let beforeTo = TableQuery.Condition.compare(column, .less, to.description)
            return switch relation {
            case .within: .all([fromOn, beforeTo])
            case .outside: .any([beforeFrom, fromTo])
            case .after, .startsAfter: fromTo
            case .notBefore: fromOn
            case .before, .endsBefore: beforeFrom
            case .notAfter: beforeTo
            }
        }
    }

    /// Ids of enrolment and sheet as the dataset has them.
    package var sheet: (enrolment: String, sheet: String)?
    /// Codes, with a version or in all; nil is every one.
    package var questionnaires: [(code: String, version: String?)]?
    /// The pseudonym.
    package var participant: String?
    package var authored: [Moment] = []
    /// Of the newest revision's coming.
    package var updated: [Moment] = []

    package init() {}

    /// Sheets that their participants deleted are not told.
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
        parts += updated.map { moment in
            .any([
                moment.condition("revised_at"),
                .all([.isBlank("revised_at"), moment.condition("received_at")]),
            ])
        }
        return .all(parts)
    }
}

/// Sheets that were found, in the order of their ids.
package struct ResponsePage: Sendable {
    /// QuestionnaireResponses.
    package let resources: [JSONObject]
    /// The key behind which the next page begins; nil on the last.
    package let next: [String]?
    /// Of all pages, where that was asked for.
    package let total: Int?
}

extension OpenReading {
    /// One page of answer sheets.
    /// - Parameter after: `next` of the page before.
    /// - Throws: `TableQueryFault` for a place that no page gave out, `DatabaseError`.
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
        let told = keys.prefix(limit)
        // The sheets' own rows, and those of others that share an id with one of them, which are passed over.
        let ofThese = TableQuery(
            condition: .all([
                .oneOf("enrolment_id", Set(told.map { $0[0] }).sorted()),
                .oneOf("sheet_id", Set(told.map { $0[1] }).sorted()),
            ]))
        var answer = try TableCursor(
            await rows(of: Tables.answers(definitions).inExpressions(definitions), ofThese))
        var text: TableCursor? = try TableCursor(await rows(of: Tables.freeText, ofThese))
        sheet = try TableCursor(found)
        try sheet.advance()
        try answer.advance()
        try text?.advance()
        let resources = ResponseResources(definitions: definitions)
        var made: [JSONObject] = []
        for _ in told {
            var resource = try resources.resource(of: sheet, &answer, &text)
            let updated = sheet["revised_at"].isEmpty ? sheet["received_at"] : sheet["revised_at"]
            resource["id"] = .string(FHIRResponseID(sheet["enrolment_id"], sheet["sheet_id"]).text)
            resource["meta"] = ["versionId": .string(sheet["rev"]), "lastUpdated": .string(updated)]
            resource["identifier"] = [
                "system": "urn:saunter:sheet",
                "value": .string("\(sheet["enrolment_id"]):\(sheet["sheet_id"])"),
            ]
            made.append(resource)
            try sheet.advance()
        }
        return ResponsePage(
            resources: made, next: keys.count > told.count ? told.last : nil, total: total)
    }
}

/// The id of a QuestionnaireResponse: a sheet's id is one within its enrolment only, and FHIR's ids have 64 characters at most, so it is the
/// digits of both.
package struct FHIRResponseID {
    package let text: String

    /// Of ids as the dataset has them.
    init(_ enrolment: String, _ sheet: String) {
        text = String(enrolment.dropFirst() + sheet.dropFirst()).replacing("-", with: "")
    }

    /// The ids of enrolment and sheet; nil for a text that is no such id.
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
