import Foundation
import SaunterCore
import SaunterPacks
import SaunterStore

/// One version of a questionnaire as a form shows it to a participant.
package struct QuestionnaireForm: Sendable {
    private let known: PublishedQuestionnaire
    private let language: String
    private let published: PublishedStudy
    /// The address of a file of the draft by its path, if the study is a draft; nil for a published study.
    private let draftFile: (@Sendable (_ path: String) -> String)?
    /// Whether the participant does not have the entitlement that the questionnaire needs. A page then shows neither
    /// the form nor questions without an answer.
    package let isLocked: Bool
    private var study: Study { published.study }

    fileprivate init(
        _ known: PublishedQuestionnaire, of published: PublishedStudy, language: String,
        draftFile: (@Sendable (_ path: String) -> String)? = nil,
        isLocked: Bool = false
    ) {
        self.known = known
        self.published = published
        self.language = language
        self.draftFile = draftFile
        self.isLocked = isLocked
    }

    /// The address of the picture, sound or film of a question or an option; nil if the pack does not contain it. The
    /// address of a picture of a draft contains the picture itself.
    /// - Parameter source: as in `structure`, such as `media/walk.png`.
    package func mediaAddress(_ source: String) -> String? {
        let (code, version) = (known.questionnaire.code, known.questionnaire.version)
        let key = StudyBrand.mediaKey(questionnaire: code, version: version, source: source)
        guard let file = study.brand.questionMedia[key] else { return nil }
        guard let draftFile else { return "/media/\(study.code)/\(file.name)" }
        guard file.format.kind == .image else {
            return PackPath.instrument(code, version).map { draftFile($0 + source) }
        }
        return "data:\(file.format.mediaType);base64,\(Data(file.bytes).base64EncodedString())"
    }

    /// The items with their texts in the language of the enrolment, as `GET …/questionnaires/{code}` returns them.
    package var structure: JSON { known.form(in: published, language: language) }

    /// The faults of a sheet with these answers; empty if the server would store it. See `state` for the parameters.
    package func faults(
        answers: JSONObject, reasons: JSONObject, today: LocalDate, permitting kinds: Set<String>
    ) -> [Fault] {
        do throws(Faults) {
            _ = try AnswerSheet(
                answers: answers, reasons: reasons, of: known.index, today: today, language: language,
                forbiddenKinds: known.index.dataKinds.subtracting(kinds))
            return []
        } catch {
            return error.list
        }
    }

    /// The rules by which a script judges the answers. See `QuestionnaireIndex.rules`.
    /// - Parameter kinds: the data kinds that the participant permits.
    package func rules(permitting kinds: Set<String>) -> JSON {
        known.index.rules(language: language, forbiddenKinds: known.index.dataKinds.subtracting(kinds))
    }

    /// Which items and options the form shows for the answers so far.
    /// - Parameters:
    ///   - answers: linkId -> value; they may be incomplete or invalid.
    ///   - reasons: linkId -> why the item has no answer.
    ///   - today: the participant's local date.
    ///   - kinds: the data kinds that the participant permits.
    package func state(
        answers: JSONObject, reasons: JSONObject, today: LocalDate, permitting kinds: Set<String>
    ) -> FormState {
        known.index.formState(
            answers: answers, reasons: reasons, today: today,
            forbiddenKinds: known.index.dataKinds.subtracting(kinds))
    }
}

extension PublishedQuestionnaire {
    /// The questionnaire as the API returns it to a participant.
    /// - Parameter study: the version of the study that asks it. Its rules determine `may_alert`.
    func form(in study: PublishedStudy, language: String) -> JSON {
        var form = questionnaire.json(language: language).object ?? [:]
        form["may_alert"] = .bool(study.rules.alertQuestionnaires.contains(questionnaire.code))
        return .object(form)
    }
}

extension ServerContext {
    /// The form of a questionnaire in the version that the participant began to answer. This can be an earlier version
    /// than the current one of the study. If the enrolment never had this version, the form has the current version.
    /// - Throws: `not-found` if there is no such enrolment or questionnaire.
    package func questionnaireForm(
        _ questionnaire: String, version: String, of enrolment: String, at now: Instant
    ) async throws -> QuestionnaireForm {
        guard let id = EnrolmentID(enrolment), let found = try await store.findEnrolment(id),
            case let published = try await AnswerSheetService(context: self)
                .study(answeredBy: questionnaire, version, of: found),
            let known = published.questionnaires[questionnaire]
        else { throw Problem(.notFound) }
        return QuestionnaireForm(
            known, of: published, language: found.language,
            isLocked: try await isLocked(
                questionnaire, of: found, answeredUnder: published.study, at: now))
    }

    /// The form of a questionnaire of the draft of a study, or of a published version; see `rehearsedStudy`.
    /// - Parameters:
    ///   - language: a language of the study.
    ///   - draftFile: the address of a file of the draft by its path.
    /// - Throws: `not-found` if there is no such questionnaire.
    package func rehearsedForm(
        _ questionnaire: String, of rehearsed: RehearsedStudy, language: String,
        draftFile: @escaping @Sendable (_ path: String) -> String
    ) throws -> QuestionnaireForm {
        guard let known = rehearsed.published.questionnaires[questionnaire] else { throw Problem(.notFound) }
        return QuestionnaireForm(
            known, of: rehearsed.published, language: language,
            draftFile: rehearsed.isDraft ? draftFile : nil)
    }

    /// What the study reports to the participant after a sheet of this questionnaire, such as a streak: sentences in
    /// the language of the enrolment. Empty if the study reports nothing.
    package func feedback(
        after questionnaire: String, of enrolment: String, at now: Instant
    ) async throws -> [String] {
        guard let id = EnrolmentID(enrolment), let found = try await store.findEnrolment(id) else {
            throw Problem(.notFound)
        }
        return try await InsightService(context: self).feedback(after: questionnaire, of: found, at: now)
            .compactMap { $0["text"]?.string }
    }
}
