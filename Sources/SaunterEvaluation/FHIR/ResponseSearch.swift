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
