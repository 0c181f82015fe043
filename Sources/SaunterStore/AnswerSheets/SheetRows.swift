import Postgres
import SaunterCore

/// First revisions of many sheets as the lists that `insert_answer_sheets` takes: a list per column, of sheets, their texts, their scores and the
/// occasions that they settle.
struct SheetRows {
    private struct Text {
        /// Its sheet's place in `sheets`: a sheet is much to copy.
        var place: Int
        var item: String
        var text: String
    }

    private var sheets: [SheetSubmission] = []
    private var duplicatesOf: [SheetID?] = []
    private var texts: [Text] = []
    private var scores: [(place: Int, score: Score)] = []
    /// Places of those that settle their occasions.
    private var settling: [Int] = []

    /// Those of a batch that are to be written.
    init(_ batch: SheetBatch) {
        for (submission, step) in zip(batch.submissions, batch.steps) {
            if case .write(let duplicateOf) = step { append(submission, duplicateOf) }
        }
    }

    private mutating func append(_ submission: SheetSubmission, _ duplicateOf: SheetID?) {
        let place = sheets.count
        sheets.append(submission)
        duplicatesOf.append(duplicateOf)
        for (item, text) in submission.answers.texts {
            texts.append(Text(place: place, item: item, text: text))
        }
        for score in submission.scores { scores.append((place, score)) }
        if submission.completes, duplicateOf == nil, submission.occasion != nil { settling.append(place) }
    }

    var isEmpty: Bool { sheets.isEmpty }

    /// In the order of the statement's header.
    var parameters: [Parameter] { sheetColumns + textColumns + scoreColumns + settlingColumns + shapeColumns }

    private var sheetColumns: [Parameter] {
        [
            .ids(sheets.map(\.enrolment)), .ids(sheets.map(\.sheet)), .uuids(sheets.map(\.occasion?.uuid)),
            .texts(sheets.map(\.questionnaire)), .texts(sheets.map(\.version)),
            .texts(sheets.map(\.studyVersion)),
            .texts(sheets.map(\.consentVersion)), .texts(sheets.map(\.language)),
            .instants(sheets.map(\.startedAt)),
            .instants(sheets.map(\.completedAt)), .instants(sheets.map(\.receivedAt)),
            .texts(sheets.map(\.zone.id)),
            .ints(sheets.map { $0.zone.offset(at: $0.startedAt) / 60 }),
            .ints(sheets.map { $0.zone.offset(at: $0.completedAt) / 60 }), .int8s(sheets.map(\.skewMs)),
            .texts(sheets.map(\.standing.rawValue)), .int8s(sheets.map(\.lateS)),
            .texts(sheets.map { ArrayLiteral.texts($0.flags) }), .bools(sheets.map(\.completes)),
            .uuids(duplicatesOf.map { $0?.uuid }), .uuids(sheets.map(\.walk?.uuid)),
            .texts(sheets.map { ArrayLiteral.numbers($0.answers.slots) }),
            .texts(sheets.map { ArrayLiteral.numbers($0.answers.numbers) }),
            .texts(sheets.map { ArrayLiteral.texts($0.cleared) }), .texts(sheets.map(\.timings?.text)),
            .bytesArray(sheets.map(\.digest)),
        ]
    }

    private var textColumns: [Parameter] {
        [
            .ids(texts.map { sheets[$0.place].enrolment }), .ids(texts.map { sheets[$0.place].sheet }),
            .texts(texts.map(\.item)),
            .texts(texts.map(\.text)),
        ]
    }

    private var scoreColumns: [Parameter] {
        [
            .ids(scores.map { sheets[$0.place].enrolment }), .ids(scores.map { sheets[$0.place].sheet }),
            .texts(scores.map { sheets[$0.place].keyVersion }),
            .texts(scores.map { sheets[$0.place].keyDigest }),
            .texts(scores.map { _ in Scoring.engineVersion }),
            .instants(scores.map { sheets[$0.place].receivedAt }),
            .texts(scores.map(\.score.scale)), .float8s(scores.map(\.score.value)),
            .texts(scores.map(\.score.reason?.rawValue)), .texts(scores.map(\.score.band)),
            .ints(scores.map(\.score.itemCount)), .ints(scores.map(\.score.answeredCount)),
            .ints(scores.map(\.score.imputedCount)), .texts(scores.map(\.score.exclusion)),
            .float8s(scores.map(\.score.standardError)), .texts(scores.map { sheets[$0.place].covariates }),
        ]
    }

    private var settlingColumns: [Parameter] {
        [
            .ids(settling.map { sheets[$0].enrolment }), .uuids(settling.map { sheets[$0].occasion?.uuid }),
            .instants(settling.map { sheets[$0].correctedCompletedAt }),
            .ids(settling.map { sheets[$0].sheet }),
        ]
    }

    /// What few sheets have: answers given several times, and the order in which questions were presented.
    private var shapeColumns: [Parameter] {
        [.texts(sheets.map { $0.answers.repeatedJSON?.text }), .texts(sheets.map { $0.presented?.text })]
    }
}
