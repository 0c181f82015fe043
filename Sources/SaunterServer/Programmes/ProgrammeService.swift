import SaunterCore
import SaunterStore

/// Reads the programmes of the live edition for one participant, with the participant's progress.
struct ProgrammeService: Sendable {
    /// What the responses about one participant need.
    struct Participant: Sendable {
        let enrolment: Enrolment
        let published: PublishedStudy
        /// Nil if the study has no library.
        let edition: PublishedEdition?
        /// The programmes and practices that the participant can begin.
        let offered: OfferedProgrammes
        /// The codes of the entitlements that apply now.
        let entitlements: Set<String>

        var study: Study { published.study }

        /// Whether the participant needs an entitlement for a practice.
        func isLocked(_ practice: String) -> Bool { study.isLocked(practice, for: entitlements) }

        /// Whether the participant needs an entitlement for every practice of a programme.
        func isLocked(_ programme: Programme) -> Bool {
            programme.modules.allSatisfy { isLocked($0) }
        }

        /// The programmes that the participant can read.
        var programmes: [Programme] { offered.programmes }
    }

    let context: ServerContext

    /// The caller's enrolment, with the live edition.
    /// - Throws: `not-found`.
    func participant(_ call: Call<Identity>) async throws -> Participant {
        let enrolment = try await context.enrolment(call)
        let published = try await context.study(of: enrolment)
        let edition = try await context.content.findLive(published.study)
        return Participant(
            enrolment: enrolment, published: published, edition: edition,
            offered: OfferedProgrammes(of: edition?.library, in: published.study),
            entitlements: try await context.entitlements(of: enrolment, at: call.now))
    }

    /// Practice -> how often the participant did it. A practice that was never done is absent.
    func progress(
        in practices: [String], of participant: Participant
    ) async throws -> [String: PracticeProgress] {
        let list = try await context.store.listPracticeProgress(
            of: participant.enrolment.id, practices: practices)
        return Dictionary(list.map { ($0.practice, $0) }) { first, _ in first }
    }

    /// The recommendations now.
    func recommendations(for participant: Participant, at now: Instant) async throws -> [Recommended] {
        guard let given = participant.edition?.library.recommendations else { return [] }
        let plan = participant.published.variables
        let names = given.variables
        guard !names.isEmpty else {
            return participant.offered.recommended(
                in: ExpressionScope(value: { _ in .blank }, today: nil))
        }
        let facts = try await context.variableFacts.facts(
            of: participant.enrolment, plan.needs(for: names), study: participant.published)
        return participant.offered.recommended(in: plan.scope(from: facts, at: now))
    }

    // MARK: - Ratings

    /// Practice -> the newest rating, as in an answer sheet. A practice without a rating is absent.
    func ratings(
        of practices: [String], by participant: Participant
    ) async throws -> [String: JSON] {
        guard let schedule = participant.study.ratingSchedule(of: participant.enrolment.arm) else {
            return [:]
        }
        let sheets = try await context.store.listPracticeRatings(
            of: participant.enrolment.id, practices: practices, schedule: schedule.id)
        var ratings: [String: JSON] = [:]
        for (practice, sheet) in sheets {
            let known = try await known(sheet, participant.enrolment)
            guard let item = known.questionnaire.ratingItem else { continue }
            ratings[practice] = try known.codec.decode(sheet.answers).json[item.linkId]
        }
        return ratings
    }

    /// The questionnaire version that a sheet answers.
    private func known(_ sheet: StoredSheet, _ enrolment: Enrolment) async throws -> PublishedQuestionnaire {
        let study = try await AnswerSheetService(context: context).study(of: sheet, enrolment)
        guard let known = study.questionnaires[sheet.questionnaire] else { throw Problem(.internalError) }
        return known
    }

    // MARK: - Entries

    /// The codes of all practices of a programme, also of those that the participant's version does not have. If the
    /// live edition does not contain the programme, those of the last edition that does.
    /// - Throws: `not-found` if no edition has contained it.
    func practices(of programme: String, _ participant: Participant) async throws -> [String] {
        if let known = participant.edition?.library.programme(programme) { return known.modules }
        let study = participant.study
        // Earlier editions are read only for a programme that exists, because each of them has to be parsed.
        guard try await context.store.hasPublished(programme: programme, of: study.code) else {
            throw Problem(.notFound)
        }
        for (edition, _) in try await context.store.listEditions(of: study.code) {
            let earlier = try await context.content.find(edition, of: study)
            if let known = earlier?.library.programme(programme) { return known.modules }
        }
        throw Problem(.notFound)
    }

    /// The participant's sheets of some practices, the newest first, with the words that the participant read.
    /// - Parameter position: after the sheet with this completion and id; nil for the first page.
    func entries(
        of practices: [String], _ participant: Participant, after position: ListPosition?, limit: Int
    ) async throws -> (entries: [JSON], next: ListPosition?) {
        let enrolment = participant.enrolment
        let all = try await context.store.listCompletions(of: enrolment.id, questionnaires: Set(practices))
            .sorted { ($0.completedAt, $0.id) > ($1.completedAt, $1.id) }
        let rest = all.drop { sheet in
            position.map { (sheet.completedAt, sheet.id) >= ($0.moment, SheetID($0.id)) } ?? false
        }
        let page = rest.prefix(limit)
        guard !page.isEmpty else { return ([], nil) }
        let sheets = try await context.store.listSheets(
            enrolment.id, SheetFilter(ids: page.map(\.id)), limit: page.count)
        let byID = Dictionary(sheets.map { ($0.id, $0) }) { first, _ in first }
        var entries: [JSON] = []
        for completion in page {
            // A sheet that was deleted in the meantime is left out.
            guard let sheet = byID[completion.id] else { continue }
            entries.append(try ProgrammeResponse.entry(sheet, await known(sheet, enrolment)))
        }
        let last = page.count < rest.count ? page.last : nil
        return (entries, last.map { ListPosition(moment: $0.completedAt, id: $0.id.uuid) })
    }
}
