import Postgres
import SaunterCore

/// First revisions of many sheets as the lists that `insert_answer_sheets` takes: a list per column, of sheets, their texts, their scores and the
/// occasions that they settle.
struct SheetRows {
    private struct Text {
        var sheet: SheetSubmission
        var item: String
        var text: String
    }

    private var sheets: [(submission: SheetSubmission, duplicateOf: SheetID?)] = []
    private var texts: [Text] = []
    private var scores: [(sheet: SheetSubmission, score: Score)] = []
    private var settling: [SheetSubmission] = []

    /// Those of a batch that are to be written.
    init(_ batch: SheetBatch) {
        for (submission, step) in zip(batch.submissions, batch.steps) {
            if case .write(let duplicateOf) = step { append(submission, duplicateOf) }
        }
    }

    private mutating func append(_ submission: SheetSubmission, _ duplicateOf: SheetID?) {
        sheets.append((submission, duplicateOf))
        for (item, text) in submission.answers.texts {
            texts.append(Text(sheet: submission, item: item, text: text))
        }
        for score in submission.scores { scores.append((submission, score)) }
        if submission.completes, duplicateOf == nil, submission.occasion != nil {
            settling.append(submission)
        }
    }

    var isEmpty: Bool { sheets.isEmpty }

    /// In the order of the statement's header.
    var parameters: [Parameter] { sheetColumns + textColumns + scoreColumns + settlingColumns }

    private var sheetColumns: [Parameter] {
        let all = sheets.map(\.submission)
        return [
            .ids(all.map(\.enrolment)), .ids(all.map(\.sheet)), .uuids(all.map(\.occasion?.uuid)),
            .texts(all.map(\.questionnaire)), .texts(all.map(\.version)), .texts(all.map(\.studyVersion)),
            .texts(all.map(\.consentVersion)), .texts(all.map(\.language)), .instants(all.map(\.startedAt)),
            .instants(all.map(\.completedAt)), .instants(all.map(\.receivedAt)), .texts(all.map(\.zone.id)),
            .ints(all.map { $0.zone.offset(at: $0.startedAt) / 60 }),
            .ints(all.map { $0.zone.offset(at: $0.completedAt) / 60 }), .int8s(all.map(\.skewMs)),
            .texts(all.map(\.standing.rawValue)), .int8s(all.map(\.lateS)),
            .texts(all.map { ArrayLiteral.texts($0.flags) }), .bools(all.map(\.completes)),
            .uuids(sheets.map(\.duplicateOf?.uuid)), .uuids(all.map(\.walk?.uuid)),
            .texts(all.map { ArrayLiteral.numbers($0.answers.slots) }),
            .texts(all.map { ArrayLiteral.numbers($0.answers.numbers) }),
            .texts(all.map { ArrayLiteral.texts($0.cleared) }), .texts(all.map(\.timings?.text)),
            .bytesArray(all.map(\.digest)),
        ]
    }

    private var textColumns: [Parameter] {
        [
            .ids(texts.map(\.sheet.enrolment)), .ids(texts.map(\.sheet.sheet)), .texts(texts.map(\.item)),
            .texts(texts.map(\.text)),
        ]
    }

    private var scoreColumns: [Parameter] {
        [
            .ids(scores.map(\.sheet.enrolment)), .ids(scores.map(\.sheet.sheet)),
            .texts(scores.map(\.sheet.keyVersion)), .texts(scores.map(\.sheet.keyDigest)),
            .texts(scores.map { _ in Scoring.engineVersion }), .instants(scores.map(\.sheet.receivedAt)),
            .texts(scores.map(\.score.scale)), .float8s(scores.map(\.score.value)),
            .texts(scores.map(\.score.reason?.rawValue)), .texts(scores.map(\.score.band)),
            .ints(scores.map(\.score.itemCount)), .ints(scores.map(\.score.answeredCount)),
            .ints(scores.map(\.score.imputedCount)), .texts(scores.map(\.score.exclusion)),
            .float8s(scores.map(\.score.standardError)), .texts(scores.map(\.sheet.covariates)),
        ]
    }

    private var settlingColumns: [Parameter] {
        [
            .ids(settling.map(\.enrolment)), .uuids(settling.map(\.occasion?.uuid)),
            .instants(settling.map(\.correctedCompletedAt)), .ids(settling.map(\.sheet)),
        ]
    }
}
