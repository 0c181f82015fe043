import Postgres
import SaunterCore

/// First revisions of many sheets as the arguments of `insert_answer_sheets`: one array per column, for the sheets,
/// their texts, their scores and the occasions that they fulfil.
struct SheetRows {
    private struct Text {
        /// Index of the sheet in `sheets`. A copy of the sheet would be large.
        var index: Int
        var item: String
        var text: String
    }

    private var sheets: [SheetSubmission] = []
    private var duplicatesOf: [SheetID?] = []
    private var texts: [Text] = []
    private var scores = ScoreColumns()
    /// Indices of the sheets that fulfil their occasions.
    private var fulfilling: [Int] = []

    /// The sheets of a batch that are to be written.
    init(_ batch: SheetBatch) {
        for (submission, step) in zip(batch.submissions, batch.steps) {
            if case .write(let duplicateOf) = step { append(submission, duplicateOf) }
        }
    }

    private mutating func append(_ submission: SheetSubmission, _ duplicateOf: SheetID?) {
        let index = sheets.count
        sheets.append(submission)
        duplicatesOf.append(duplicateOf)
        for (item, text) in submission.answers.texts {
            texts.append(Text(index: index, item: item, text: text))
        }
        scores.append(
            submission.scores, keyVersion: submission.keyVersion, keyDigest: submission.keyDigest,
            covariates: submission.covariates, at: submission.receivedAt)
        if submission.fulfilsOccasion, duplicateOf == nil, submission.occasion != nil {
            fulfilling.append(index)
        }
    }

    var isEmpty: Bool { sheets.isEmpty }

    /// The arguments of `insert_answer_sheets`.
    var parameters: Arguments {
        sheetColumns + textColumns + scores.keyParameters + scores.parameters + occasionColumns + otherColumns
    }

    private var sheetColumns: Arguments {
        [
            "enrolment_ids": .ids(sheets.map(\.enrolment)), "sheet_ids": .ids(sheets.map(\.sheet)),
            "occasion_ids": .uuids(sheets.map(\.occasion?.uuid)),
            "questionnaires": .texts(sheets.map(\.questionnaire)), "versions": .texts(sheets.map(\.version)),
            "study_versions": .texts(sheets.map(\.studyVersion)),
            "consent_versions": .texts(sheets.map(\.consentVersion)),
            "languages": .texts(sheets.map(\.language)),
            "started_ats": .instants(sheets.map(\.startedAt)),
            "completed_ats": .instants(sheets.map(\.completedAt)),
            "received_ats": .instants(sheets.map(\.receivedAt)),
            "zones": .texts(sheets.map(\.zone.id)),
            "started_offsets_min": .ints(sheets.map { $0.zone.offset(at: $0.startedAt) / 60 }),
            "completed_offsets_min": .ints(sheets.map { $0.zone.offset(at: $0.completedAt) / 60 }),
            "skews_ms": .int8s(sheets.map(\.skewMs)),
            "standings": .texts(sheets.map(\.timeliness.rawValue)), "lates_s": .int8s(sheets.map(\.lateS)),
            "flag_lists": .texts(sheets.map { ArrayLiteral.texts($0.flags) }),
            "completes": .bools(sheets.map(\.fulfilsOccasion)),
            "duplicates_of": .uuids(duplicatesOf.map { $0?.uuid }),
            "walk_ids": .uuids(sheets.map(\.walk?.uuid)),
            "slot_lists": .texts(sheets.map { ArrayLiteral.numbers($0.answers.slots) }),
            "number_lists": .texts(sheets.map { ArrayLiteral.numbers($0.answers.numbers) }),
            "cleared_lists": .texts(sheets.map { ArrayLiteral.texts($0.cleared) }),
            "timings": .texts(sheets.map(\.timings?.text)),
            "body_sha256s": .bytesArray(sheets.map(\.digest)),
        ]
    }

    private var textColumns: Arguments {
        [
            "text_enrolment_ids": .ids(texts.map { sheets[$0.index].enrolment }),
            "text_sheet_ids": .ids(texts.map { sheets[$0.index].sheet }),
            "text_items": .texts(texts.map(\.item)),
            "texts": .texts(texts.map(\.text)),
        ]
    }

    private var occasionColumns: Arguments {
        [
            "settled_enrolment_ids": .ids(fulfilling.map { sheets[$0].enrolment }),
            "settled_occasion_ids": .uuids(fulfilling.map { sheets[$0].occasion?.uuid }),
            "settled_ats": .instants(fulfilling.map { sheets[$0].correctedCompletedAt }),
            "settled_by": .ids(fulfilling.map { sheets[$0].sheet }),
        ]
    }

    /// The answers of repeating groups, the order in which items were shown, the device, the link to another sheet, and
    /// the author.
    private var otherColumns: Arguments {
        [
            "repeated_lists": .texts(sheets.map { $0.answers.repeatedJSON?.text }),
            "presented_orders": .texts(sheets.map { $0.presented?.text }),
            "devices": .texts(sheets.map { $0.device?.text }),
            "refers_tos": .uuids(sheets.map(\.refersTo?.uuid)), "sources": .texts(sheets.map(\.source)),
        ]
    }
}
