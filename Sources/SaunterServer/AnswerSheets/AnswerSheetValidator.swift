import SaunterCore
import SaunterStore

/// Validates a submitted answer sheet and computes its timeliness, flags and scores. It is pure: the time is an
/// argument, and the caller reads the database before and writes it afterwards.
struct AnswerSheetValidator {
    /// Milliseconds by which the device clock may differ from the server clock without a flag: 2 minutes.
    static let maximumUnflaggedSkewMs: Int64 = 120_000

    var enrolment: Enrolment
    var study: PublishedStudy
    var receivedAt: Instant
    var scoring = SheetScoring()
    /// The stored facts about the sheet that the body refers to, the daily maximum and the permissions.
    var facts = EntryFacts()
    /// Whether the participant had the entitlement that the questionnaire needs when the sheet was completed.
    var isEntitled = true

    /// Milliseconds that the device clock is behind the server clock. Adding them corrects an instant of the device.
    func skew(of body: AnswerSheetBody) -> Int64 { receivedAt.skew(of: body.clientNow) }

    /// When the sheet was completed, by the server clock.
    func correctedCompletion(of body: AnswerSheetBody) -> Instant {
        body.completedAt.adding(milliseconds: skew(of: body))
    }

    /// The participant's local date when the sheet was completed.
    func localDate(of body: AnswerSheetBody) -> LocalDate {
        LocalDate(
            of: correctedCompletion(of: body), offsetMinutes: body.zone.offset(at: body.completedAt) / 60)
    }

    /// Which facts the sheet needs.
    func factsQuery(for body: AnswerSheetBody, _ id: SheetID) -> EntryFactsQuery {
        let study = study.study
        let rule = study.anyTimeRule(of: body.questionnaire)
        return EntryFactsQuery(
            enrolment: enrolment.id, sheet: id, questionnaire: body.questionnaire,
            refersTo: rule?.refersTo == nil ? nil : body.refersTo,
            referredRule: (rule?.refersTo).flatMap { study.anyTimeRule(of: $0.questionnaire) }
                .flatMap { $0.isActiveOne ? $0 : nil },
            limitedOn: rule?.maximumPerDay == nil ? nil : localDate(of: body),
            includesGrants: !(self.study.questionnaires[body.questionnaire]?.itemsByDataKind.isEmpty ?? true))
    }

    /// Whether the participant has already answered the questionnaire as often as the study permits on one local date.
    /// The sheet is then stored with a flag and fulfils no occasion.
    func isOverDailyLimit(_ body: AnswerSheetBody) -> Bool {
        study.study.anyTimeRule(of: body.questionnaire)?.maximumPerDay.map { facts.countOnDate >= $0 }
            ?? false
    }

    /// The questionnaire that the sheet names, in the version that was answered.
    /// - Throws: a fault if the study does not contain it.
    func questionnaire(of body: AnswerSheetBody) throws(Faults) -> PublishedQuestionnaire {
        guard let known = study.questionnaires[body.questionnaire] else {
            throw Faults([
                Fault(
                    pointer: "/questionnaire", code: "unknown_questionnaire",
                    detail: "The study has no questionnaire with this code.")
            ])
        }
        guard known.questionnaire.version == body.version else {
            throw Faults([
                Fault(
                    pointer: "/version", code: "wrong_version",
                    detail:
                        "The enrolment requires version \(known.questionnaire.version) of this questionnaire."
                )
            ])
        }
        return known
    }

    /// The sheet in the form in which the store inserts it.
    /// - Parameter occasion: the occasion that the body names, if it belongs to this enrolment; if the body names none,
    ///   the occasion that the server found.
    /// - Throws: every fault of the body.
    func submission(
        _ id: SheetID, _ body: AnswerSheetBody, occasion: Occasion?
    ) throws(Faults) -> SheetSubmission {
        let known: PublishedQuestionnaire
        let rule = study.study.anyTimeRule(of: body.questionnaire)
        var faults = timeAndOccasionFaults(body, occasion: occasion)
        if let fault = AnyTimeRule.referenceFault(
            of: rule, isGiven: body.refersTo != nil, entry: facts.referred)
        {
            faults.append(fault)
        }
        do throws(Faults) {
            known = try questionnaire(of: body)
        } catch {
            throw Faults(error.list + faults)
        }
        var sheet: AnswerSheet?
        let forbidden = study.study.forbiddenDataKinds(facts.grants, at: correctedCompletion(of: body))
        do throws(Faults) {
            sheet = try AnswerSheet(
                answers: body.answers, reasons: body.reasons, of: known.index,
                today: body.zone.local(of: correctedCompletion(of: body)).date,
                language: body.language ?? enrolment.language, forbiddenKinds: forbidden)
        } catch {
            faults += error.list
        }
        var presented: PresentedOrder?
        do throws(Faults) {
            if let orders = body.presented { presented = try PresentedOrder(orders, of: known.index) }
        } catch {
            faults += error.list
        }
        faults += timingFaults(body, known)
        guard faults.isEmpty, let sheet else { throw Faults(faults) }

        let completion = correctedCompletion(of: body)
        let timeliness = self.timeliness(of: completion, body, occasion: occasion)
        let scored = scoring.result(for: sheet, id, of: known, at: completion, on: localDate(of: body))
        return SheetSubmission(
            study: enrolment.study, enrolment: enrolment.id, sheet: id, occasion: occasion?.id,
            questionnaire: known.questionnaire.code,
            version: known.questionnaire.version, studyVersion: study.study.version,
            consentVersion: enrolment.consentVersion, language: body.language ?? enrolment.language,
            startedAt: body.startedAt, completedAt: body.completedAt, correctedCompletedAt: completion,
            receivedAt: receivedAt, zone: body.zone, skewMs: skew(of: body), timeliness: timeliness,
            lateS: occasion?.window.lateness(of: completion),
            flags: flags(body, completion, occasion) + sheet.answerFlags
                + displayFlags(body, known, forbiddenKinds: forbidden),
            fulfilsOccasion: timeliness.fulfilsOccasion && occasion?.exclusion == nil
                && !isOverDailyLimit(body),
            walk: body.walk,
            answers: known.codec.encode(sheet), cleared: sheet.cleared, timings: body.timings,
            scores: scored.scores, keyVersion: scored.keyVersion, keyDigest: scored.keyDigest,
            covariates: scored.covariates, digest: body.digest,
            body: known.index.roundingLocations(
                in: body.json.withoutAnswers(to: known.items(of: forbidden))),
            presented: presented.map { .object($0.json) }, device: body.device,
            yieldsOccasion: body.occasion == nil && occasion != nil && rule != nil, refersTo: body.refersTo)
    }

    private func timeAndOccasionFaults(_ body: AnswerSheetBody, occasion: Occasion?) -> [Fault] {
        var faults: [Fault] = []
        if body.completedAt < body.startedAt {
            faults.append(
                Fault(
                    pointer: "/completed_at", code: "ends_before_start",
                    detail: "`completed_at` must not be before `started_at`."))
        }
        if body.occasion != nil, occasion == nil {
            faults.append(
                Fault(
                    pointer: "/occasion_id", code: "unknown_occasion",
                    detail: "The enrolment has no occasion with this id."))
        }
        if let occasion, occasion.questionnaire != body.questionnaire {
            faults.append(
                Fault(
                    pointer: "/occasion_id", code: "wrong_questionnaire",
                    detail: "The occasion requires the questionnaire \(occasion.questionnaire)."))
        }
        return faults
    }

    private func timingFaults(_ body: AnswerSheetBody, _ known: PublishedQuestionnaire) -> [Fault] {
        (body.timings?.object?.names ?? []).filter { known.index.item($0) == nil }.prefix(100).map {
            Fault(
                pointer: "/timings/\(Fault.escape($0))", code: "unknown_item",
                detail: "The questionnaire has no item with this `linkId`.")
        }
    }

    private func timeliness(of completion: Instant, _ body: AnswerSheetBody, occasion: Occasion?)
        -> Timeliness
    {
        if let occasion {
            let policy = study.study.schedules.first { $0.id == occasion.key.schedule }?.latePolicy ?? .flag
            return occasion.window.timeliness(of: completion, latePolicy: policy)
        }
        return study.study.isAnsweredAnyTime(body.questionnaire) ? .unscheduled : .outOfWindow
    }

    /// A flag if the app did not show an item that the server shows. The answer of this item is then missing for a
    /// different reason than the sheet states.
    private func displayFlags(
        _ body: AnswerSheetBody, _ known: PublishedQuestionnaire, forbiddenKinds: Set<String>
    ) -> [String] {
        guard let shown = body.shown else { return [] }
        let state = known.index.formState(
            answers: body.answers, reasons: body.reasons,
            today: body.zone.local(of: correctedCompletion(of: body)).date, forbiddenKinds: forbiddenKinds)
        return state.shown.isSubset(of: shown) ? [] : ["client_disagreed"]
    }

    /// Flags for the analysis of the data. A flag never rejects the sheet.
    private func flags(_ body: AnswerSheetBody, _ completion: Instant, _ occasion: Occasion?) -> [String] {
        var flags: [String] = []
        if abs(skew(of: body)) > Self.maximumUnflaggedSkewMs { flags.append("clock_skew") }
        if completion > receivedAt.adding(milliseconds: Self.maximumUnflaggedSkewMs) {
            flags.append("completed_in_future")
        }
        if completion < enrolment.enrolledAt.adding(milliseconds: -Self.maximumUnflaggedSkewMs) {
            flags.append("before_enrolment")
        }
        if occasion == nil, !study.study.isAnsweredAnyTime(body.questionnaire) { flags.append("no_occasion") }
        if let reason = occasion?.exclusion { flags.append("occasion_\(reason.rawValue)") }
        if !isEntitled { flags.append("not_entitled") }
        if isOverDailyLimit(body) { flags.append("over_daily_limit") }
        if facts.referred?.isEnded(at: completion) ?? false { flags.append("entry_ended") }
        return flags
    }
}

extension AnswerSheet {
    /// One flag for each violated constraint of severity `warning` (`constraint_…`), and one for each ranking whose
    /// pairwise comparisons form a cycle (`circle_…`).
    var answerFlags: [String] { warnings.map { "constraint_\($0)" } + cyclicRankings.map { "circle_\($0)" } }
}
