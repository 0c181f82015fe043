import SaunterCore

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
    /// - Parameters:
    ///   - after: `next` of the previous page; nil for the first page.
    ///   - counts: whether the page states the number of sheets on all pages.
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
