import Foundation
import Postgres
import SaunterCore

/// Which sheets of a participant a list contains. Nil selects all.
package struct SheetFilter: Sendable {
    /// The code of the questionnaire.
    package var questionnaire: String?
    /// The first local date of completion.
    package var from: LocalDate?
    /// The last local date of completion.
    package var to: LocalDate?
    /// Only sheets about this sheet.
    package var refersTo: SheetID?
    /// Only these sheets.
    package var ids: [SheetID]?

    /// Creates a filter; by default it selects all sheets.
    package init(
        questionnaire: String? = nil, from: LocalDate? = nil, to: LocalDate? = nil, refersTo: SheetID? = nil,
        ids: [SheetID]? = nil
    ) {
        self.questionnaire = questionnaire
        self.from = from
        self.to = to
        self.refersTo = refersTo
        self.ids = ids
    }

    fileprivate var arguments: Arguments {
        [
            "questionnaire": .text(questionnaire), "from_date": .localDate(from), "to_date": .localDate(to),
            "refers_to": .id(refersTo), "sheet_ids": .uuids(ids?.map(\.uuid)),
        ]
    }
}

/// The order of a list of sheets. The newest sheet is the first one; equal sheets are ordered by id.
package enum SheetOrder: Sendable, Hashable {
    /// By the instant at which the server received the sheet.
    case received
    /// By the corrected instant of completion.
    case completed
    /// By the number of one item, such as a date. Sheets without the number come last.
    /// - Parameter positions: version of the questionnaire -> index in `StoredAnswers.numbers`.
    case number(positions: [String: Int])

    /// The number by which a sheet is ordered. It is unique only together with the id.
    package func key(of sheet: StoredSheet) -> Double {
        switch self {
        case .received: Double(sheet.receivedAt.milliseconds)
        case .completed: Double(sheet.correctedCompletedAt.milliseconds)
        case .number(let positions):
            positions[sheet.version].flatMap { position in
                sheet.answers.numbers.indices.contains(position) ? sheet.answers.numbers[position] : nil
            } ?? -.infinity
        }
    }
}

extension Store {
    /// Sheets that are not deleted, the newest first, with texts and scores.
    /// - Parameters:
    ///   - before: the last sheet of the previous page, with its `SheetOrder.key`; nil for the first page.
    ///   - connection: a transaction; nil for any connection.
    package func listSheets(
        _ enrolment: EnrolmentID, _ filter: SheetFilter = SheetFilter(), order: SheetOrder = .received,
        before: (key: Double, id: SheetID)? = nil, limit: Int, in connection: (any Querying)? = nil
    ) async throws -> [StoredSheet] {
        var arguments = filter.arguments
        arguments =
            arguments + [
                "enrolment_id": .id(enrolment), "before_id": .uuid(before?.id.uuid ?? .last),
                "limit_rows": .int(limit),
            ]
        let moment = before.flatMap { Int64(exactly: $0.key) }.map { Instant(milliseconds: $0) } ?? .maximum
        let statement: String
        switch order {
        case .received:
            statement = "list_answer_sheets"
            arguments = arguments + ["before": .instant(moment)]
        case .completed:
            statement = "list_answer_sheets_by_completion"
            arguments = arguments + ["before": .instant(moment)]
        case .number(let positions):
            statement = "list_answer_sheets_by_number"
            let sorted = positions.sorted { $0.key < $1.key }
            arguments =
                arguments + [
                    "before": .float8(before?.key ?? .infinity), "versions": .texts(sorted.map(\.key)),
                    "positions": .ints(sorted.map { $0.value + 1 }),
                ]
        }
        let rows = try await (connection ?? research).query(Statements.answerSheets[statement], arguments)
        return try await addingTextsAndScores(
            to: rows.map { try StoredSheet($0) }, of: enrolment, in: connection ?? research)
    }

    /// The ids of the newest sheets by completion, at most one for each questionnaire. Duplicates do not count.
    /// - Parameters:
    ///   - questionnaires: nil for all.
    ///   - filter: only its dates and `refersTo` are used.
    ///   - connection: a transaction; nil for any connection.
    package func listNewestSheets(
        _ enrolment: EnrolmentID, of questionnaires: [String]? = nil, _ filter: SheetFilter = SheetFilter(),
        in connection: (any Querying)? = nil
    ) async throws -> [SheetID] {
        try await (connection ?? research).query(
            Statements.answerSheets["list_newest_sheets"],
            [
                "enrolment_id": .id(enrolment), "questionnaires": .texts(questionnaires),
                "from_date": .localDate(filter.from), "to_date": .localDate(filter.to),
                "refers_to": .id(filter.refersTo),
            ]
        ).map { try $0.id("sheet_id") }
    }
}
