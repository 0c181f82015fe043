import SaunterCore
import SaunterStatistics

/// What is told of one version of an instrument.
package struct InstrumentReport: Sendable {
    package let code: String
    package let version: String
    let title: String
    package let sheetCount: Int
    /// Nil when nobody knows whose sheets they are.
    package let personCount: Int?
    package let scales: [ScaleReport]
    package let patterns: [SheetPattern]
    package let patternFigures: [ReportFigure]

    init(_ keyed: KeyedItems, _ sheets: [ReportSheet]) {
        let people = sheets.byPerson
        code = keyed.questionnaire.code
        version = keyed.questionnaire.version
        title = keyed.questionnaire.text(in: "en").title
        sheetCount = sheets.count
        personCount = people?.count
        scales = keyed.scales.indices.map {
            ScaleReport(keyed, scale: $0, sheets: sheets, people: people)
        }
        patterns = SheetPattern.all(keyed, sheets)
        patternFigures = SheetPattern.figures(patterns)
    }

    var json: JSON {
        [
            "questionnaire": .string(code), "version": .string(version), "title": .string(title),
            "sheets": .int(sheetCount), "people": .optional(personCount, JSON.int),
            "reliability_from": .string(personCount == nil ? "all_sheets" : "first_sheet_of_each_person"),
            "scales": .array(scales.map(\.json)),
            "sheet_figures": .array(patternFigures.map(\.json)),
        ]
    }
}
