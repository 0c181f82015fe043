import Foundation
import Postgres
import SaunterCore

/// One version of a questionnaire, made ready for scoring what is stored of it.
struct ScoredVersion {
    let study: String
    let questionnaire: Questionnaire
    let key: ScoringKey
    let digest: String
    private let scoring: StoredSheetScoring
    /// Texts count nothing in scores and are not read: each stands as present.
    private let texts: [String: String]

    init(study: String, questionnaire: Questionnaire, key: ScoringKey) {
        self.study = study
        self.questionnaire = questionnaire
        self.key = key
        digest = key.digest
        scoring = StoredSheetScoring(QuestionnaireIndex(questionnaire))
        texts = Dictionary(
            questionnaire.questions.filter { $0.type == .string || $0.type == .text }.map { ($0.linkId, "") },
            uniquingKeysWith: { first, _ in first })
    }

    /// The scores of a row of `list_unscored_sheets`; a row that does not fit this version is nobody's sheet.
    func scores(_ row: Row) throws(StoredAnswersFault) -> [Score] {
        var stored = StoredAnswers(slots: [], numbers: [], texts: texts)
        do throws(DatabaseError) {
            stored.slots = try row.get("slots")
            stored.numbers = try row.get("numbers", as: [Double?].self)
        } catch {
            throw .slotCount(expected: scoring.slotCount, got: 0)
        }
        var scores: [Score] = []
        try scoring.add(stored, to: &scores)
        return scores
    }

    /// Of `list_unscored_sheets`.
    func parameters(after place: SheetPlace, limit: Int) -> [Parameter] {
        [
            .text(study), .text(questionnaire.code), .text(questionnaire.version), .text(digest),
            .text(Scoring.engineVersion), .int4(Int32(clamping: key.scales.count)), .uuid(place.enrolment),
            .uuid(place.sheet),
            .int4(place.revision), .int4(Int32(clamping: limit)),
        ]
    }
}

/// Where a revision of a sheet stands in key order.
struct SheetPlace: Sendable {
    let enrolment: UUID
    let sheet: UUID
    let revision: Int32

    static let beforeAll = SheetPlace(
        enrolment: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
        sheet: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)), revision: 0)

    private init(enrolment: UUID, sheet: UUID, revision: Int32) {
        self.enrolment = enrolment
        self.sheet = sheet
        self.revision = revision
    }

    init(_ row: Row) throws {
        enrolment = try row.get("enrolment_id")
        sheet = try row.get("sheet_id")
        revision = try row.get("revision")
    }
}

/// Scores of many sheets as columns, for one statement.
struct ScoreBatch {
    private var places: [SheetPlace] = []
    private var scores: [Score] = []

    var isEmpty: Bool { scores.isEmpty }

    mutating func add(_ new: [Score], of place: SheetPlace) {
        scores += new
        places += repeatElement(place, count: new.count)
    }

    /// The first ten of `insert_missing_scores`.
    var parameters: [Parameter] {
        [
            .uuids(places.map(\.enrolment)), .uuids(places.map(\.sheet)), .int4s(places.map(\.revision)),
            .texts(scores.map(\.scale)), .float8s(scores.map(\.value)),
            .texts(scores.map { $0.reason?.rawValue }),
            .texts(scores.map(\.band)), .int4s(scores.map { Int32(clamping: $0.itemCount) }),
            .int4s(scores.map { Int32(clamping: $0.answeredCount) }),
            .int4s(scores.map { Int32(clamping: $0.imputedCount) }),
        ]
    }
}
