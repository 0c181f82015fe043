import SaunterCore
import SaunterStore

/// Decides everything about a sheet that was handed in. Pure: time is an argument, the database is read before and written after.
struct SheetIntake {
    /// Beyond this a device's clock is worth a flag.
    static let tolerableSkewMs: Int64 = 120_000

    var enrolment: Enrolment
    var study: PublishedStudy
    var receivedAt: Instant
    var scoring = SheetScoring()

    /// The device's clock against ours; what it says is corrected by this.
    func skew(of body: SheetBody) -> Int64 { receivedAt.skew(of: body.clientNow) }

    func correctedCompletion(of body: SheetBody) -> Instant {
        body.completedAt.adding(milliseconds: skew(of: body))
    }

    /// The questionnaire that the sheet names, at the version answered.
    func questionnaire(of body: SheetBody) throws(Faults) -> PublishedQuestionnaire {
        guard let known = study.questionnaires[body.questionnaire] else {
            throw Faults([
                Fault(
                    pointer: "/questionnaire", code: "unknown_questionnaire",
                    detail: "This study has no questionnaire of that code.")
            ])
        }
        guard known.questionnaire.version == body.version else {
            throw Faults([
                Fault(
                    pointer: "/version", code: "wrong_version",
                    detail: "This enrolment answers version \(known.questionnaire.version).")
            ])
        }
        return known
    }

    /// The sheet as it goes into the database.
    /// - Parameters:
    ///   - occasion: the one that the body names, if it is this participant's; or the one that was found for it.
    func submission(
        _ id: SheetID, _ body: SheetBody, occasion: Occasion?
    ) throws(Faults) -> SheetSubmission {
        let known: PublishedQuestionnaire
        var faults = placeFaults(body, occasion: occasion)
        do throws(Faults) {
            known = try questionnaire(of: body)
        } catch {
            throw Faults(error.list + faults)
        }
        var sheet: AnswerSheet?
        do throws(Faults) {
            sheet = try AnswerSheet(
                answers: body.answers, reasons: body.reasons, of: known.index,
                today: body.zone.localDate(at: correctedCompletion(of: body)),
                language: body.language ?? enrolment.language)
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
        let judged = standing(of: completion, body, occasion: occasion)
        let day = LocalDate(of: completion, offsetMinutes: body.zone.offset(at: body.completedAt) / 60)
        let scored = scoring.result(for: sheet, id, of: known, at: completion, on: day)
        return SheetSubmission(
            study: enrolment.study, enrolment: enrolment.id, sheet: id, occasion: occasion?.id,
            questionnaire: known.questionnaire.code,
            version: known.questionnaire.version, studyVersion: study.study.version,
            consentVersion: enrolment.consentVersion, language: body.language ?? enrolment.language,
            startedAt: body.startedAt, completedAt: body.completedAt, correctedCompletedAt: completion,
            receivedAt: receivedAt, zone: body.zone, skewMs: skew(of: body), standing: judged,
            lateS: occasion?.window.lateness(of: completion),
            flags: flags(body, completion, occasion) + sheet.answerFlags,
            completes: judged.completesOccasion && occasion?.setAside == nil, walk: body.walk,
            answers: known.codec.encode(sheet), cleared: sheet.cleared, timings: body.timings,
            scores: scored.scores, keyVersion: scored.keyVersion, keyDigest: scored.keyDigest,
            covariates: scored.covariates, digest: body.digest, body: body.json,
            presented: presented.map { .object($0.json) })
    }

    private func placeFaults(_ body: SheetBody, occasion: Occasion?) -> [Fault] {
        var faults: [Fault] = []
        if body.completedAt < body.startedAt {
            faults.append(
                Fault(
                    pointer: "/completed_at", code: "ends_before_start",
                    detail: "A sheet cannot be completed before it is started."))
        }
        if body.occasion != nil, occasion == nil {
            faults.append(
                Fault(
                    pointer: "/occasion_id", code: "unknown_occasion",
                    detail: "This enrolment has no such occasion."))
        }
        if let occasion, occasion.questionnaire != body.questionnaire {
            faults.append(
                Fault(
                    pointer: "/occasion_id", code: "wrong_questionnaire",
                    detail: "This occasion asks for \(occasion.questionnaire)."))
        }
        return faults
    }

    private func timingFaults(_ body: SheetBody, _ known: PublishedQuestionnaire) -> [Fault] {
        (body.timings?.object?.names ?? []).filter { known.index.item($0) == nil }.prefix(100).map {
            Fault(
                pointer: "/timings/\(Fault.escape($0))", code: "unknown_item",
                detail: "The questionnaire has no such item.")
        }
    }

    private func standing(of completion: Instant, _ body: SheetBody, occasion: Occasion?) -> Standing {
        if let occasion {
            let policy = study.study.schedules.first { $0.id == occasion.key.schedule }?.latePolicy ?? .flag
            return occasion.window.standing(of: completion, latePolicy: policy)
        }
        return study.study.anyTime.contains(body.questionnaire) ? .unscheduled : .outOfWindow
    }

    /// What a reader of the data should know; none of it refuses the sheet.
    private func flags(_ body: SheetBody, _ completion: Instant, _ occasion: Occasion?) -> [String] {
        var flags: [String] = []
        if abs(skew(of: body)) > Self.tolerableSkewMs { flags.append("clock_skew") }
        if completion > receivedAt.adding(milliseconds: Self.tolerableSkewMs) {
            flags.append("completed_in_future")
        }
        if completion < enrolment.enrolledAt.adding(milliseconds: -Self.tolerableSkewMs) {
            flags.append("before_enrolment")
        }
        if occasion == nil, !study.study.anyTime.contains(body.questionnaire) { flags.append("no_occasion") }
        if let reason = occasion?.setAside { flags.append("occasion_\(reason.rawValue)") }
        return flags
    }
}

extension AnswerSheet {
    /// A flag for each constraint of severity `warning` that does not hold, and for each ranking by comparisons that
    /// contradict each other in a circle.
    var answerFlags: [String] { warnings.map { "constraint_\($0)" } + circles.map { "circle_\($0)" } }
}

extension Zone {
    /// The date on the wall at a moment.
    func localDate(at instant: Instant) -> LocalDate {
        let seconds = (Double(instant.milliseconds) / 1000).rounded(.down) + Double(offset(at: instant))
        return LocalDate(days: Int((seconds / 86_400).rounded(.down)))
    }
}
